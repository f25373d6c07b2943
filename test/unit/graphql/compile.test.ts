// Compiled plans share constant parts of answers, up to a bound, because each part takes memory.
import { buildSchema, Kind, parse } from 'graphql';
import { expect, test, vi } from 'vitest';
import { compileOperation } from '../../../src/graphql/compiled/compile.ts';
import { Run } from '../../../src/graphql/compiled/run.ts';
import type { GatewayContext } from '../../../src/graphql/context.ts';
import type { Literal } from '../../../src/json/json-bytes.ts';
import { JsonOutput } from '../../../src/json/json-output.ts';

const schema = buildSchema('type Query { first: Int field: Int }');

/** The constant parts that a new plan writes before the values of `field` under these aliases. */
function partsOf(aliases: readonly string[]): Literal[] {
  const document = parse(`{ first ${aliases.map((alias) => `${alias}: field`).join(' ')} }`);
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('not an operation');
  const written = vi.spyOn(JsonOutput.prototype, 'literal');
  const run = new Run({} as GatewayContext, {}, vi.fn(), vi.fn());
  compileOperation(schema, document, operation, {}).write(run);
  const literals = written.mock.calls.map(([literal]) => literal);
  written.mockRestore();
  return literals.filter(({ bytes }) => bytes.startsWith(','));
}

const others = (count: number) => Array.from({ length: count }, (_, i) => `other${i}`);

test('plans share a part of at most 64 characters, and no longer part', () => {
  // A part consists of the alias, two quotes, a comma and a colon.
  for (const [length, isShared] of [
    [60, true],
    [61, false],
  ] as const) {
    const alias = 'a'.repeat(length);
    const [[one], [another]] = [partsOf([alias]), partsOf([alias])];
    expect(one?.length).toBe(length + 4);
    expect(one === another).toBe(isShared);
  }
});

test.each([
  ['still shared after 1,900 other parts', 1900, true],
  ['no longer shared after 2,000 other parts', 2000, false],
])('a part is %s', (_what, count, isShared) => {
  const [before] = partsOf(['repeated']);
  // A plan has at most about a thousand fields.
  for (let at = 0; at < count; at += 500) partsOf(others(count).slice(at, at + 500));
  const [after] = partsOf(['repeated']);
  expect(before === after).toBe(isShared);
});

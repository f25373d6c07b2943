// Limits on the complexity of a document.
import {
  buildSchema,
  getIntrospectionQuery,
  NoUndefinedVariablesRule,
  NoUnusedVariablesRule,
  parse,
  validate,
  VariablesInAllowedPositionRule,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { findExcess, limitsRule } from '../../../src/graphql/limits/limits.ts';

const limits = { maxDepth: 4, maxAliases: 3 };

function excessOf(text: string): string | null {
  return findExcess(parse(text), limits);
}

describe('the depth limit of 4', () => {
  test.each([
    ['{ a { b { c { d } } } }', null],
    ['{ a { b { c { d { e } } } } }', 'deeper'],
    ['{ a { ... { b { ... on B { c { d } } } } } }', null],
    ['{ a { b { ...F } } } fragment F on C { c { d } }', null],
    ['{ a { b { ...F } } } fragment F on C { c { d { e } } }', 'deeper'],
    ['{ a { b { ...F } } } fragment F on C { c { ...G } } fragment G on D { d { e } }', 'deeper'],
    ['query One { a } query Two { a { b { c { d { e } } } } }', 'deeper'],
    ['mutation { a { b { c { d { e } } } } }', 'deeper'],
  ])('reports $1 for $0', (text, expected) => {
    expect(excessOf(text)).toEqual(expected && expect.stringContaining(expected));
  });
});

describe('the limit of 3 aliases', () => {
  test.each([
    ['{ x: a y: a z: a }', null],
    ['{ x: a y: a z: a w: a }', 'aliases'],
    ['{ a { x: b } b { y: c ...F } } fragment F on F { z: d }', null],
    ['{ ...F ...F ...F ...F } fragment F on Query { x: a }', 'aliases'],
    ['query One { x: a y: a } query Two { x: a y: a }', null],
  ])('reports $1 for $0', (text, expected) => {
    expect(excessOf(text)).toEqual(expected && expect.stringContaining(expected));
  });
});

describe('the limit on directives', () => {
  const many = (count: number) => '@include(if: true) '.repeat(count);

  test.each([
    [`{ a ${many(50)} }`, null],
    [`{ a ${many(51)} }`, 'directives'],
    [
      `query ${many(20)} { a ${many(20)} ...F ${many(6)} } fragment F on Query { b ${many(5)} }`,
      'directives',
    ],
  ])('is 50 for the whole document, including its fragments (case %#)', (text, expected) => {
    expect(excessOf(text)).toEqual(expected && expect.stringContaining(expected));
  });
});

describe('the limit on introspection', () => {
  test('accepts the standard introspection query even if MAX_DEPTH is 1', () => {
    const document = parse(
      getIntrospectionQuery({ inputValueDeprecation: true, oneOf: true, specifiedByUrl: true }),
    );
    expect(findExcess(document, { maxDepth: 1, maxAliases: 0 })).toBeNull();
  });

  test('rejects an introspection query that is deeper than the standard one', () => {
    const query = `{ __type(name: "A") ${'{ ofType '.repeat(16)} ${'}'.repeat(16)} }`;
    expect(excessOf(query.replace('{ ofType  }', '{ name }'))).toContain('introspection');
  });
});

describe('findExcess', () => {
  test('reports nothing for a fragment that spreads itself, because another rule reports it', () => {
    expect(excessOf('{ ...F } fragment F on Query { a { ...F } }')).toBeNull();
  });

  test('reports nothing for fragments that spread each other, because another rule reports them', () => {
    expect(excessOf('{ ...F } fragment F on Q { ...G } fragment G on Q { ...F }')).toBeNull();
  });

  test('reports nothing for an unknown fragment, because another rule reports it', () => {
    expect(excessOf('{ ...F }')).toBeNull();
  });
});

test('findExcess counts exponentially many fragment spreads without visiting each of them', () => {
  const steps = Array.from(
    { length: 150 },
    (_, i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`,
  );
  expect(excessOf(`{ ...F0 } ${steps.join(' ')} fragment F150 on Query { x: a }`)).toContain(
    'aliases',
  );
});

describe('the limits rule', () => {
  const schema = buildSchema('type Query { a(b: Int, c: [String]): Int }');
  const rules = [NoUndefinedVariablesRule, NoUnusedVariablesRule, VariablesInAllowedPositionRule];
  test.each([
    ['{ a(b: 1) }', 0],
    ['{ a(c: ["$", "$x"]) } # $', 0],
    ['query ($b: Int) { a(b: $b) }', 0],
    ['query ($b: Int) { ...F } fragment F on Query { a(b: $b) }', 0],
    ['fragment F on Query { a(b: $b) } query ($b: Int) { ...F }', 0],
    ['query ($b: Int) { a }', 1],
    ['query ($b: String) { a(b: $b) }', 1],
    ['{ a(b: $b) }', 1],
    ['{ ...F } fragment F on Query { a(c: [$c, $d]) }', 2],
    ['query One { ...F } query Two($b: Int) { ...F } fragment F on Query { a(b: $b) }', 1],
  ])('does not change the errors that other rules report about variables: %s', (text, count) => {
    const document = parse(text);
    const errors = validate(schema, document, [...rules, limitsRule(limits)]);
    expect(errors).toHaveLength(count);
    expect(errors).toEqual(validate(schema, document, rules));
  });
});

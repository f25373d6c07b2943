// The gateway reads the same values from a page of a statement as a parser of the whole JSON, even if the answer is
// mutated.
import { expect, test } from 'vitest';
import { endpoints } from '../../src/upstream/endpoints.ts';
import { hashOf } from '../../src/json/text-hash.ts';
import { NO_KEY, paginationFields, transactionFields } from '../../src/upstream/shape/shapes.ts';
import { timestampMs } from '../../src/upstream/shape/timestamp.ts';
import { membersOf, modelOf, signedAmountOf, wrong } from '../support/answer-model.ts';
import { statementText } from '../support/statements.ts';
import { holds } from '../support/properties.ts';
import { mutated, shownIn } from './json-mutations.ts';

const noRows =
  '{"pagination":{"totalPages":0,"itemsPerPage":20,"currentPage":0,"totalItems":0},"data":[]}';

/** A page, with each transaction in the form that `shownIn` returns. */
function read(text: string): unknown {
  try {
    const { rows, ...counts } = endpoints.transactions.read(Buffer.from(text)).value;
    return {
      counts,
      rows: rows.map(({ key, createdAtMs, node }) => ({
        ...{ key, createdAtMs },
        node: shownIn(node),
      })),
    };
  } catch {
    return wrong;
  }
}

/** The expected result of `read`, computed from the parsed JSON. */
function model(text: string): unknown {
  const body = membersOf(text);
  const counts = modelOf(paginationFields, body?.['pagination'] ?? wrong);
  const data = body?.['data'] ?? [];
  if (counts === null || typeof counts === 'string' || !Array.isArray(data)) return wrong;
  const usable = Object.keys(paginationFields).map((name) => [
    name,
    typeof counts[name] === 'number' ? counts[name] : null,
  ]);
  return {
    counts: Object.fromEntries(usable) as unknown,
    rows: data.map((row: unknown) => rowOf(row ?? wrong)),
  };
}

function rowOf(row: unknown): unknown {
  const fields = modelOf(transactionFields, row);
  const { createdAt } = row as { readonly createdAt?: unknown };
  const createdAtMs = typeof createdAt === 'string' ? timestampMs(createdAt) : null;
  if (fields === null || typeof fields === 'string')
    return { key: NO_KEY, createdAtMs, node: [wrong, wrong] };
  const id = fields['id'] as string;
  const node = { ...fields, signedAmount: signedAmountOf(fields) };
  return { key: hashOf(id), createdAtMs, node: [node, node] };
}

test('a page of a statement has the same values as its parsed JSON', async () => {
  let usable = 0;
  await holds(mutated([statementText, noRows]), (text) => {
    const expected = model(text);
    expect(read(text), text).toEqual(expected);
    if (expected !== wrong) usable++;
    return Promise.resolve();
  });
  expect(usable).toBeGreaterThan(0);
});

test('a page with text after its end is a violation', () => {
  expect(read(`{}${statementText.slice(1)}`)).toBe(wrong);
  expect(read(`${statementText}{}`)).toBe(wrong);
});

// Reports about an answer: every violation with its pointer, and every undocumented value of an open set.
import { describe, expect, test } from 'vitest';
import { endpoints, type UpstreamRoute } from '../../../src/upstream/endpoints.ts';
import { documentedValues } from '../../../src/upstream/shape/shapes.ts';
import { companyTextWith, personText } from '../../support/profiles.ts';

const pageText = `{
  "data": [
    {"id": "a", "amount": 1.5, "status": "DONE", "externalStatus": "SUCCESS", "category": "Pix enviado",
     "beneficiaryName": "Ana", "type": "PIX", "credit": false, "createdAt": "2026-06-30T15:00:00.000Z"},
    {"id": "b", "amount": 2.5, "status": "DONE", "externalStatus": "LATE", "category": null,
     "beneficiaryName": "Bia", "type": "TED", "credit": true, "createdAt": "2026-06-29T15:00:00.000Z"}
  ],
  "pagination": {"totalItems": 2, "currentPage": 0, "itemsPerPage": 20, "totalPages": 1}
}`;

/** The violations and the undocumented values that are reported while an answer is read. */
function readAll(route: UpstreamRoute, text: string) {
  const [violations, values]: [string[], string[]] = [[], []];
  try {
    endpoints[route].read(Buffer.from(text), {
      violation: (pointer) => violations.push(pointer),
      value: (field, value) => values.push(`${field} ${value}`),
    });
  } catch {
    // The errors that the parser throws are covered by other tests.
  }
  return { violations, values };
}

const readPerson = (text: string) => readAll('persons', text);
const readCompany = (text: string) => readAll('companies', text);
const readPage = (text: string) => readAll('transactions', text);

/** Pointers to all values that the gateway checks, each parent before its children. */
function* pointersIn(value: unknown, at = ''): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (unread.test(`${at}/${key}`)) continue;
    yield `${at}/${key}`;
    yield* pointersIn(inner, `${at}/${key}`);
  }
}

/**
 * Pointers to values that the gateway does not check: the company's token and type, totalPages, and the content of an
 * investmentAccount.
 */
const unread = /^\/(?:token|entityType|pagination\/totalPages)$|\/investmentAccount\//;

/** The JSON with a value of a wrong type at the pointer. */
function spoiled(text: string, pointer: string): string {
  const root: unknown = JSON.parse(text);
  const keys = pointer.slice(1).split('/');
  const last = keys.pop() ?? '';
  const parent = keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], root);
  const fields = parent as Record<string, unknown>;
  fields[last] = Array.isArray(fields[last]) ? 'no list' : [];
  return JSON.stringify(root);
}

describe.each([
  ['the answer about a person', personText, readPerson],
  ['the answer about a company', companyTextWith('a.b.c'), readCompany],
  ['a page of transactions', pageText, readPage],
])('%s', (_name, text, read) => {
  test('has no violation if it has the documented shape', () => {
    expect(read(text).violations).toEqual([]);
  });

  test.each([...pointersIn(JSON.parse(text))])(
    'has exactly one violation if the value at %s is wrong',
    (pointer) => {
      expect(read(spoiled(text, pointer)).violations).toEqual([pointer]);
    },
  );

  test.each(['', '[]', '"text"', '{"data": 1', 'null'])(
    'has exactly one violation if it is not a JSON object: %j',
    (whole) => {
      expect(read(whole).violations).toEqual(['']);
    },
  );
});

test.each([
  ['only documented members', ''],
  ['an unknown member', '"unknown":1e5,'],
])('undocumented values of open sets are reported if the answer has %s', (_how, extra) => {
  const text = (sent: string) => sent.replace('{', `{${extra}`);
  expect(readPerson(text(personText)).values).toEqual(['account.status BLOCKED']);
  expect(readPage(text(pageText)).values).toEqual(['transaction.externalStatus LATE']);
});

test('every open set has documented values', () => {
  for (const values of Object.values(documentedValues)) expect(values.length).toBeGreaterThan(0);
});

test('every open set is named after its field', () => {
  const objects = Object.values(endpoints).flatMap((endpoint) => Object.values(endpoint.objects));
  const fields = objects.flatMap((object) => Object.entries(object.fields));
  const sets = fields.flatMap(([name, { openSet }]) => (openSet ? [[openSet.field, name]] : []));
  expect(sets.map(([field = '']) => field.split('.')[1])).toEqual(sets.map(([, name]) => name));
  expect(sets.length).toBeGreaterThan(6);
});

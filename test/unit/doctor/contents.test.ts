// What the doctor says about values and fields that the gateway reads strictly.
import { describe, expect, test } from 'vitest';
import { Contents } from '../../../doctor/questions/contents.ts';
import { statementText } from '../../support/statements.ts';

const [row] = (JSON.parse(statementText) as { readonly data: readonly object[] }).data;
const pagination = { totalItems: 3, currentPage: 0, itemsPerPage: 20, totalPages: 1 };

/** The findings about a page with three rows, of which the first two have these fields. */
function findingsFor(fields: Readonly<Record<string, unknown>>, others: object = {}) {
  const contents = new Contents(null);
  const data = [{ ...row, ...fields }, { ...row, ...fields }, row];
  const body = Buffer.from(JSON.stringify({ data, pagination, ...others }));
  contents.add('transactions', { status: 200, body, reason: '' });
  return contents.findings();
}

test('answers that fit have no finding', () => {
  expect(findingsFor({})).toEqual([{ id: 'values', outcome: 'expected', seen: '' }]);
});

test.each([
  ['amount', '1.00', 'string instead of number', 'send the type of the API description, number'],
  [
    'amount',
    -1,
    'not a number, negative, or an exponent that takes more than 100 digits',
    'docs/mapping.md',
  ],
  ['credit', 1, 'number instead of boolean', 'boolean'],
  ['status', 'SETTLED', 'the undocumented value SETTLED', 'send PROCESSING, DONE, CANCELED, ERROR'],
  ['status', 'Maria da Silva', 'the undocumented value another text', 'send PROCESSING'],
  ['createdAt', '10/06/2026', 'no time as in RFC 3339', 'with their zone'],
  ['id', null, 'absent', 'send a value: string (UUID)'],
  ['id', 42, 'number instead of string (UUID)', 'string (UUID)'],
  ['id', 'a\ud83d', 'half a surrogate pair', 'shorten texts between characters'],
])('a wrong %s, %j, is counted, and has a remedy', (name, value, what, remedy) => {
  expect(findingsFor({ [name]: value })).toEqual([
    {
      id: 'values',
      outcome: 'notice',
      seen: `/transactions data[].${name}: ${what}, in 2 of 3 rows`,
      here:
        name === 'id'
          ? 'the object without a usable id is null'
          : 'null, with UPSTREAM_CONTRACT_VIOLATION on the path',
      there: expect.stringContaining(remedy) as string,
    },
  ]);
});

test('times without a zone need a setting, whose value only the provider knows', () => {
  expect(findingsFor({ createdAt: '2026-06-10T12:00:00' })).toMatchObject([
    {
      outcome: 'setting',
      seen: '/transactions data[].createdAt: a time without a zone, in 2 of 3 rows',
      settings: { UPSTREAM_TIME_ZONE: expect.stringMatching(/^<.*America\/Sao_Paulo/) as string },
      there: 'send times with their zone, as in 2026-06-10T12:00:00.000Z',
    },
  ]);
});

test('an unusable number of pagination makes the page unusable', () => {
  const unusable = { pagination: { ...pagination, totalItems: 'many' } };
  expect(findingsFor({}, unusable)).toMatchObject([
    {
      seen: '/transactions pagination.totalItems: string instead of integer, in 1 of 1 objects',
      here: 'the page cannot be used: `transactions` is null',
    },
  ]);
});

describe('an answer that the gateway cannot use', () => {
  test.each([
    ['{"data": [', 'the body is not JSON'],
    ['[]', 'the body is not an object'],
    ['{"data": []}', '/pagination is absent'],
  ])('has a reason: %s', (text, reason) => {
    const reply = { status: 200, body: Buffer.from(text), reason: '' } as const;
    expect(new Contents(null).add('transactions', reply)).toBe(reason);
  });

  test('has the reason of the exchange if it has no body', () => {
    const contents = new Contents(null);
    expect(contents.add('persons', { status: 401, body: null, reason: 'status 401' })).toBe(
      'status 401',
    );
    expect(contents.findings()).toMatchObject([{ outcome: 'unknown' }]);
  });
});

test('fields that never occur are reported with the undocumented ones, but no names that may be personal data', () => {
  const contents = new Contents(null);
  const person = { id: 'p', nome: 'Maria', 'Maria da Silva': 1, hasPin: true };
  const body = Buffer.from(
    JSON.stringify({ person, individual: null, address: null, accounts: [] }),
  );
  contents.add('persons', { status: 200, body, reason: '' });
  expect(contents.findings()).toMatchObject([
    {
      id: 'fields',
      seen: '/persons person never has email, emailConfirmation, phone, phoneConfirmation, name, document, status, onboardingStep; it has the undocumented (a name not shown), nome',
      there: 'send them under their documented names',
    },
  ]);
});

test('lists that are nested deeply are no finding of their own', () => {
  const contents = new Contents(null);
  const accounts = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const body = Buffer.from(`{"person": null, "accounts": ${accounts}}`);
  contents.add('persons', { status: 200, body, reason: '' });
  expect(contents.findings()).toMatchObject([
    { seen: '/persons accounts[]: list instead of object or list, in 1 of 1 objects' },
  ]);
});

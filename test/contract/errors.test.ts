// Error codes: src/errors.ts has the codes and statuses that are listed here, and answers have the right code and
// status. Errors quote no token. With INTROSPECTION=off, introspection is rejected, and errors suggest no names.
import { beforeAll, describe, expect, test, afterAll } from 'vitest';
import { errorKinds } from '../../src/errors.ts';
import { gatewayOfFile } from '../support/fixtures.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { ask, codesOf, query } from '../support/query.ts';

/** Errors found before execution (docs/errors.md): code and status. */
const beforeExecution: Readonly<Record<string, number>> = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  TENANT_REQUIRED: 400,
  OPERATION_TOO_COMPLEX: 400,
  PERSISTED_QUERY_REQUIRED: 400,
  RATE_LIMITED: 429,
  OVERLOADED: 503,
  SHUTTING_DOWN: 503,
  GRAPHQL_PARSE_FAILED: 400,
  GRAPHQL_VALIDATION_FAILED: 400,
  BAD_USER_INPUT: 400,
  PERSISTED_QUERY_NOT_FOUND: 200,
  // Before execution, this code occurs only if the key set cannot be read; see docs/identity.md.
  UPSTREAM_UNAVAILABLE: 503,
};

/** Errors found during execution (docs/errors.md): the status is always 200. */
const duringExecution = [
  'BAD_USER_INPUT',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'NOT_FOUND',
  'RATE_LIMITED',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_REJECTED',
  'UPSTREAM_CONTRACT_VIOLATION',
  'OPERATION_TOO_COMPLEX',
  'CURSOR_EXPIRED',
  'STATEMENT_UNSETTLED',
  'INTERNAL_SERVER_ERROR',
];

describe('the table of errors', () => {
  test('has the codes of the contract and BAD_REQUEST, and no others', () => {
    const codes = new Set([...Object.keys(beforeExecution), ...duringExecution, 'BAD_REQUEST']);
    expect(new Set(Object.keys(errorKinds))).toEqual(codes);
  });

  test.each(Object.entries(beforeExecution))('gives %s the status %d', (code, status) => {
    expect(errorKinds).toHaveProperty([code, 'status'], status);
  });
});

const gateway = await gatewayOfFile({ MAX_UPSTREAM_CALLS: '3' });

const plain = { accept: 'application/json' };
const graphql = { accept: 'application/graphql-response+json' };
const missing = '00000000-0000-4000-8000-000000000000';

describe('an operation that cannot be executed', () => {
  test.each([
    ['text that is not GraphQL', '{', {}, 'GRAPHQL_PARSE_FAILED'],
    ['an unknown field', '{ nothing }', {}, 'GRAPHQL_VALIDATION_FAILED'],
    ['a mutation', 'mutation { deposit }', {}, 'GRAPHQL_VALIDATION_FAILED'],
    ['a subscription', 'subscription { deposits }', {}, 'GRAPHQL_VALIDATION_FAILED'],
    [
      'an invalid literal',
      '{ transactions(accountId: "x", from: "x") { totalCount } }',
      {},
      'GRAPHQL_VALIDATION_FAILED',
    ],
    ['@defer', '{ ... @defer { accounts { id } } }', {}, 'GRAPHQL_VALIDATION_FAILED'],
    [
      'an unknown operationName',
      'query A { __typename }',
      { operationName: 'B' },
      'GRAPHQL_VALIDATION_FAILED',
    ],
    [
      'two operations and no operationName',
      'query A { __typename } query B { __typename }',
      {},
      'GRAPHQL_VALIDATION_FAILED',
    ],
    [
      'an invalid variable',
      'query ($id: ID!) { account(id: $id) { id } }',
      { variables: { id: {} } },
      'BAD_USER_INPUT',
    ],
    ['a missing variable', 'query ($id: ID!) { account(id: $id) { id } }', {}, 'BAD_USER_INPUT'],
    [
      'an invalid date',
      'query ($d: Date) { transactions(accountId: "x", from: $d) { totalCount } }',
      { variables: { d: '2026-02-30' } },
      'BAD_USER_INPUT',
    ],
  ])(
    'gets status 400, or 200 under application/json: %s',
    async (_name, document, question, code) => {
      for (const [headers, status] of [
        [plain, 200],
        [graphql, 400],
      ] as const) {
        const answer = await query(gateway, document, { ...question, headers });
        expect(answer.status).toBe(status);
        expect(codesOf(answer)).toEqual([code]);
        expect(answer.data).toBeUndefined();
      }
      expect(gateway.bank.calls()).toEqual([]);
    },
  );
});

test.each([
  ['an unknown operationName', 'query A { __typename }', { operationName: 'B' }],
  ['two operations and no operationName', 'query A { __typename } query B { __typename }', {}],
])('the message for %s asks for the name of an operation', async (_name, document, question) => {
  const { errors } = await query(gateway, document, question);
  expect(errors?.[0]?.message).toBe('The request must name an operation of its document.');
});

describe('an operation that is too complex', () => {
  const deep = (levels: number) => `${'{ a '.repeat(levels)}${'}'.repeat(levels)}`;

  test.each([
    ['16 levels', deep(16)],
    ['2,400 levels', deep(2400)],
    ['31 aliases', `{ ${Array.from({ length: 31 }, (_, i) => `a${i}: __typename`).join(' ')} }`],
    ['5,000 fields', `{ ${'__typename '.repeat(5000)} }`],
    ['5,001 comments', `${'#\n'.repeat(5001)}{ __typename }`],
    ['51 directives', `{ __typename ${'@include(if: true) '.repeat(51)} }`],
    ['16 levels in a fragment', `{ ...F } fragment F on Query ${deep(16)}`],
  ])('gets status 400 under both media types: %s', async (_name, document) => {
    for (const headers of [plain, graphql]) {
      const answer = await query(gateway, document, { headers });
      expect(answer.status).toBe(400);
      expect(codesOf(answer)).toEqual(['OPERATION_TOO_COMPLEX']);
      expect(answer.data).toBeUndefined();
    }
  });

  test('gets status 400 over GET too, even without a caller', async () => {
    const search = `?query=${encodeURIComponent(deep(16))}`;
    const headers = { 'apollo-require-preflight': 'true' };
    const answer = await ask(`${gateway.url}/graphql${search}`, { headers });
    expect([answer.status, codesOf(answer)]).toEqual([400, ['OPERATION_TOO_COMPLEX']]);
  });
});

describe('an invalid value', () => {
  test.each([
    [
      'null for an argument',
      'query ($id: ID = "x") { account(id: $id) { id } }',
      { id: null },
      ['BAD_USER_INPUT'],
    ],
    [
      'null for @include',
      'query ($on: Boolean = true) { accounts { id @include(if: $on) } }',
      { on: null },
      ['BAD_USER_INPUT'],
    ],
    [
      'null for @skip at the root',
      'query ($on: Boolean = true) { accounts @skip(if: $on) { id } }',
      { on: null },
      ['BAD_USER_INPUT'],
    ],
  ])(
    'fails with BAD_USER_INPUT even if graphql-js rejects it only during execution: %s',
    async (_name, document, variables, codes) => {
      const answer = await query(gateway, document, { variables });
      expect(answer.status).toBe(200);
      expect([...new Set(codesOf(answer))]).toEqual(codes);
    },
  );

  test('fails with BAD_USER_INPUT even if an operation has more invalid values than graphql-js reports', async () => {
    const document = 'query ($all: [_Any!]!) { _entities(representations: $all) { __typename } }';
    const variables = { all: Array.from({ length: 60 }, () => null) };
    const answer = await query(gateway, document, { variables, headers: graphql });
    expect(answer.status).toBe(400);
    expect(new Set(codesOf(answer))).toEqual(new Set(['BAD_USER_INPUT']));
  });
});

describe('an error during execution', () => {
  const accountId = () => gateway.bank.holders[0]?.accounts[0] ?? '';
  const statement = (id: string, args = 'first: 1') =>
    `transactions(accountId: "${id}", ${args}) { totalCount }`;

  test.each([
    ['a malformed id', () => 'account(id: "x") { id }', 'BAD_USER_INPUT', 'account'],
    [
      'an argument out of range',
      () => statement(accountId(), 'first: 101'),
      'BAD_USER_INPUT',
      'transactions',
    ],
    [
      'an account that the service does not know',
      () => statement(missing),
      'NOT_FOUND',
      'transactions',
    ],
  ])(
    'has status 200 and a path, and the other fields are answered: %s',
    async (_name, field, code, path) => {
      const answer = await query(gateway, `{ __typename ${field()} }`);
      expect(answer.status).toBe(200);
      expect(answer.data).toEqual({ __typename: 'Query', [path]: null });
      expect(answer.errors).toMatchObject([{ path: [path], extensions: { code } }]);
    },
  );

  test.each([
    ['status 401', { kind: 'status', status: 401 }, { code: 'UNAUTHENTICATED' }],
    ['status 403', { kind: 'status', status: 403 }, { code: 'FORBIDDEN' }],
    [
      'status 429',
      { kind: 'status', status: 429, retryAfter: 7 },
      { code: 'RATE_LIMITED', retryAfter: 7 },
    ],
    ['status 500', { kind: 'status', status: 500 }, { code: 'UPSTREAM_UNAVAILABLE' }],
    ['status 409', { kind: 'status', status: 409 }, { code: 'UPSTREAM_REJECTED' }],
    ['an HTML page', { kind: 'html' }, { code: 'UPSTREAM_CONTRACT_VIOLATION' }],
    ['a connection reset', { kind: 'reset' }, { code: 'UPSTREAM_UNAVAILABLE' }],
  ] as const)(
    'has status 200 and a path, and the other fields are answered: %s from the service',
    async (_name, fault, extensions) => {
      gateway.bank.addFault({ ...fault, match: { route: 'transactions' } });
      const answer = await query(gateway, `{ accounts { id } ${statement(accountId())} }`);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('www-authenticate')).toBeNull();
      expect(answer.headers.get('retry-after')).toBeNull();
      expect(answer.data).toMatchObject({
        accounts: expect.any(Array) as unknown,
        transactions: null,
      });
      expect(answer.errors).toHaveLength(1);
      expect(answer.errors?.[0]).toMatchObject({ path: ['transactions'], extensions });
      expect(answer.text).not.toContain(gateway.bank.secretMark);
    },
  );

  test('has status 200 if the operation exceeds MAX_UPSTREAM_CALLS', async () => {
    const all = Array.from(
      { length: 4 },
      (_, i) => `a${i}: ${statement(gateway.bank.holders[0]?.accounts[i] ?? '')}`,
    );
    const answer = await query(gateway, `{ ${all.join(' ')} }`);
    expect(answer.status).toBe(200);
    expect(codesOf(answer)).toEqual(['OPERATION_TOO_COMPLEX']);
    expect(gateway.bank.calls()).toHaveLength(3);
  });
});

describe('a token in the operation or its variables', () => {
  const token = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
  const spaced = [
    ' {"alg":"HS256"}',
    '{ "sub":"someone"}',
    'a signature that has 256 bits, '.padEnd(32),
  ]
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');
  const dated = 'query ($day: Date) { transactions(accountId: "x", from: $day) { totalCount } }';
  const byId = 'query ($id: ID!) { account(id: $id) { id } }';

  test.each([
    ['a variable', dated, { day: token }],
    ['a member of a variable', byId, { id: { [token]: [`Bearer ${token}`] } }],
    ['a literal', `{ me @skip(if: "${token}") { __typename } }`, {}],
    ['a text that cannot be parsed', `{ "${token}" }`, {}],
    ['the name of a field', `{ ${token.slice(0, 20)} }`, {}],
    ['a variable, if the JSON of the token starts with white space', dated, { day: spaced }],
  ])('is not quoted by the error: %s', async (_where, document, variables) => {
    const answer = await query(gateway, document, { variables });
    expect(answer.errors?.[0]?.message).toContain('[redacted]');
    for (const part of `${token}.${spaced}`.split('.')) {
      expect(answer.text).not.toContain(part.slice(0, 20));
    }
  });
});

describe('entity references', () => {
  const document = 'query ($all: [_Any!]!) { _entities(representations: $all) { __typename } }';

  test('resolve to null, with one error for all, if they are malformed or of a type without a key; the others resolve', async () => {
    const [id] = gateway.bank.holders[0]?.accounts ?? [];
    const all = [
      { __typename: 'Query', id },
      { __typename: 'constructor', id },
      { __typename: 'Account', id },
      'x',
      { __typename: 'Account' },
    ];
    const answer = await query(gateway, document, { variables: { all } });
    expect(answer.data?.['_entities']).toEqual([null, null, { __typename: 'Account' }, null, null]);
    expect(answer.errors?.map(({ path }) => path?.[1])).toEqual([0]);
    expect(codesOf(answer)).toEqual(['BAD_USER_INPUT']);
  });
});

describe('with INTROSPECTION=off', () => {
  let hidden: TestGateway;
  beforeAll(async () => {
    hidden = await startTestGateway({ INTROSPECTION: 'off' }, { bank: gateway.bank });
  });
  afterAll(() => hidden.close());

  test.each([
    '{ __schema { types { name } } }',
    '{ __type(name: "Query") { name } }',
    '{ _service { sdl } }',
  ])('the query %s is rejected', async (document) => {
    expect(codesOf(await query(hidden, document))).toEqual(['GRAPHQL_VALIDATION_FAILED']);
    expect(codesOf(await query(gateway, document))).toEqual([]);
  });

  test.each([
    '{ account }',
    '{ acounts { id } }',
    '{ accounts { idd } }',
    'query ($a: Strin) { __typename }',
    '{ account(idd: "x") { id } }',
  ])('the error for %s suggests no names', async (document) => {
    const answer = await query(hidden, document);
    expect(answer.errors).toBeDefined();
    expect(answer.text).not.toContain('Did you mean');
  });
});

// Federation references: how many an operation may have, and their cost at the limit.
import { describe, expect, onTestFinished, test } from 'vitest';
import { targetsOf } from '../support/bank.ts';
import { expectRefusal } from '../support/attack.ts';
import { gatewayOfFile } from '../support/fixtures.ts';
import { startTestGateway } from '../support/gateway.ts';
import { startMeasuredGateway } from '../support/measured-gateway.ts';
import { type Answer, ask, callerHeaders, codesOf, firstHolder, post } from '../support/query.ts';

const gateway = await gatewayOfFile();
const headers = await callerHeaders(gateway.bank);

const tooComplex = { status: 400, code: 'OPERATION_TOO_COMPLEX' };
const one = 'query ($r: [_Any!]!) { _entities(representations: $r) { __typename } }';
const aliases = (count: number) =>
  Array.from({ length: count }, (_, i) => `a${i}: _entities(representations: $r) { __typename }`);
const anything = (count: number): unknown[] => Array.from({ length: count }, () => 1);

function send(query: string, variables: object = {}, at = gateway): Promise<Answer> {
  return post(at, JSON.stringify({ query, variables }), { headers });
}

describe('the references of an operation', () => {
  test.each<[string, string, object]>([
    ['500,000 in a variable', one, { r: anything(500_000) }],
    ['1,001 in a variable', one, { r: anything(1001) }],
    [
      '1,001 in a literal',
      `{ _entities(representations: [${'1 '.repeat(1001)}]) { __typename } }`,
      {},
    ],
    [
      '1,001 in a default value',
      `query ($r: [_Any!]! = [${'1 '.repeat(1001)}]) { _entities(representations: $r) { __typename } }`,
      {},
    ],
    [
      '1,001 in the default value of a variable named like a property that every object has',
      `query ($toString: [_Any!]! = [${'1 '.repeat(1001)}]) { _entities(representations: $toString) { __typename } }`,
      {},
    ],
    ['30 aliases of 34', `query ($r: [_Any!]!) { ${aliases(30).join(' ')} }`, { r: anything(34) }],
    [
      '15 aliases of 34 in each of two fragments',
      `query ($r: [_Any!]!) { ...F ...G }
       fragment F on Query { ${aliases(15).join(' ')} }
       fragment G on Query { ${aliases(30).slice(15).join(' ')} }`,
      { r: anything(34) },
    ],
    [
      '1,001 in nested fragments',
      'query ($r: [_Any!]!) { ... { ...F } } fragment F on Query { ...G } fragment G on Query { _entities(representations: $r) { __typename } }',
      { r: anything(1001) },
    ],
  ])(
    'are rejected before execution if there are more than MAX_REPRESENTATIONS: %s',
    async (_name, document, variables) => {
      await expectRefusal(gateway, tooComplex, () => send(document, variables));
      // The same request is sent again, now that the operation text is cached.
      await expectRefusal(gateway, tooComplex, () => send(document, variables));
    },
  );

  test('are rejected before execution if a GET has 3,001 of them', async () => {
    const search = new URLSearchParams({ query: one, variables: `{"r":[${'1,'.repeat(3000)}1]}` });
    const url = `${gateway.url}/graphql?${search.toString()}`;
    await expectRefusal(gateway, tooComplex, () => ask(url, { headers }));
  });

  test.each([
    [
      'under one response key',
      'query ($r: [_Any!]!) { _entities(representations: $r) { __typename } _entities(representations: $r) { ... on Account { id } } }',
    ],
    [
      'in a fragment that is spread twice',
      'query ($r: [_Any!]!) { ...F ...F } fragment F on Query { _entities(representations: $r) { __typename } }',
    ],
  ])('count once if they are selected twice %s', async (_where, document) => {
    const { id } = firstHolder(gateway.bank);
    const r = Array.from({ length: 1000 }, () => ({ __typename: 'Account', id }));
    const answer = await send(document, { r });
    expect(answer.errors).toBeUndefined();
    expect(answer.data?.['_entities']).toHaveLength(1000);
    expect(codesOf(await send(document, { r: [...r, r[0]] }))).toEqual(['OPERATION_TOO_COMPLEX']);
  });

  test('are limited to two if MAX_REPRESENTATIONS is 2', async () => {
    await using strict = await startTestGateway(
      { MAX_REPRESENTATIONS: '2' },
      { bank: gateway.bank },
    );
    expect(codesOf(await send(one, { r: anything(3) }, strict))).toEqual(['OPERATION_TOO_COMPLEX']);
    expect(codesOf(await send(one, { r: anything(2) }, strict))).toEqual(['BAD_USER_INPUT']);
    const statements =
      'query ($r: [_Any!]!) { _entities(representations: $r) { ... on Account { transactions { totalCount } } } }';
    const [id] = firstHolder(gateway.bank).accounts;
    const account = { __typename: 'Account', id };
    const { data } = await send(statements, { r: [account, account] }, strict);
    expect(data?.['_entities']).toHaveLength(2);
  });
});

test('a request without a caller is rejected before references are counted', async () => {
  const answer = await post(
    gateway,
    JSON.stringify({ query: one, variables: { r: anything(1001) } }),
  );
  expect(codesOf(answer)).toEqual(['UNAUTHENTICATED']);
});

test('1,000 malformed references cause one error for each field with references', async () => {
  const halves =
    'query ($r: [_Any!]!) { a: _entities(representations: $r) { __typename } b: _entities(representations: $r) { __typename } }';
  const answer = await send(halves, { r: anything(500) });
  expect(codesOf(answer)).toEqual(['BAD_USER_INPUT', 'BAD_USER_INPUT']);
  expect(answer.text.length).toBeLessThan(10_000);
});

test.each([
  [1000, 1000],
  [1200, 999],
])(
  '%i references whose read fails cause at most 1,000 errors: %i at their paths, and one that states that there are more',
  async (count, listed) => {
    await using failing = await startTestGateway({ MAX_REPRESENTATIONS: String(count) });
    failing.bank.addFault({ kind: 'status', status: 500 });
    const { id } = firstHolder(gateway.bank);
    const r = Array.from({ length: count }, () => ({ __typename: 'Account', id }));
    const answer = await send(one, { r }, failing);
    expect(answer.data).toEqual({ _entities: r.map(() => null) });
    const places = answer.errors?.slice(0, listed).map(({ path }) => path);
    expect(places).toEqual(Array.from({ length: listed }, (_, i) => ['_entities', i]));
    const others = answer.errors?.slice(listed).map(({ extensions }) => extensions);
    expect(others).toEqual(count > 1000 ? [{ code: 'OPERATION_TOO_COMPLEX' }] : []);
  },
);

test('1,000 references under 20 aliases need only one profile call', async () => {
  const { id, accounts } = firstHolder(gateway.bank);
  const own = [
    { __typename: 'Person', id },
    ...accounts.map((account) => ({ __typename: 'Account', id: account })),
  ];
  const r = Array.from({ length: 10 }, () => own).flat();
  gateway.bank.resetCalls();
  const answer = await send(`query ($r: [_Any!]!) { ${aliases(20).join(' ')} }`, { r });
  expect(answer.errors).toBeUndefined();
  expect(answer.data?.['a19']).toHaveLength(50);
  expect(targetsOf(gateway.bank)).toEqual(['/persons']);
});

test('1,000 references that share a long id fit into a heap of 256 MiB', async () => {
  const measured = await startMeasuredGateway(gateway.bank.url);
  onTestFinished(async () => {
    await measured.stop('SIGTERM');
  });
  const query = `query ($r: _Any!) { _entities(representations: [${'$r '.repeat(1000)}]) { __typename } }`;
  const r = { __typename: 'Account', id: 'X'.repeat(1_000_000) };
  const answer = await post(measured, JSON.stringify({ query, variables: { r } }), { headers });
  expect(answer.status).toBe(200);
  expect(answer.data?.['_entities']).toEqual(Array(1000).fill(null));
});

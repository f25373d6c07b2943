// Randomly mutated requests get well-formed answers. They never cause an internal error or end the process.
import fc from 'fast-check';
import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { errorKinds } from '../../src/errors.ts';
import { expectServing } from '../support/attack.ts';
import { meFields, transactionFields } from '../support/documents.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { retainedBytes } from '../support/memory.ts';
import { holds } from '../support/properties.ts';
import { type Answer, callerHeaders, firstHolder } from '../support/query.ts';
import { sendRaw } from '../support/raw.ts';
import { runs } from '../support/runs.ts';
import { askSlice } from '../support/slices.ts';
import { type Case, type Draft, mutatedRequests, toBytes } from './request-mutations.ts';

let gateway: TestGateway;
let drafts: readonly Draft[];
beforeAll(async () => {
  gateway = await startTestGateway({ LOG_LEVEL: 'error' });
  drafts = await goodRequests();
});
afterAll(() => gateway.close());

const slice = `query Slice($id: ID!, $first: Int, $after: String, $on: Boolean = true) {
  transactions(accountId: $id, first: $first, after: $after) {
    edges { cursor node @include(if: $on) { ${transactionFields} } } totalCount
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;
const reader = `query Me { me { ${meFields} } accounts { ...A } }
  fragment A on Account { id balance investmentAccount transactions(last: 2) { nodes { id } } }`;
const references = `query ($all: [_Any!]!) { _entities(representations: $all) {
  __typename ... on Account { id balance } ... on Person { id name } } }`;

/** The number of drafts that `mutatedRequests` draws from. */
const draftCount = 8;

async function goodRequests(): Promise<Draft[]> {
  const { id: holder, accounts, tenant } = firstHolder(gateway.bank);
  const [id = ''] = accounts;
  const cursor = (await askSlice(gateway, id, { first: 7 })).cursor(-1);
  const { authorization } = await callerHeaders(gateway.bank);
  const token = authorization.slice('Bearer '.length);
  const variables = JSON.stringify({ id, first: 5, after: cursor });
  const all = JSON.stringify({
    all: [
      { __typename: 'Account', id },
      { __typename: 'Person', id: holder },
      { __typename: 'Transaction', id },
    ],
  });
  const lines = [`x-tenant-id: ${tenant}`, 'Accept: application/json', 'x-request-id: one'];
  const strict = [`x-tenant-id: ${tenant}`, 'Accept: application/graphql-response+json'];
  const draft = { method: 'POST', lines, token, cursor, variables: '{}' } as const;
  return [
    { ...draft, query: slice, variables },
    { ...draft, query: slice, variables, lines: strict },
    { ...draft, query: slice, variables, method: 'GET' },
    { ...draft, query: reader },
    { ...draft, query: reader, method: 'GET' },
    { ...draft, query: references, variables: all },
    { ...draft, query: '{ __typename }', lines: [] },
    { ...draft, query: getIntrospectionQuery(), lines: strict },
  ];
}

const codes = new Set(Object.keys(errorKinds).filter((code) => code !== 'INTERNAL_SERVER_ERROR'));

/** Expects a GraphQL answer whose errors are well formed, or a 204. */
function expectWellFormed({ status, headers, text, data, errors }: Answer): void {
  expect([200, 204, 400, 401, 403, 404, 405, 406, 408, 413, 415, 417, 431]).toContain(status);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('vary')).toBe('accept, authorization, origin, x-tenant-id');
  if (status === 204) return;
  expect(headers.get('content-type'), text).toMatch(/json/);
  expect(errors === undefined ? typeof data : 'object', text).toBe('object');
  for (const { message, extensions } of errors ?? []) {
    expect(typeof message).toBe('string');
    expect(codes, text).toContain(extensions.code);
  }
  if (status !== 200) expect(errors?.length, text).toBeGreaterThan(0);
}

test('randomly mutated requests are all answered, and memory grows by less than 5 MB', async () => {
  const five = fc.array(mutatedRequests(draftCount), { minLength: 5, maxLength: 5 });
  const samples = 20;
  const sizes: number[] = [];
  let cases = 0;
  const answerWell = async (requests: readonly Case[]) => {
    if (cases++ % Math.ceil(runs / samples) === 0) sizes.push(retainedBytes());
    gateway.bank.resetCalls();
    const sent = requests.map(({ draft, mutations }) =>
      sendRaw(gateway, toBytes(drafts[draft] as Draft, mutations)),
    );
    for (const answers of await Promise.all(sent)) {
      expect(answers.length).toBeGreaterThan(0);
      answers.forEach(expectWellFormed);
    }
  };
  // In the first round, the stores of callers and operation texts grow. The second round sends the same requests again.
  await holds(five, answerWell);
  sizes.length = 0;
  await holds(five, answerWell);
  expect(gateway.log).toEqual([]);
  await expectServing(gateway);
  const third = Math.floor(sizes.length / 3);
  const growth = median(sizes.slice(-third)) - median(sizes.slice(third, 2 * third));
  expect(growth, 'bytes more than before').toBeLessThan(5_000_000);
});

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}

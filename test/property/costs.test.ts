// The weight of an operation in schema/subgraph-cost.graphql, calculated as routers do, is at least 20 times the number
// of calls that the operation makes. This holds if the service's pages have 20 rows, the statement changes only by
// arrivals, and the holder has no more accounts than @listSize assumes. If a router limits the weight to 20 *
// MAX_UPSTREAM_CALLS, an operation that the router admits then does not exceed MAX_UPSTREAM_CALLS.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { buildSchema, parse } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { holds } from '../support/properties.ts';
import { callerHeaders, query } from '../support/query.ts';
import { runs } from '../support/runs.ts';
import { askSlice } from '../support/slices.ts';
import { formulas, priceOf } from './cost-model.ts';
import { type Names, operations } from './operation-model.ts';

const schema = buildSchema(readFileSync('schema/subgraph-cost.graphql', 'utf8'), {
  // The SDL uses federation directives such as @cost, which only their specifications define.
  assumeValidSDL: true,
});

/** The weight of one call. */
const callWeight = 20;
/** The assumedSize of `accounts` in @listSize. */
const accountCount = 5;

let gateway: TestGateway;
let names: Names;
let holders: ReturnType<TestGateway['bank']['addHolder']>[];
beforeAll(async () => {
  gateway = await startTestGateway({
    NODE_ENV: 'production',
    LOG_LEVEL: 'error',
    SHUTDOWN_DELAY_MS: '0',
    ...{ MAX_ALIASES: '1000', MAX_DEPTH: '100', MAX_TOKENS: '100000' },
    MAX_UPSTREAM_CALLS: '100000',
  });
  const { bank } = gateway;
  const accounts = Array.from({ length: accountCount }, (_, k) => ({ transactions: 211 + 17 * k }));
  holders = [
    bank.addHolder({ kind: 'PERSON', accounts }),
    bank.addHolder({ kind: 'COMPANY', accounts: [{ transactions: 150 }, { transactions: 0 }] }),
  ];
  const [person] = holders;
  const [id = ''] = person?.accounts ?? [];
  const { cursor } = await askSlice(gateway, id, { first: 57 }, await callerHeaders(bank, person));
  names = {
    accounts: holders.flatMap((holder) => holder.accounts),
    cursors: [cursor(0), cursor(19), cursor(33), cursor(-1)],
  };
});
afterAll(() => gateway.close());

test('for holders with up to five accounts, the weight of an operation by every cost formula is at least 20 times its number of upstream calls', async () => {
  const cases = fc.record({
    operation: operations(schema, names),
    holder: fc.nat(1),
    /** The first operation with a token that does not name the kind of its holder may make one more call. */
    claims: fc.constantFrom({}, { entityType: undefined }),
    arrivals: fc.constantFrom(0, 0, 0, 1, 3, 20),
  });
  let calls = 0;
  let dearest = 0;
  let number = 0;
  // With fewer cases, there might be no operation with more than ten calls.
  const numRuns = Math.max(runs, 250);
  await holds(
    cases,
    async ({ operation, holder, claims, arrivals }) => {
      const { bank } = gateway;
      bank.arrive(names.accounts[0] ?? '', arrivals);
      const headers = await callerHeaders(bank, holders[holder], { ...claims, jti: `${number++}` });
      bank.resetCalls();
      await query(gateway, operation.query, { variables: operation.variables, headers });
      const made = bank.calls().length;
      calls += made;
      dearest = Math.max(dearest, made);
      const document = parse(operation.query);
      // The variables as sent, without undefined ones.
      const variables = JSON.parse(
        JSON.stringify(operation.variables),
      ) as typeof operation.variables;
      for (const formula of formulas) {
        const price = priceOf(formula, schema, document, variables);
        expect(price, `${formula.name}: ${made} calls`).toBeGreaterThanOrEqual(callWeight * made);
      }
    },
    numRuns,
  );
  // If no operation made calls, nothing would have been compared.
  expect(calls).toBeGreaterThan(0);
  expect(dearest).toBeGreaterThan(10);
});

/** Operations on accounts with more than 100 rows, and the number of calls that each operation makes. */
test.each<[operation: string, calls: number]>([
  ['transactions(accountId: $id, first: 100) { pageInfo { hasNextPage } }', 5],
  ['transactions(accountId: $id, first: 100) { edges { __typename } }', 5],
  ['transactions(accountId: $id, first: 100) { nodes { __typename } }', 5],
  ['transactions(accountId: $id, first: 81) { nodes { id } }', 5],
  ['transactions(accountId: $id, last: 100) { pageInfo { hasNextPage } }', 7],
  ['transactions(accountId: $id, first: 100, after: $cursor) { pageInfo { hasNextPage } }', 6],
  ['transactions(accountId: $id, first: 100) { __typename }', 1],
  ['accounts { transactions(first: 100) { edges { cursor } } }', 26],
  ['me { ... on AccountHolder { accounts { transactions { nodes { id } } } } }', 6],
  ['a: account(id: $id) { transactions(last: 22) { nodes { id } } }', 5],
])(
  '%s makes %d upstream calls, and has a weight of at least 20 for each',
  async (selection, calls) => {
    const { bank } = gateway;
    const [holder] = holders;
    const [id = ''] = holder?.accounts ?? [];
    // The last page has only one row, so that a slice from the end needs one more page.
    for (const account of holder?.accounts ?? []) bank.setStatement(account, 241);
    const headers = await callerHeaders(bank, holder);
    const { cursor } = await askSlice(gateway, id, { first: 30 }, headers);
    const definitions = ['$id: ID!', '$cursor: String'].filter((definition) =>
      selection.includes(definition.split(':')[0] ?? ''),
    );
    const head = definitions.length === 0 ? '' : `(${definitions.join(', ')})`;
    const text = `query Tight${head} { ${selection} }`;
    const variables = { id, cursor: cursor(-1) };
    bank.resetCalls();
    const { errors } = await query(gateway, text, { variables, headers });
    expect(errors).toBeUndefined();
    expect(bank.calls()).toHaveLength(calls);
    for (const formula of formulas) {
      expect(priceOf(formula, schema, parse(text), variables), formula.name).toBeGreaterThanOrEqual(
        callWeight * calls,
      );
    }
  },
);

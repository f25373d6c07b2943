// A subgraph with a field that requires a slice of a statement, on two routers, as docs/federation.md describes.
import { readFileSync } from 'node:fs';
import { parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AccountProcess, startAccount } from '../account.ts';
import { startApolloGateway } from '../routers/apollo-gateway.ts';
import type { Router } from '../routers/forwarded.ts';
import { startHive } from '../routers/hive.ts';
import { startSubgraph, type Subgraph, type SubgraphParts } from '../subgraphs/subgraph.ts';
import { accountSdl, compose } from '../supergraph.ts';
import { controlBank, type Holder } from './bank.ts';

interface Slice {
  readonly nodes: readonly { readonly id: string }[];
}

/** Counts the rows of the slice that the router sends for the field `required`. */
const ratings = {
  name: 'ratings',
  typeDefs: parse(`extend schema
    @link(url: "https://specs.apollo.dev/federation/v2.5", import: ["@key", "@external", "@requires"])
  scalar Date
  type Transaction @key(fields: "id", resolvable: false) { id: ID! }
  type TransactionConnection { nodes: [Transaction]! @external }
  type Account @key(fields: "id") {
    id: ID!
    transactions(
      from: Date, to: Date, first: Int, after: String, last: Int, before: String
    ): TransactionConnection @external
    required: Int @requires(fields: "transactions(first: 1) { nodes { id } }")
  }`),
  resolvers: {
    Account: {
      __resolveReference: ({ id, transactions }: { id: string; transactions: Slice }) => ({
        id,
        required: transactions.nodes.length,
      }),
    },
  },
} satisfies SubgraphParts;

let account: AccountProcess;
let holder: Holder;
let graph: Subgraph;
let supergraph: string;
beforeAll(async () => {
  account = await startAccount({ PORT: '0', ADMIN_PORT: '0' });
  const [first] = await controlBank(account.bankUrl).holders();
  holder = first ?? expect.unreachable();
  graph = await startSubgraph(ratings);
  supergraph = compose({
    account: { url: account.url, typeDefs: parse(readFileSync(accountSdl.plain, 'utf8')) },
    ratings: { url: graph.url, typeDefs: ratings.typeDefs },
  });
});
afterAll(async () => {
  for (const part of [graph, account]) await part[Symbol.asyncDispose]();
});

interface Seen {
  readonly required: number;
  readonly transactions?: Slice;
  readonly own?: Slice;
}

/** The first account's `required`, and the number of rows in the client's own slice. */
async function ask({ url }: Router, slice: string): Promise<{ required: number; own: number }> {
  const answer = await fetch(url, {
    method: 'POST',
    body: JSON.stringify({
      query: `{ accounts { id ${slice}(first: 3) { nodes { id } } required } }`,
    }),
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${holder.token}`,
      'x-tenant-id': holder.tenant,
    },
  });
  const { data } = (await answer.json()) as { data: { accounts: readonly Seen[] } };
  const [{ required, transactions, own = transactions } = expect.unreachable()] = data.accounts;
  return { required, own: own?.nodes.length ?? expect.unreachable() };
}

describe.each([
  ['Hive Gateway', startHive, 1],
  // It sends only one of the two slices to account-bff.
  ['@apollo/gateway', startApolloGateway, 3],
] as const)('%s', (_name, startRouter, required) => {
  test(`passes a slice of ${required} on to the subgraph that requires a slice of 1, if the client selects a slice of 3`, async () => {
    await using router = await startRouter(supergraph);
    expect(await ask(router, 'transactions')).toEqual({ required, own: 3 });
  });

  test('keeps both slices if the client uses an alias', async () => {
    await using router = await startRouter(supergraph);
    expect(await ask(router, 'own: transactions')).toEqual({ required: 1, own: 3 });
  });
});

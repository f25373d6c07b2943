// Demand control by Hive Gateway with schema/subgraph-cost.graphql: account-bff never rejects an admitted operation
// because of its number of calls.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AccountProcess, startAccount } from '../account.ts';
import type { Router } from '../routers/forwarded.ts';
import { startHive } from '../routers/hive.ts';
import { cards } from '../subgraphs/cards.ts';
import { insights } from '../subgraphs/insights.ts';
import { startSubgraph, type Subgraph } from '../subgraphs/subgraph.ts';
import { composeSupergraph } from '../supergraph.ts';
import { type BankControl, controlBank, type Holder } from './bank.ts';

/** The weight of a call to the account service. */
const callWeight = 20;

let account: AccountProcess;
let parts: Subgraph[];
let router: Router;
let measuring: Router;
let bank: BankControl;
let holder: Holder;
beforeAll(async () => {
  account = await startAccount({ PORT: '0', ADMIN_PORT: '0' });
  bank = controlBank(account.bankUrl);
  const accounts = Array.from({ length: 5 }, () => ({ transactions: 241 }));
  const { id } = await bank.addHolder({ kind: 'PERSON', tenant: 'north', accounts });
  const found = (await bank.holders()).find((one) => one.id === id);
  if (found === undefined) throw new Error('the bank did not take the holder');
  holder = found;
  parts = [await startSubgraph(cards), await startSubgraph(insights)];
  const [cardsGraph, insightsGraph] = parts;
  const supergraph = composeSupergraph({
    account: account.url,
    cards: cardsGraph?.url ?? '',
    insights: insightsGraph?.url ?? '',
  });
  router = await startHive(supergraph);
  const demandControl = { listSize: 5, includeExtensionMetadata: true };
  measuring = await startHive(supergraph, 0, { demandControl });
});
afterAll(async () => {
  for (const part of [router, measuring, ...parts, account]) await part[Symbol.asyncDispose]();
});
beforeEach(() => bank.forgetCalls());

interface Answer {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly { readonly extensions: { readonly code: string } }[];
  readonly extensions?: { readonly cost: { readonly estimated: number } };
}

async function ask(url: string, query: string): Promise<Answer> {
  const ids = holder.accounts.map(({ id }) => id);
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${holder.token}`,
      'x-tenant-id': holder.tenant,
    },
    body: JSON.stringify({ query, variables: { id: ids[0], ids } }),
  });
  return (await answer.json()) as Answer;
}

const codesOf = ({ errors = [] }: Answer) => errors.map(({ extensions }) => extensions.code);

describe('the estimated cost covers the calls made', () => {
  test.each([
    '{ me { ... on AccountHolder { name } } }',
    '{ accounts { balance } }',
    '{ accounts { transactions { nodes { amount } } } }',
    '{ accounts { transactions(first: 100) { pageInfo { hasNextPage } } } }',
    '{ accounts { transactions(last: 100) { edges { cursor } } } }',
    'query Q($id: ID!) { account(id: $id) { transactions(last: 22) { totalCount nodes { id } } } }',
    'query Q($id: ID!, $n: Int = 100) { transactions(accountId: $id, first: $n) { nodes { id } } }',
    `query Q($id: ID!) { a: transactions(accountId: $id, first: 100) { ...Rows }
       b: transactions(accountId: $id, last: 100) { ...Rows } }
     fragment Rows on TransactionConnection { edges { node { id } } }`,
    `query Q($id: ID!) { transactions(accountId: $id, first: 81) {
       x: edges { cursor } y: edges { node { id } } z: nodes { id } } }`,
  ])('%s', async (document) => {
    const { errors, extensions } = await ask(measuring.url, document);
    expect(errors).toBeUndefined();
    const calls = await bank.calls();
    expect(calls.length).toBeGreaterThan(0);
    expect(extensions?.cost.estimated).toBeGreaterThanOrEqual(callWeight * calls.length);
  });
});

describe('with the configured limit', () => {
  const aliases = (count: number, field: string) =>
    Array.from({ length: count }, (_, k) => `a${k}: ${field}`).join(' ');
  const slice = (from: string) =>
    `transactions(accountId: $id, from: "${from}", first: 100) { nodes { id } }`;

  test('an operation that account-bff would refuse for its calls is refused before it is sent', async () => {
    const fields = Array.from({ length: 12 }, (_, k) => `a${k}: ${slice(`2020-01-${10 + k}`)}`);
    const document = `query Q($id: ID!) { ${fields.join(' ')} }`;
    expect(codesOf(await ask(account.url, document))).toContain('OPERATION_TOO_COMPLEX');
    await bank.forgetCalls();
    const refused = await ask(router.url, document);
    expect(new Set(codesOf(refused))).toEqual(new Set(['COST_ESTIMATED_TOO_EXPENSIVE']));
    expect(await bank.calls()).toEqual([]);
  });

  test('the operation of an app is admitted', async () => {
    const document = `query App($id: ID!) {
      me { ... on AccountHolder { name } }
      accounts { id balance transactions(first: 20) { edges { node { id signedAmount } } } }
      transactions(accountId: $id, first: 20) { totalCount nodes { id } pageInfo { endCursor } }
      ${aliases(3, 'accounts { id }')}
    }`;
    expect((await ask(router.url, document)).errors).toBeUndefined();
  });

  // Hive Gateway counts the weight of one reference, however many references a request has.
  test('references that cost too many calls are refused by account-bff itself', async () => {
    const fields = [0, 1].map(
      (k) => `a${k}: ${slice(`2020-01-1${k}`).replace('accountId: $id, ', '')}`,
    );
    const document = `query Q($ids: [ID!]!) { cards(accountIds: $ids) { account { ${fields.join(' ')} } } }`;
    const { data, ...rest } = await ask(router.url, document);
    expect(data).toMatchObject({ cards: expect.any(Array) as unknown });
    expect(new Set(codesOf(rest))).toEqual(new Set(['OPERATION_TOO_COMPLEX']));
    expect((await bank.calls()).length).toBeLessThanOrEqual(50);
  });
});

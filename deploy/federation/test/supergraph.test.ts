// The supergraph on two routers: the calls to the account service, the errors, and the headers that subgraphs receive.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AccountProcess, startAccount } from '../account.ts';
import { startApolloGateway } from '../routers/apollo-gateway.ts';
import { forwardedHeaders, type Router } from '../routers/forwarded.ts';
import { startHive } from '../routers/hive.ts';
import { cards } from '../subgraphs/cards.ts';
import { insights } from '../subgraphs/insights.ts';
import { startSubgraph, type Subgraph } from '../subgraphs/subgraph.ts';
import { composeSupergraph } from '../supergraph.ts';
import { type BankControl, controlBank, type Holder } from './bank.ts';

let account: AccountProcess;
let bank: BankControl;
let person: Holder;
let company: Holder;
let cardsGraph: Subgraph;
let insightsGraph: Subgraph;
let supergraph: string;
beforeAll(async () => {
  account = await startAccount({ PORT: '0', ADMIN_PORT: '0' });
  bank = controlBank(account.bankUrl);
  const holders = await bank.holders();
  person = firstOf(holders, 'PERSON');
  company = firstOf(holders, 'COMPANY');
  cardsGraph = await startSubgraph(cards);
  insightsGraph = await startSubgraph(insights);
  supergraph = composeSupergraph(urlsWith(cardsGraph.url));
});
afterAll(async () => {
  for (const part of [cardsGraph, insightsGraph, account]) await part[Symbol.asyncDispose]();
});
beforeEach(() => bank.reset());

function urlsWith(cardsUrl: string) {
  return { account: account.url, cards: cardsUrl, insights: insightsGraph.url };
}

function firstOf(holders: readonly Holder[], kind: Holder['kind']): Holder {
  const found = holders.find((holder) => holder.kind === kind);
  if (found === undefined) throw new Error(`the bank has no ${kind}`);
  return found;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly path?: readonly unknown[];
    readonly extensions: Readonly<Record<string, unknown>>;
  }[];
}

/** Sends an operation as the bank's first person; `headers` add to the default ones, or replace them. */
async function ask(
  url: string,
  query: string,
  headers: Readonly<Record<string, string>> = {},
  variables: Readonly<Record<string, unknown>> = {},
): Promise<Answer> {
  const answer = await fetch(url, {
    method: 'POST',
    body: JSON.stringify({ query, variables }),
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${person.token}`,
      'x-tenant-id': person.tenant,
      ...headers,
    },
  });
  const text = await answer.text();
  return { status: answer.status, text, ...(JSON.parse(text) as Omit<Answer, 'status' | 'text'>) };
}

async function targets(): Promise<string[]> {
  return (await bank.calls()).map(({ target }) => target).sort();
}

describe.each([
  ['Hive Gateway', startHive],
  ['@apollo/gateway', startApolloGateway],
])('%s', (_name, startRouter) => {
  let router: Router;
  beforeAll(async () => {
    router = await startRouter(supergraph);
  });
  afterAll(() => router[Symbol.asyncDispose]());

  const askRouter = (
    query: string,
    headers?: Readonly<Record<string, string>>,
    variables?: Readonly<Record<string, unknown>>,
  ) => ask(router.url, query, headers, variables);

  test('joins three subgraphs with as many calls as account-bff alone makes', async () => {
    const own = 'id balance transactions(first: 5) { nodes { id category beneficiaryName } }';
    const direct = await ask(account.url, `{ accounts { ${own} } }`);
    const calls = await targets();
    await bank.forgetCalls();
    const answer = await askRouter(
      `{ accounts { id balance cards { lastDigits }
         transactions(first: 5) { nodes { id category beneficiaryName insight { topic text } } } } }`,
    );
    expect(answer.errors).toBeUndefined();
    expect(await targets()).toEqual(calls);
    expect(calls).toHaveLength(5);
    const accounts = answer.data?.['accounts'] as readonly SeenAccount[];
    expect(accounts.map(({ cards }) => cards.length)).toEqual([2, 2, 2, 2]);
    const rows = accounts.flatMap(({ transactions }) => transactions.nodes);
    expect(rows).toHaveLength(15);
    for (const { beneficiaryName, insight } of rows) {
      expect(insight.text.endsWith(`: ${beneficiaryName}`)).toBe(true);
    }
    expect(withoutAdditions(accounts)).toEqual(direct.data?.['accounts']);
  });

  test('resolves 200 references to accounts with one profile call', async () => {
    const ids = person.accounts.map(({ id }) => id);
    const accountIds = Array.from({ length: 25 }, () => ids).flat();
    const answer = await askRouter(
      'query Q($accountIds: [ID!]!) { cards(accountIds: $accountIds) { id account { id balance } } }',
      {},
      { accountIds },
    );
    expect(answer.errors).toBeUndefined();
    const seen = answer.data?.['cards'] as readonly { account: { id: string; balance: string } }[];
    expect(seen.map((card) => card.account.id)).toEqual(accountIds.flatMap((id) => [id, id]));
    expect(seen[0]?.account.balance).toBe('1523.40');
    expect(await targets()).toEqual(['/persons']);
  });

  test('shows only the id of an account that is not the caller’s', async () => {
    const [foreign] = company.accounts;
    const document = `{ cards(accountIds: ["${foreign?.id ?? ''}"]) { lastDigits account { id balance } } }`;
    const { data, errors } = await askRouter(document);
    expect(errors).toBeUndefined();
    const shown = { account: { id: foreign?.id, balance: null } };
    expect(data).toMatchObject({ cards: [shown, shown] });
  });

  test('passes on code and retryAfter, and answers the other fields', async () => {
    const [first] = person.accounts;
    await bank.addFault({
      kind: 'status',
      status: 429,
      retryAfter: 7,
      match: { accountId: first?.id },
    });
    const { status, data, errors } = await askRouter(
      '{ accounts { id cards { lastDigits } transactions(first: 1) { nodes { id insight { topic } } } } }',
    );
    expect(status).toBe(200);
    expect(errors).toHaveLength(1);
    expect(errors?.[0]).toMatchObject({
      path: ['accounts', 0, 'transactions'],
      extensions: { code: 'RATE_LIMITED', retryAfter: 7 },
    });
    const [limited, other] = data?.['accounts'] as readonly SeenAccount[];
    expect(limited).toMatchObject({ id: first?.id, transactions: null });
    expect(limited?.cards).toHaveLength(2);
    expect(other?.transactions.nodes[0]?.insight).toHaveProperty('topic');
  });

  test.each([
    ['UNAUTHENTICATED', { authorization: 'Bearer no-token' }],
    ['TENANT_REQUIRED', { 'x-tenant-id': 'no tenant' }],
  ])('keeps %s if account-bff refuses a request before it runs', async (code, headers) => {
    const { status, data, errors, text } = await askRouter('{ accounts { id } }', headers);
    expect(status).toBe(200);
    expect(data).toEqual({ accounts: null });
    expect(errors?.map(({ extensions }) => extensions['code'])).toEqual([code]);
    expect(text).not.toContain('127.0.0.1');
    expect(await targets()).toEqual([]);
  });

  test('answers the other fields if another subgraph is down', async () => {
    const gone = await startSubgraph(cards);
    await gone[Symbol.asyncDispose]();
    await using other = await startRouter(composeSupergraph(urlsWith(gone.url)));
    const { status, data, errors, text } = await ask(
      other.url,
      '{ accounts { balance cards { id } } }',
    );
    expect(status).toBe(200);
    expect(errors).not.toHaveLength(0);
    expect(text).not.toContain('127.0.0.1');
    expect(data).toMatchObject({ accounts: [{ balance: '1523.40', cards: null }, {}, {}, {}] });
  });

  test('passes the caller, the trace, the request id and the client app to every subgraph, but no cookie', async () => {
    const headers = {
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      tracestate: 'vendor=1',
      'x-request-id': 'from-the-client',
      'graphql-client-name': 'web',
      'graphql-client-version': '1.0.0',
      'apollographql-client-name': 'web',
      'apollographql-client-version': '1.0.0',
      cookie: 'session=1',
    };
    await askRouter('{ accounts { id cards { id } } }', headers);
    const [call] = await bank.calls();
    const seen = cardsGraph.requests.at(-1);
    expect(Object.keys(seen ?? {})).toEqual(expect.arrayContaining([...forwardedHeaders]));
    expect(seen).toMatchObject({
      authorization: `Bearer ${person.token}`,
      'x-request-id': 'from-the-client',
    });
    expect(seen).not.toHaveProperty('cookie');
    expect(call?.headers).toMatchObject({
      'x-request-id': 'from-the-client',
      tracestate: 'vendor=1',
    });
    expect(String(call?.headers['traceparent'])).toContain('4bf92f3577b34da6a3ce929d0e0e4736');
    expect(call?.headers).not.toHaveProperty('cookie');
  });
});

test.each([
  // It refers to each account once.
  ['Hive Gateway', startHive, null],
  // It repeats the reference for each card: 102 times `transactions` are more than account-bff resolves.
  ['@apollo/gateway', startApolloGateway, 'OPERATION_TOO_COMPLEX'],
] as const)(
  '%s: the statements of the accounts of 102 cards of one account',
  async (_name, startRouter, code) => {
    await using router = await startRouter(supergraph);
    const accountIds = Array<unknown>(51).fill(person.accounts[0]?.id);
    const { data, errors = [] } = await ask(
      router.url,
      'query Q($accountIds: [ID!]!) { cards(accountIds: $accountIds) { id account { id transactions(first: 1) { totalCount } } } }',
      {},
      { accountIds },
    );
    expect(errors.map(({ extensions }) => extensions['code'])).toEqual(code === null ? [] : [code]);
    const transactions = code === null ? { totalCount: 95 } : null;
    const { cards: seen } = data as { cards: readonly { account: object }[] };
    expect(seen).toHaveLength(102);
    for (const card of seen) expect(card.account).toMatchObject({ transactions });
  },
);

interface SeenAccount {
  readonly id: string;
  readonly cards: readonly unknown[];
  readonly transactions: {
    readonly nodes: readonly { readonly beneficiaryName: string; readonly insight: Insight }[];
  };
}

interface Insight {
  readonly topic: string;
  readonly text: string;
}

/** The accounts without the fields of other subgraphs. */
function withoutAdditions(accounts: readonly SeenAccount[]): unknown {
  const text = JSON.stringify(accounts, (key, value: unknown) =>
    key === 'cards' || key === 'insight' ? undefined : value,
  );
  return JSON.parse(text) as unknown;
}

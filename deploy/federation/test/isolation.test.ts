// Routers that join identical requests or store answers: 60 callers send the same request at once, and no caller gets
// data of another.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { unifiedGraphHandler } from '@graphql-hive/router-runtime';
import apolloResponseCache from '@apollo/server-plugin-response-cache';
import { useResponseCache } from '@graphql-yoga/plugin-response-cache';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AccountProcess, startAccount } from '../account.ts';
import { startApolloGateway } from '../routers/apollo-gateway.ts';
import { callerHeaders, type Router } from '../routers/forwarded.ts';
import { type HiveOptions, startHive } from '../routers/hive.ts';
import { cards } from '../subgraphs/cards.ts';
import { insights } from '../subgraphs/insights.ts';
import { startSubgraph, type Subgraph } from '../subgraphs/subgraph.ts';
import { composeSupergraph } from '../supergraph.ts';
import { type BankControl, controlBank } from './bank.ts';
import { startStitching } from './stitching.ts';

const callerCount = 60;
/** The number of requests: 300, or 3,000 in `npm run test:isolation`. */
const requestCount = Number(process.env['REQUESTS'] ?? 300);

/** One caller: its two headers, and account-bff's own answer to it. */
interface Asker {
  readonly headers: Readonly<Record<string, string>>;
  readonly own: string;
}

const documentWith = (cardFields: string) => `{
  me { ... on AccountHolder { id name document } }
  accounts { id balance ${cardFields} transactions(first: 2) { nodes { id signedAmount } } }
}`;
const document = documentWith('cards { lastDigits }');

let account: AccountProcess;
let bank: BankControl;
let parts: Subgraph[];
let supergraph: string;
let askers: readonly Asker[];
beforeAll(async () => {
  account = await startAccount({ PORT: '0', ADMIN_PORT: '0' });
  bank = controlBank(account.bankUrl);
  parts = [await startSubgraph(cards), await startSubgraph(insights)];
  const [cardsGraph, insightsGraph] = parts;
  supergraph = composeSupergraph({
    account: account.url,
    cards: cardsGraph?.url ?? '',
    insights: insightsGraph?.url ?? '',
  });
  askers = await makeAskers();
  // The bank answers with a delay, so that many requests of a caller are in progress at once, even on a busy machine.
  await bank.configure({ latencyMs: 300 });
});
afterAll(async () => {
  for (const part of [...parts, account]) await part[Symbol.asyncDispose]();
});

/**
 * Two thirds of the callers are holders in their own tenant. One third have a holder's token and the tenant of other
 * holders.
 */
async function makeAskers(): Promise<Asker[]> {
  const tenants = ['north', 'south', 'west'];
  const ids = new Set<string>();
  for (let k = 0; k < (callerCount * 2) / 3; k++) {
    const accounts = [{ transactions: 3 }, { transactions: 1 }];
    const kind = k % 2 === 0 ? 'COMPANY' : 'PERSON';
    const { id } = await bank.addHolder({ kind, tenant: tenants[k % 3] ?? '', accounts });
    ids.add(id);
  }
  const holders = (await bank.holders()).filter(({ id }) => ids.has(id));
  const pairs = holders.map(({ token, tenant }) => ({
    authorization: `Bearer ${token}`,
    'x-tenant-id': tenant,
  }));
  const crossed = pairs.slice(0, callerCount / 3).map((headers, k) => ({
    ...headers,
    'x-tenant-id': tenants[(k + 1) % 3] ?? '',
  }));
  return Promise.all(
    [...pairs, ...crossed].map(async (headers) => ({
      headers,
      own: dataOf(await send(account.url, headers, documentWith(''))),
    })),
  );
}

/** There are fewer sockets than a server's listen backlog holds; otherwise connections would be reset. */
const agent = new Agent({ keepAlive: true, maxSockets: 500 });

async function send(url: string, headers: Asker['headers'], query: string): Promise<string> {
  const method = 'POST';
  const all = { 'content-type': 'application/json', ...headers };
  const sent = request(url, { method, agent, headers: all }).end(JSON.stringify({ query }));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return text(response);
}

/** The data of an answer that comes from account-bff, without errors. */
function dataOf(answer: string): string {
  const { data } = JSON.parse(answer) as { data?: unknown };
  return JSON.stringify(data ?? { me: null, accounts: null }, (key, value: unknown) =>
    key === 'cards' ? undefined : value,
  );
}

interface Outcome {
  /** The number of answers with an id that is not the caller's. */
  readonly foreign: number;
  /** The number of answers with other or less data than account-bff itself gives the caller. */
  readonly other: number;
  /**
   * The number of requests from the router to the cards subgraph: one for each unshared answer to a caller with
   * accounts.
   */
  readonly asked: number;
}

function idsOf(data: string): string[] {
  return data.match(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g) ?? [];
}

/** Sends all requests at once, from each caller in turn. */
async function askAtOnce(router: Router): Promise<Outcome> {
  const before = parts[0]?.requests.length ?? 0;
  let foreign = 0;
  let other = 0;
  const asked = Array.from({ length: requestCount }, async (_, k) => {
    const asker = askers[k % askers.length];
    if (asker === undefined) throw new Error('nobody asks');
    const data = dataOf(await send(router.url, asker.headers, document));
    if (data === asker.own) return;
    if (idsOf(data).some((id) => !asker.own.includes(id))) foreign++;
    else other++;
  });
  await Promise.all(asked);
  return { foreign, other, asked: (parts[0]?.requests.length ?? 0) - before };
}

/** The key of a cache: a hash of the headers that determine whose data an answer contains. */
function sessionOf({
  headers,
}: {
  readonly headers: { get(name: string): string | null };
}): string {
  const key = JSON.stringify(callerHeaders.map((name) => headers.get(name)));
  return createHash('sha256').update(key).digest('hex');
}

/** The storage for Hive Gateway's answers, in which nothing expires. */
function createMemoryCache(): NonNullable<HiveOptions['cache']> {
  const entries = new Map<string, unknown>();
  return {
    get: (key) => entries.get(key),
    set: (key, value) => void entries.set(key, value),
    delete: (key) => entries.delete(key),
    getKeysByPrefix: (prefix) => [...entries.keys()].filter((key) => key.startsWith(prefix)),
  };
}

const ttl = 60_000;

/** A timeout long enough for a busy machine. */
const timeout = 60_000 + 200 * requestCount;
const nobody = () => null;

/** The last element states whether the router answers identical requests of one caller with one answer. */
const routers: readonly [name: string, start: () => Promise<Router>, sharesAnswers: boolean][] = [
  ['Hive Gateway', () => startHive(supergraph), true],
  [
    'Hive Gateway with the planner of Hive Router',
    () => startHive(supergraph, 0, { unifiedGraphHandler }),
    true,
  ],
  [
    'Hive Gateway with a response cache',
    () =>
      startHive(supergraph, 0, {
        cache: createMemoryCache(),
        responseCaching: { session: sessionOf, ttl },
      }),
    true,
  ],
  ['@apollo/gateway', () => startApolloGateway(supergraph), false],
  [
    '@apollo/gateway with a response cache',
    () =>
      startApolloGateway(supergraph, 0, [
        apolloResponseCache({
          sessionId: ({ request }) =>
            Promise.resolve(
              request.http
                ? sessionOf({ headers: { get: (name) => request.http?.headers.get(name) ?? null } })
                : null,
            ),
        }),
      ]),
    false,
  ],
  // By default, all callers share one session of this cache. It stores nothing, because the data source honours
  // no-store.
  [
    '@apollo/gateway with a response cache for all',
    () => startApolloGateway(supergraph, 0, [apolloResponseCache()]),
    false,
  ],
  ['Yoga over a stitched schema', () => startStitching(supergraph), false],
  [
    'Yoga over a stitched schema with a response cache',
    () => startStitching(supergraph, [useResponseCache({ session: sessionOf, ttl })]),
    true,
  ],
];

describe.each(routers)('%s', (_name, start, sharesAnswers) => {
  test(`gives none of ${callerCount} callers the data of another`, { timeout }, async () => {
    await using router = await start();
    const { foreign, other, asked } = await askAtOnce(router);
    expect(foreign).toBe(0);
    // On a busy machine, some requests are rejected with OVERLOADED.
    expect(other).toBeLessThan(requestCount / 10);
    // Two thirds of the callers have accounts. If the router asked the cards subgraph for each of their requests, it
    // shared no answers, and nothing was tested.
    if (sharesAnswers) expect(asked).toBeLessThan((requestCount * 2) / 3);
  });
});

// The router configurations do not use these unsafe settings. These tests show that the tests above would detect a
// leak.
describe.each<[name: string, start: () => Promise<Router>]>([
  [
    'Hive Gateway with joined requests of all callers',
    () =>
      startHive(supergraph, 0, {
        inboundInflightRequestDeduplication: { shouldIncludeHeader: () => false },
      }),
  ],
  [
    'Hive Gateway with a response cache for all',
    () =>
      startHive(supergraph, 0, {
        cache: createMemoryCache(),
        responseCaching: { session: nobody, ttl },
      }),
  ],
  [
    'Yoga with a response cache for all',
    () => startStitching(supergraph, [useResponseCache({ session: nobody, ttl })]),
  ],
])('%s', (_name, start) => {
  test('gives callers the data of others', { timeout }, async () => {
    await using router = await start();
    // A cache has answers only after the first round.
    const first = await askAtOnce(router);
    const second = await askAtOnce(router);
    expect(first.foreign + second.foreign).toBeGreaterThan(0);
  });
});

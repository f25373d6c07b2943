// What a gateway that soaks has to do: mixed operations, walks through a statement that moves, clients that leave, a
// service that fails now and then, and one that fails altogether.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bank } from '../../src/sandbox/bank-script.ts';
import type { FaultKind } from '../../src/sandbox/faults.ts';
import { connectionFields, meFields } from '../../test/support/documents.ts';
import { graphqlRequest, type LoadResult, runLoad } from '../../test/support/load.ts';
import { callerHeaders, firstHolder, query } from '../../test/support/query.ts';

/** Operations, steps of a walk and clients that leave, a second; connections that the operations have. */
export const rates = { operations: 80, steps: 5, leaving: 10, connections: 300 };

/** Every kind that the bank has, each for one in so many requests to it. */
const faults: readonly (readonly [FaultKind, oneIn: number])[] = [
  [{ kind: 'status', status: 503 }, 100],
  [{ kind: 'status', status: 500 }, 200],
  [{ kind: 'status', status: 429, retryAfter: 1 }, 200],
  [{ kind: 'status', status: 404 }, 200],
  [{ kind: 'reset' }, 100],
  [{ kind: 'cutBody' }, 200],
  [{ kind: 'hang' }, 200],
  [{ kind: 'hang', afterHalf: true }, 400],
  [{ kind: 'drip', bytes: 200, everyMs: 5 }, 200],
  [{ kind: 'delay', delayMs: 300 }, 100],
  [{ kind: 'html' }, 200],
  [{ kind: 'brokenJson' }, 200],
  [{ kind: 'wrongShape', pointer: '/data/0/amount', value: 'text' }, 100],
  [{ kind: 'wrongShape', pointer: '/pagination', remove: true }, 400],
  [{ kind: 'hugeBody', bytes: 5_000_000 }, 2000],
  [{ kind: 'redirect' }, 400],
  [{ kind: 'encoding' }, 400],
  [{ kind: 'nested', depth: 1000 }, 400],
  [{ kind: 'informational' }, 200],
];

/** An outage of each kind in turn: so long, and so long after the one before. */
const outages: readonly FaultKind[] = [
  { kind: 'status', status: 503 },
  { kind: 'reset' },
  { kind: 'hang' },
];
const outageMs = 6000;
const healthyMs = 14_000;

const profileDocuments = [
  '{ __typename }',
  `{ me { ${meFields} } }`,
  '{ me { __typename } accounts { id balance number status investmentAccount } }',
  '{ accounts { id transactions(first: 5) { nodes { id amount } } } }',
  '{ a: accounts { id } b: accounts { balance } me { ... on AccountHolder { accounts { id } } } }',
  '{ transactions(accountId: "none") { totalCount } }',
  '{ accounts { nothing } }',
  'mutation { nothing }',
  '{ accounts {',
];

const statementDocuments = (id: string) => [
  `{ transactions(accountId: "${id}") { ${connectionFields} } }`,
  `{ transactions(accountId: "${id}", first: 100) { nodes { id signedAmount } totalCount } }`,
  `{ transactions(accountId: "${id}", last: 20) { nodes { id } pageInfo { startCursor } } }`,
  `{ account(id: "${id}") { id transactions(from: "2026-01-01") { totalCount } } }`,
];

/** Each holder with several tokens, which the gateway is to keep apart. */
const tokensEach = 10;

/** Whole requests; two that follow each other are of different callers. */
async function requestsOf(bank: Bank): Promise<Buffer[]> {
  const requests: Buffer[] = [];
  for (let nth = 0; nth < tokensEach; nth++) {
    for (const holder of bank.holders) {
      const headers = await callerHeaders(bank, holder, { jti: String(nth) });
      const [account = ''] = holder.accounts;
      const documents = [...profileDocuments, ...statementDocuments(account)];
      requests.push(...documents.map((document) => graphqlRequest(document, headers)));
    }
  }
  const step = 47;
  return requests.map((_, index) => requests[(index * step) % requests.length] ?? Buffer.alloc(0));
}

interface Target {
  readonly url: string;
  readonly bank: Bank;
}

/** Steps of the walk, and those to which no answer came, as on a machine that is too busy to connect in time. */
export interface Steps {
  taken: number;
  lost: number;
}

/** Runs all of it at the same time, for so long; resolves with what became of the operations. */
export async function runMixedLoad(
  target: Target,
  seconds: number,
): Promise<LoadResult & { readonly steps: Steps }> {
  const { url, bank } = target;
  const requests = await requestsOf(bank);
  const ending = new AbortController();
  const { signal } = ending;
  for (const [fault, oneIn] of faults) bank.addFault({ ...fault, probability: 1 / oneIn });
  const steps: Steps = { taken: 0, lost: 0 };
  const beside = [
    haveOutages(bank, signal),
    leave(target, requests, signal),
    walk(target, signal, steps),
  ];
  const { connections, operations } = rates;
  const result = await runLoad({ url, requests, connections, perSecond: operations, seconds });
  ending.abort();
  await Promise.all(beside);
  bank.clearFaults();
  return { ...result, steps };
}

/** Sleeps; false where the load is over. */
function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return sleep(ms, true, { signal }).catch(() => false);
}

async function haveOutages(bank: Bank, signal: AbortSignal): Promise<void> {
  for (let nth = 0; await pause(healthyMs, signal); nth++) {
    const fault = bank.addFault(outages[nth % outages.length] ?? { kind: 'hang' });
    await pause(outageMs, signal);
    fault[Symbol.dispose]();
  }
}

/** Clients that send a request, and are gone before they have its answer. */
async function leave(
  { url }: Target,
  requests: readonly Buffer[],
  signal: AbortSignal,
): Promise<void> {
  const { hostname, port } = new URL(url);
  for (let nth = 0; await pause(1000 / rates.leaving, signal); nth++) {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.once('connect', () => {
      socket.write(requests[nth % requests.length] ?? '');
      setTimeout(() => socket.destroy(), nth % 40);
    });
  }
}

/** A client that walks through a statement of which the head and the end move, and begins anew where it can't go on. */
async function walk(target: Target, signal: AbortSignal, steps: Steps): Promise<void> {
  const { bank } = target;
  const accounts = firstHolder(bank).accounts.toSorted(
    (one, other) => bank.statement(other).length - bank.statement(one).length,
  );
  const [id = ''] = accounts;
  let after: string | null = null;
  while (await pause(1000 / rates.steps, signal)) {
    bank.arrive(id);
    bank.remove(id, { index: bank.statement(id).length - 1 });
    const question = { variables: { id, after }, headers: { connection: 'close' } };
    const answer = await query(target, walkDocument, question).catch(() => null);
    steps.taken++;
    if (answer === null) steps.lost++;
    const page = answer?.data as Page | null | undefined;
    const { hasNextPage = false, endCursor = null } = page?.transactions?.pageInfo ?? {};
    after = hasNextPage ? endCursor : null;
  }
}

const walkDocument = `query Walk($id: ID!, $after: String) {
  transactions(accountId: $id, first: 50, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } }
}`;

interface Page {
  readonly transactions: { readonly pageInfo: PageInfo } | null;
}
interface PageInfo {
  readonly hasNextPage: boolean;
  readonly endCursor: string | null;
}

// The load of the soak test: mixed operations, a walk through a changing statement, clients that disconnect, floods
// of operations that occur only once, and hostile connections.
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bank } from '../../src/sandbox/bank-script.ts';
import { type Answer, graphqlRequest, type LoadResult, runLoad } from '../../test/support/load.ts';
import { post } from '../../test/support/query.ts';
import type { Issuer, SoakCaller } from './callers.ts';
import { outcomesOf, type Question, questionsOf, servedOutcomes } from './questions.ts';

/**
 * The rates per second of operations, steps of a walk, disconnecting clients, operations that occur once, and hostile
 * connections; `connections` is the number of connections for the operations. The actual rates of steps and of
 * operations that occur once are lower, because each waits for the previous answer.
 */
export const rates = {
  operations: 80,
  steps: 5,
  leaving: 10,
  flood: 5,
  hostile: 5,
  connections: 300,
};

export interface Target {
  /** The address of the proxy in front of the replicas. */
  readonly url: string;
  /** The address of one replica, for requests that a proxy would reject. */
  readonly replicaUrl: string;
  readonly bank: Bank;
  readonly issuer: Issuer;
}

/** The counts of steps of the walk, of operations that occur once, and of hostile connections. */
export interface Beside {
  readonly steps: number;
  readonly floods: number;
  readonly hostile: number;
}

export interface MixedResult extends LoadResult {
  readonly beside: Beside;
  /** The number of unexplained answers, by question and outcome. */
  readonly unexplained: Readonly<Record<string, number>>;
}

/**
 * Runs all parts of the load at the same time, for `seconds`. `refresh` receives a function that signs all requests
 * again.
 */
export async function runMixedLoad(
  target: Target,
  seconds: number,
  refresh: (sign: () => void) => void,
): Promise<MixedResult> {
  const questions = questionsOf(target.issuer);
  const requests = questions.map((question) => question.request());
  refresh(() => {
    for (const [index, question] of questions.entries()) requests[index] = question.request();
  });
  const unexplained: Record<string, number> = {};
  const check: Check = (name, outcomes, answer) => {
    const odd = outcomesOf(answer).filter((outcome) => !outcomes.has(outcome));
    for (const outcome of odd) {
      const key = `${outcome}: ${name.slice(0, 80)}`;
      unexplained[key] = (unexplained[key] ?? 0) + 1;
    }
  };
  const onAnswer = (answer: Answer) => {
    const { name, outcomes } = questions[answer.request] as Question;
    check(name, outcomes, answer);
  };
  const ending = new AbortController();
  const { signal } = ending;
  const beside = Promise.all([
    walk(target, check, signal),
    flood(target, check, signal),
    attack(target, signal),
    leave(target, requests, signal),
  ]);
  const { connections, operations: perSecond } = rates;
  const { url } = target;
  const result = await runLoad({ url, requests, connections, perSecond, seconds, onAnswer });
  ending.abort();
  const [steps, floods, hostile] = await beside;
  return { ...result, beside: { steps, floods, hostile }, unexplained };
}

type Check = (
  name: string,
  outcomes: ReadonlySet<string>,
  answer: Pick<Answer, 'status' | 'body'>,
) => void;

/** Waits for `ms`; resolves to true, or to false as soon as the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return sleep(ms, true, { signal }).catch(() => false);
}

/** Sends an operation on its own connection. Status 0 means that no answer came. */
async function askOnce(
  url: string,
  caller: SoakCaller,
  question: Readonly<Record<string, unknown>>,
): Promise<Pick<Answer, 'status' | 'body'>> {
  const headers = { ...caller.headers(), connection: 'close' };
  try {
    const { status, text } = await post({ url }, JSON.stringify(question), { headers });
    return { status, body: text };
  } catch {
    return { status: 0, body: '' };
  }
}

/**
 * Walks through a statement that changes at both ends. The walk starts over when it has reached the end of the
 * statement, or if a step fails. Returns the number of steps.
 */
async function walk(target: Target, check: Check, signal: AbortSignal): Promise<number> {
  const { url, bank, issuer } = target;
  const [caller] = issuer.callers;
  const [id] = (caller?.accounts ?? []).toSorted(
    (one, other) => bank.statement(other).length - bank.statement(one).length,
  );
  if (caller === undefined || id === undefined) throw new Error('nobody has an account');
  let after: string | null = null;
  let steps = 0;
  for (; await pause(1000 / rates.steps, signal); steps++) {
    bank.arrive(id);
    bank.remove(id, { index: bank.statement(id).length - 1 });
    const answer = await askOnce(url, caller, { query: walkDocument, variables: { id, after } });
    check('a step of the walk', walkOutcomes, answer);
    const { hasNextPage = false, endCursor = null } = pageInfoIn(answer.body);
    after = hasNextPage ? endCursor : null;
  }
  return steps;
}

const walkDocument = `query Walk($id: ID!, $after: String) {
  transactions(accountId: $id, first: 50, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } }
}`;

const walkOutcomes = new Set([...servedOutcomes, 'CURSOR_EXPIRED']);

interface PageInfo {
  readonly hasNextPage?: boolean;
  readonly endCursor?: string | null;
}

function pageInfoIn(body: string): PageInfo {
  if (!body.startsWith('{')) return {};
  const { data } = JSON.parse(body) as {
    data?: { transactions?: { pageInfo?: PageInfo } | null } | null;
  };
  return data?.transactions?.pageInfo ?? {};
}

/**
 * Sends operations whose text occurs only once, as from clients that use no variables. They are large, so that caches
 * are full after the warm-up.
 */
async function flood({ url, issuer }: Target, check: Check, signal: AbortSignal): Promise<number> {
  let count = 0;
  for (; await pause(1000 / rates.flood, signal); count++) {
    const caller = issuer.callers[count % issuer.callers.length];
    if (caller === undefined) throw new Error('there are no callers');
    const fields = Array.from({ length: 20 }, (_, n) => `once_${count}_${n}: number`);
    const query = `{ accounts { id ${fields.join(' ')} } } # ${'x'.repeat(7000)}`;
    check('an operation that comes once', servedOutcomes, await askOnce(url, caller, { query }));
  }
  return count;
}

/** Sends requests, and disconnects 0 to 39 ms later, sometimes before the answer. */
async function leave(
  { url }: Target,
  requests: readonly Buffer[],
  signal: AbortSignal,
): Promise<void> {
  for (let nth = 0; await pause(1000 / rates.leaving, signal); nth++) {
    const socket = openSocket(url);
    socket.once('connect', () => {
      socket.write(requests[nth % requests.length] ?? '');
      setTimeout(() => socket.destroy(), nth % 40);
    });
  }
}

/**
 * Opens connections on which the client misbehaves. Other tests check the answers; the soak test checks that no
 * resources remain in use. Returns the number of connections.
 */
async function attack({ replicaUrl, issuer }: Target, signal: AbortSignal): Promise<number> {
  let count = 0;
  for (; await pause(1000 / rates.hostile, signal); count++) {
    const send = attacks[count % attacks.length];
    const [caller] = issuer.callers;
    const socket = openSocket(replicaUrl);
    socket.resume();
    socket.once('connect', () =>
      send?.(socket, graphqlRequest('{ me { id } }', caller?.headers() ?? {})),
    );
    setTimeout(() => socket.destroy(), 5000).unref();
  }
  return count;
}

const head = 'POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';

const attacks: readonly ((socket: Socket, good: Buffer) => void)[] = [
  (socket) => socket.write('\x16\x03\x01 this is not HTTP\r\n\r\n'),
  // Sends only a part of a head; the next attack sends only a part of a body.
  (socket) => socket.write(head),
  (socket) => socket.write(`${head}Content-Length: 100\r\n\r\n{"query":`),
  (socket) => socket.write(`${head}Content-Length: 100000000\r\n\r\n${'0'.repeat(2_000_000)}`),
  (socket) =>
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\nfffffff\r\n${'0'.repeat(2_000_000)}`),
  (socket) => socket.write(`${head}X: ${'x'.repeat(20_000)}\r\n\r\n`),
  (socket) => socket.write(`${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`),
  // Sends 50 requests at once on one connection, and then resets the connection.
  (socket, good) => {
    socket.write(Buffer.concat(Array.from({ length: 50 }, () => good)));
    setTimeout(() => socket.resetAndDestroy(), 5);
  },
  // The client never reads the answer.
  (socket, good) => socket.pause().write(good),
];

function openSocket(url: string): Socket {
  const { hostname, port } = new URL(url);
  return connect(Number(port), hostname).on('error', () => undefined);
}

// Lets the service fail while the gateway works at 70 % of its capacity, to test whether failures cost so much that the
// gateway itself fails. Prints one line per failure, with the measured values and a verdict.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultKind } from '../src/sandbox/faults/faults.ts';
import { type Answer, graphqlRequest, runLoad } from '../test/support/load.ts';
import { type BankProcess, startBankProcess } from './bank-process.ts';
import { type GatewayProcess, startProcess } from './gateway-process.ts';

/**
 * The load, as a share of the gateway's capacity. The capacity is measured in a closed loop, in operations per second,
 * both without and with the failure. The load is a share of the lower value.
 */
const shareOfCapacity = 0.7;
const callers = 1000;

/**
 * The parts of a load, in seconds. `settling`: the gateway warms up. `healthy`: the service works. `opening`: the
 * service begins to fail, and the circuits may open. `failing`: the service still fails. `after`: the service works
 * again. The bound on p99 applies to `failing` only; p99 and CPU time are also printed for `opening`.
 */
const parts = { settling: 2, healthy: 4, opening: 1, failing: 4, after: 4 };

/**
 * The number of connections to the gateway and to the service. It is larger than the number of operations in progress,
 * even if half of the operations take 300 ms longer.
 */
const connections = 3000;

const bounds = {
  /** Operations refused with OVERLOADED, or not sent because all connections were busy. */
  refused: 0,
  /**
   * p99 of the successful operations that do not need statements, as a ratio to p99 before the failure; 0 if none
   * succeeded.
   */
  p99: 2,
  /** The time from the end of the failure to the last failed operation. */
  recoverySeconds: 2,
  /** Requests to the service per operation, as a ratio to the value before the failure. */
  amplification: 1.2,
  /**
   * The ratio of the capacity without the failure to the capacity with it. Beyond this bound, a load that the gateway
   * normally serves exceeds its capacity during the failure.
   */
  capacity: 1 / shareOfCapacity,
};

/**
 * The largest share of time that the gateway, the service or the load generator may wait for a core. Above this share,
 * the measured latencies are not reliable.
 */
const maxWaiting = 0.1;

/**
 * The maximum number of times that a failure is measured. A measurement that exceeds a bound, or was made on a busy
 * machine, is repeated, because a single pause of the machine raises p99.
 */
const attempts = 3;

const statements = { route: 'transactions' } as const;

const failures: Readonly<Record<string, FaultKind & { readonly match?: typeof statements }>> = {
  'statements fail with 503': { kind: 'status', status: 503, match: statements },
  'statements fail with 500': { kind: 'status', status: 500, match: statements },
  'statements fail with 429': { kind: 'status', status: 429, retryAfter: 1, match: statements },
  'statements are reset': { kind: 'reset', match: statements },
  'statements are cut': { kind: 'cutBody', match: statements },
  'statements are not JSON': { kind: 'brokenJson', match: statements },
  'statements take 300 ms': { kind: 'delay', delayMs: 300, match: statements },
  'all calls fail with 503': { kind: 'status', status: 503 },
  'all calls are reset': { kind: 'reset' },
};

/** Measures the failures whose names contain `wanted`; returns whether all bounds held and the machine was quiet. */
export async function measureFullWork(wanted = ''): Promise<boolean> {
  await using bank = await startBankProcess();
  const env = { UPSTREAM_TIMEOUT_MS: '2000', UPSTREAM_CONNECTIONS: String(connections) };
  await using gateway = await startProcess(bank.url, { env });
  const run = new FullWork(bank, gateway, await makeRequests(bank));
  await run.capacity(3);
  let isGood = true;
  for (const [name, fault] of Object.entries(failures)) {
    if (name.includes(wanted)) isGood = (await run.judge(name, fault)) && isGood;
  }
  return isGood;
}

/**
 * Requests for the profile and for a statement, alternately, from so many callers that few of their calls can share a
 * read.
 */
async function makeRequests({ url, holders }: BankProcess): Promise<Buffer[]> {
  const requests: Buffer[] = [];
  for (let nth = 0; nth < callers; nth++) {
    const { id, tenant, accounts } = holders[nth % holders.length] ?? {};
    if (accounts?.[0] === undefined) continue;
    const body = JSON.stringify({ holder: id, tenant, claims: { jti: `${nth}` } });
    const answer = await fetch(`${url}/__bank/tokens`, { method: 'POST', body });
    const { token } = (await answer.json()) as { token: string };
    const headers = { authorization: `Bearer ${token}`, 'x-tenant-id': tenant ?? '' };
    const statement = `{ transactions(accountId: "${accounts[0].id}") { totalCount nodes { id amount status } } }`;
    for (const text of ['{ accounts { id balance } }', statement]) {
      requests.push(graphqlRequest(text, headers));
    }
  }
  return requests;
}

/** The results of one part of a load. */
interface Part {
  operations: number;
  overloaded: number;
  bad: number;
  /** The time from the start of the part to the last failed operation. */
  lastBadSeconds: number;
  /** The latencies of successful operations without statements. */
  readonly profileMs: number[];
  /** The latencies of failed operations without statements. */
  readonly failedMs: number[];
  callsPerOperation: number;
  cpuMicros: number;
}

class FullWork {
  readonly #bank: BankProcess;
  readonly #gateway: GatewayProcess;
  readonly #requests: readonly Buffer[];

  constructor(bank: BankProcess, gateway: GatewayProcess, requests: readonly Buffer[]) {
    this.#bank = bank;
    this.#gateway = gateway;
    this.#requests = requests;
  }

  /** Measures the operations per second in a closed loop, including failed operations. */
  async capacity(seconds: number, clients = 64): Promise<number> {
    let answers = 0;
    await runLoad({
      ...{ url: this.#gateway.url, requests: this.#requests, connections: clients },
      ...{ perSecond: null, seconds, onAnswer: () => answers++ },
    });
    return answers / seconds;
  }

  /**
   * Measures a failure until all its bounds hold on a quiet machine, at most `attempts` times; returns whether they
   * did.
   */
  async judge(name: string, fault: FaultKind): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      const { values, told, waiting } = await this.#measure(fault);
      const isBeyond = (what: string) =>
        values[what as keyof typeof bounds] > bounds[what as keyof typeof bounds];
      const isGood = !Object.keys(bounds).some(isBeyond);
      const isQuiet = waiting <= maxWaiting;
      if ((isGood && isQuiet) || attempt === attempts) {
        const verdicts = Object.entries(values).map(
          ([what, value]) => `${what} ${value}${isBeyond(what) ? ' BEYOND' : ''}`,
        );
        const note = isQuiet ? '' : `; ${waiting} of the time spent waiting for a core: not judged`;
        const verdict = isGood && isQuiet ? 'good' : 'BAD ';
        console.log(
          `${verdict} ${name}: ${verdicts.join(', ')} (${told}; attempt ${attempt}${note})`,
        );
        return isGood && isQuiet;
      }
    }
  }

  async #measure(fault: FaultKind) {
    const capacity = await this.capacity(2);
    // If only 64 clients called a slow service, most of them would wait for the service, and the gateway would be idle.
    const clients = fault.kind === 'delay' ? connections : 64;
    const failingCapacity = await this.#while(fault, () => this.capacity(2, clients));
    const perSecond = Math.round(shareOfCapacity * Math.min(capacity, failingCapacity));
    // This load gives the circuits time to close.
    await this.capacity(1);
    let part = newPart();
    let startedMs = performance.now();
    const watch = async (seconds: number) => {
      const watched = (part = newPart());
      startedMs = performance.now();
      const [cpuSeconds, calls] = [this.#gateway.cpuSeconds(), await this.#calls()];
      await sleep(seconds * 1000);
      watched.cpuMicros = ((this.#gateway.cpuSeconds() - cpuSeconds) / watched.operations) * 1e6;
      watched.callsPerOperation = ((await this.#calls()) - calls) / watched.operations;
      return watched;
    };
    const seconds = Object.values(parts).reduce((sum, each) => sum + each);
    const waits = waitsForCore([this.#gateway.pid, this.#bank.pid, process.pid]);
    const loading = runLoad({
      ...{ url: this.#gateway.url, requests: this.#requests, connections, perSecond },
      seconds: seconds + 1,
      onAnswer: (answer) => note(part, answer, startedMs),
    });
    await watch(parts.settling);
    const healthy = await watch(parts.healthy);
    const { opening, failing } = await this.#while(fault, async () => ({
      opening: await watch(parts.opening),
      failing: await watch(parts.failing),
    }));
    const after = await watch(parts.after);
    const { unsent } = await loading;
    const values = {
      refused: opening.overloaded + failing.overloaded + after.overloaded + unsent,
      p99: ratio(p99(failing.profileMs) / p99(healthy.profileMs)),
      recoverySeconds: ratio(after.lastBadSeconds),
      amplification: ratio(
        Math.max(opening.callsPerOperation, failing.callsPerOperation) / healthy.callsPerOperation,
      ),
      capacity: ratio(capacity / failingCapacity),
    };
    const share = Math.round((100 * failing.bad) / failing.operations);
    const nothing = failing.profileMs.length === 0 ? ' and nothing can be answered' : '';
    const each = [healthy, opening, failing];
    const told =
      `${perSecond} a second, ${share} % failed${nothing}; before, in the first second, after it: ` +
      `p99 ${each.map(({ profileMs }) => p99(profileMs)).join(', ')} ms, ` +
      `of failed profiles ${each.map(({ failedMs }) => p99(failedMs)).join(', ')} ms, ` +
      `CPU ${each.map(({ cpuMicros }) => Math.round(cpuMicros)).join(', ')} µs`;
    return { values, told, waiting: ratio(waits()) };
  }

  async #while<T>(fault: FaultKind, run: () => Promise<T>): Promise<T> {
    const faults = `${this.#bank.url}/__bank/faults`;
    await fetch(faults, { method: 'POST', body: JSON.stringify(fault) });
    const result = await run();
    await fetch(faults, { method: 'DELETE' });
    return result;
  }

  /** The number of requests to the service so far, including requests that were resent. */
  async #calls(): Promise<number> {
    const text = await (await fetch(`${this.#gateway.adminUrl}/metrics`)).text();
    const counts = text.matchAll(
      /^account_bff_upstream_(?:exchange_duration_seconds_count|resent_requests_total)\{.*\} (\d+)$/gm,
    );
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  }
}

function newPart(): Part {
  const none = { operations: 0, overloaded: 0, bad: 0, lastBadSeconds: 0 };
  return { ...none, profileMs: [], failedMs: [], callsPerOperation: 0, cpuMicros: 0 };
}

function note(part: Part, { body, status, ms }: Answer, startedMs: number): void {
  part.operations++;
  if (body.includes('"OVERLOADED"')) part.overloaded++;
  const isBad = status !== 200 || body.includes('"errors"');
  if (isBad) {
    part.bad++;
    part.lastBadSeconds = (performance.now() - startedMs) / 1000;
  }
  if (body.includes('"accounts"')) (isBad ? part.failedMs : part.profileMs).push(ms);
}

/** The 99th percentile; 0 if there are no values. */
function p99(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return ratio(sorted[Math.floor(sorted.length * 0.99)] ?? 0);
}

/**
 * Starts to measure how long processes wait for a core. The returned function returns the largest share of the time
 * since then that one of the processes spent waiting.
 */
function waitsForCore(pids: readonly number[]): () => number {
  const read = () => pids.map(waitedMs);
  const [startedMs, before] = [performance.now(), read()];
  return () => {
    const tookMs = performance.now() - startedMs;
    return Math.max(...read().map((ms, nth) => (ms - (before[nth] ?? 0)) / tookMs));
  };
}

/**
 * The time in ms that the main thread of a process has waited for a core. Linux's /proc/[pid]/schedstat has the time on
 * a core and the time waiting for one, both in ns.
 */
function waitedMs(pid: number): number {
  const [, waitedNs] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
  return Number(waitedNs) / 1e6;
}

function ratio(value: number): number {
  return Math.round(value * 100) / 100;
}

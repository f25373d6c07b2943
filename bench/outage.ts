// Measures failures of the service and their effect on clients: failures under full load, clients that disconnect, one
// account whose calls always fail, and full outages under load. `npm run bench:outage -- 30` sets the duration of each
// outage to 30 s; `npm run bench:outage -- full [part of a name]` measures only failures under full load. Exits with 1
// if a failure under full load exceeds a bound, or if the machine was too busy for a reliable measurement.
import { setTimeout as sleep } from 'node:timers/promises';
import { startBank } from '../src/sandbox/bank.ts';
import type { FaultKind } from '../src/sandbox/faults/faults.ts';
import { type Answer, graphqlRequest, type LoadResult, runLoad } from '../test/support/load.ts';
import { callerHeaders, firstHolder, query } from '../test/support/query.ts';
import { measureFullWork } from './full-work.ts';
import { startProcess } from './gateway-process.ts';

const [, , what = '10', wanted] = process.argv;
const seconds = Number(what);
const perSecond = 200;

await using bank = await startBank({ latencyMs: 10 });
const requests = await Promise.all(
  bank.holders.map(async (holder) => {
    const headers = await callerHeaders(bank, holder);
    return graphqlRequest('{ accounts { id balance } }', headers);
  }),
);

if (!(await measureFullWork(wanted))) process.exitCode = 1;
if (what !== 'full') {
  await measureLeaving();
  await measureOneAccount();
  await measureOutages();
}

/** Measures the time from a client's disconnect until the service sees that the gateway has aborted its request. */
async function measureLeaving(): Promise<void> {
  await using gateway = await startProcess(bank.url, { env: { UPSTREAM_TIMEOUT_MS: '60000' } });
  const kinds: readonly FaultKind[] = [
    { kind: 'hang' },
    { kind: 'hang', afterHalf: true },
    { kind: 'drip' },
  ];
  for (const kind of kinds) {
    using fault = bank.addFault(kind);
    const tookMs: number[] = [];
    for (let nth = 0; nth < 50; nth++) {
      bank.resetCalls();
      const leaving = new AbortController();
      const asked = query({ url: gateway.url, bank }, '{ accounts { id } }', leaving);
      const left = asked.then(
        () => 'answered',
        () => 'left',
      );
      await bank.waitForCall(() => true);
      await sleep(20);
      const leftAtMs = Date.now();
      leaving.abort();
      const { endedAtMs } = await bank.waitForCall(({ outcome }) => outcome === 'aborted');
      tookMs.push((endedAtMs ?? Infinity) - leftAtMs);
      if ((await left) !== 'left') throw new Error('it was answered');
    }
    const within = tookMs.filter((ms) => ms <= 100).length;
    console.log('clients that leave', fault.fault, {
      within100Ms: `${within} of ${tookMs.length}`,
      p50Ms: percentile(tookMs, 0.5),
      maxMs: Math.max(...tookMs),
    });
  }
}

/**
 * Measures how an account whose calls always fail affects another account. The failing account gets a tenth of the
 * traffic.
 */
async function measureOneAccount(): Promise<void> {
  const holder = firstHolder(bank);
  const headers = await callerHeaders(bank, holder);
  const [bad = '', other = ''] = holder.accounts;
  const statementOf = (id: string) =>
    graphqlRequest(`{ transactions(accountId: "${id}") { totalCount } }`, headers);
  for (const kind of ['status', 'reset', 'hang'] as const) {
    await using gateway = await startProcess(bank.url, { env: { UPSTREAM_TIMEOUT_MS: '1000' } });
    const { url } = gateway;
    const match = { accountId: bad };
    const fault = bank.addFault(kind === 'status' ? { kind, status: 500, match } : { kind, match });
    const load = (id: string, share: number) =>
      runLoad({
        ...{ url, requests: [statementOf(id)], connections: 300 },
        ...{ perSecond: share * perSecond, seconds: 10 },
      });
    const [failing, others] = await Promise.all([load(bad, 0.1), load(other, 0.9)]);
    fault[Symbol.dispose]();
    console.log(`one account at a tenth of the traffic: ${kind}`, {
      ofIt: codesOf(failing),
      ofOthers: codesOf(others),
    });
  }
}

async function measureOutages(): Promise<void> {
  const outages: Readonly<Record<string, FaultKind>> = {
    'answers 503': { kind: 'status', status: 503 },
    'resets every connection': { kind: 'reset' },
    hangs: { kind: 'hang' },
  };
  for (const [name, kind] of Object.entries(outages)) {
    await using gateway = await startProcess(bank.url, { env: { UPSTREAM_TIMEOUT_MS: '2000' } });
    const { url } = gateway;
    const ask = (duration: number, onAnswer: (answer: Answer) => void = () => undefined) =>
      runLoad({ url, requests, connections: 1000, perSecond, seconds: duration, onAnswer });
    await ask(5);
    bank.resetCalls();
    const fault = bank.addFault(kind);
    const answers: Answer[] = [];
    const outage = await ask(seconds, (answer) => answers.push(answer));
    const calls = bank.calls().length;
    fault[Symbol.dispose]();
    const recoveredMs = await untilGood(url);
    // At this load, the circuit opens within a second plus the deadline of a call, so it is open throughout the second
    // half of a long enough outage. In that half, only the calls that probe the service have to wait for it.
    const late = answers.slice(answers.length / 2);
    const refused = late.filter(({ body }) => body.includes('UPSTREAM_UNAVAILABLE'));
    const refusedMs = refused.map(({ ms }) => ms);
    console.log(`the service ${name}, for ${seconds} s at ${perSecond} operations a second`, {
      operations: outage.offered,
      callsPerOperation: ratio(calls / outage.offered),
      others: outage.others,
      timeoutsOnceOpen: late.length - refused.length,
      p50MsOnceOpen: percentile(refusedMs, 0.5),
      p99MsOnceOpen: percentile(refusedMs, 0.99),
      recoveredMs: Math.round(recoveredMs),
      after: codesOf(await ask(3)),
    });
  }
}

/** Returns the time in ms until operations succeed again. */
async function untilGood(url: string): Promise<number> {
  const startedMs = performance.now();
  for (;;) {
    const { good } = await runLoad({
      ...{ url, requests, connections: 10 },
      ...{ perSecond: 200, seconds: 0.05 },
    });
    if (good > 0) return performance.now() - startedMs;
  }
}

function codesOf({ good, others }: LoadResult) {
  return { good, ...others };
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return ratio(sorted[Math.floor(sorted.length * share)] ?? 0);
}

function ratio(value: number): number {
  return Math.round(value * 100) / 100;
}

// The service fails while the gateway works at 70 % of its capacity: tests whether errors, which take the most expensive
// path, cost so much that the gateway itself fails. Prints a line per failure, with a verdict for each of its bounds.
import { type BankProcess, startBankProcess } from './bank-process.ts';
import type { FaultKind } from '../src/sandbox/faults/faults.ts';
import { type Answer, graphqlRequest, type LoadResult, runLoad } from '../test/support/load.ts';
import { type GatewayProcess, startProcess } from './gateway-process.ts';

/** The load, as a share of the operations that the gateway answers in a closed loop. */
const shareOfCapacity = 0.7;
const callers = 500;
const failureSeconds = 6;
const recoverySeconds = 4;

const bounds = {
  /** Operations refused with OVERLOADED. */
  overloaded: 0,
  /** p99 of the operations that do not need the failing part, as a ratio to the value before. */
  p99: 2,
  /** Until every operation succeeds again. */
  recoverySeconds: 2,
  /** Requests to the service per operation, as a ratio to the value before. */
  amplification: 1.2,
  /** CPU per operation, as a ratio to the value before: beyond this, 70 % of the capacity would need more than a core. */
  cpu: 1 / shareOfCapacity,
};

const statements = { route: 'transactions' } as const;

const failures: Readonly<Record<string, FaultKind & { readonly match?: typeof statements }>> = {
  'statements are 503': { kind: 'status', status: 503, match: statements },
  'statements are 500': { kind: 'status', status: 500, match: statements },
  'statements are 429': { kind: 'status', status: 429, retryAfter: 1, match: statements },
  'statements are reset': { kind: 'reset', match: statements },
  'statements are cut': { kind: 'cutBody', match: statements },
  'statements are no JSON': { kind: 'brokenJson', match: statements },
  'statements take 300 ms': { kind: 'delay', delayMs: 300, match: statements },
  'all is 503': { kind: 'status', status: 503 },
  'all is reset': { kind: 'reset' },
};

/** Measurements under a load: of all operations, and of those that need only the profile. */
interface Seen {
  readonly operations: number;
  readonly overloaded: number;
  readonly bad: number;
  /** Of operations without statements, in ms. */
  readonly p99: number;
  /** From the start to the last operation that failed. */
  readonly lastBadSeconds: number;
  readonly callsPerOperation: number;
  readonly cpuMicros: number;
}

/** Measures every failure; returns whether all bounds held. */
export async function measureFullWork(): Promise<boolean> {
  await using bank = await startBankProcess();
  await using gateway = await startProcess(bank.url, { env: { UPSTREAM_TIMEOUT_MS: '2000' } });
  const requests = await makeRequests(bank);
  const load = { url: gateway.url, requests };
  await runLoad({ ...load, connections: 64, perSecond: null, seconds: 3 });
  const whole = await runLoad({ ...load, connections: 64, perSecond: null, seconds: 4 });
  const perSecond = Math.round(shareOfCapacity * whole.goodPerSecond);
  const run = (seconds: number) =>
    look(gateway, (onAnswer) =>
      runLoad({ ...load, connections: 1000, perSecond, seconds, onAnswer }),
    );
  const healthy = await run(failureSeconds);
  console.log(`${perSecond} operations a second, ${shareOfCapacity} of the capacity`, healthy);
  let isGood = healthy.overloaded === 0;
  for (const [name, fault] of Object.entries(failures)) {
    const faults = `${bank.url}/__bank/faults`;
    await fetch(faults, { method: 'POST', body: JSON.stringify(fault) });
    const failing = await run(failureSeconds);
    await fetch(faults, { method: 'DELETE' });
    const after = await run(recoverySeconds);
    isGood = tell(name, healthy, failing, after) && isGood;
  }
  return isGood;
}

/** Requests for the profile and a statement in turns, from so many callers that few of their calls share a read. */
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

/** Measures a load: its answers, the gateway's CPU and its requests to the service. */
async function look(
  gateway: GatewayProcess,
  load: (onAnswer: (answer: Answer) => void) => Promise<LoadResult>,
): Promise<Seen> {
  const startedMs = performance.now();
  const [cpuSeconds, calls] = [gateway.cpuSeconds(), await readCalls(gateway)];
  const profileMs: number[] = [];
  let [bad, overloaded, lastBadSeconds] = [0, 0, 0];
  const { offered } = await load(({ body, status, ms }) => {
    if (body.includes('"OVERLOADED"')) overloaded++;
    if (status !== 200 || body.includes('"errors"')) {
      bad++;
      lastBadSeconds = (performance.now() - startedMs) / 1000;
    }
    if (body.includes('"accounts"')) profileMs.push(ms);
  });
  profileMs.sort((one, other) => one - other);
  return {
    operations: offered,
    overloaded,
    bad,
    p99: ratio(profileMs[Math.floor(profileMs.length * 0.99)] ?? 0),
    lastBadSeconds: ratio(lastBadSeconds),
    callsPerOperation: ratio(((await readCalls(gateway)) - calls) / offered),
    cpuMicros: Math.round(((gateway.cpuSeconds() - cpuSeconds) / offered) * 1e6),
  };
}

/** Requests to the service since the start, including those sent again. */
async function readCalls({ adminUrl }: GatewayProcess): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  const counts = text.matchAll(
    /^account_bff_upstream_(?:exchange_duration_seconds_count|resent_requests_total)\{.*\} (\d+)$/gm,
  );
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

function tell(name: string, healthy: Seen, failing: Seen, after: Seen): boolean {
  const values = {
    overloaded: failing.overloaded + after.overloaded,
    p99: ratio(failing.p99 / healthy.p99),
    recoverySeconds: after.lastBadSeconds,
    amplification: ratio(failing.callsPerOperation / healthy.callsPerOperation),
    cpu: ratio(failing.cpuMicros / healthy.cpuMicros),
  };
  const verdicts = Object.entries(values).map(([what, value]) => {
    const bound = bounds[what as keyof typeof bounds];
    return `${what} ${value} ${value <= bound ? 'good' : `BEYOND ${ratio(bound)}`}`;
  });
  const isGood = verdicts.every((verdict) => verdict.endsWith('good'));
  const share = ratio(failing.bad / failing.operations);
  console.log(`${isGood ? 'good' : 'BAD '} ${name}, ${share} failed: ${verdicts.join(', ')}`);
  return isGood;
}

function ratio(value: number): number {
  return Math.round(value * 100) / 100;
}

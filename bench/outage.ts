// A full outage under load: `npm run bench:outage -- 30`, each kind of it for so many seconds.
import { startBank } from '../src/sandbox/bank.ts';
import { type Answer, graphqlRequest, type LoadResult, runLoad } from '../test/support/load.ts';
import { startProcess } from './gateway-process.ts';

const seconds = Number(process.argv[2] ?? 30);
const perSecond = 200;

await using bank = await startBank({ latencyMs: 10 });
const requests = await Promise.all(
  bank.holders.map(async ({ id, tenant }) => {
    const authorization = `Bearer ${await bank.tokenFor({ id, tenant })}`;
    return graphqlRequest('{ accounts { id balance } }', { authorization, 'x-tenant-id': tenant });
  }),
);

const outages = {
  'answers 503': () => bank.addFault({ kind: 'status', status: 503 }),
  'resets every connection': () => bank.addFault({ kind: 'reset' }),
  hangs: () => bank.addFault({ kind: 'hang' }),
};
for (const [name, begin] of Object.entries(outages)) {
  await using gateway = await startProcess(bank.url, { env: { UPSTREAM_TIMEOUT_MS: '2000' } });
  const ask = (duration: number, onAnswer?: (answer: Answer) => void) =>
    runLoad({
      ...{ url: gateway.url, requests, connections: 1000, perSecond, seconds: duration },
      ...(onAnswer && { onAnswer }),
    });
  await ask(5);
  bank.resetCalls();
  begin();
  const answers: Answer[] = [];
  const outage = await ask(seconds, (answer) => answers.push(answer));
  const calls = bank.calls().length;
  bank.clearFaults();
  const recoveredMs = await untilGood(gateway.url);
  // The circuit opens within six seconds and the deadline of a call; the second half is all after that.
  const late = answers.slice(answers.length / 2).map(({ ms }) => ms);
  console.log(`the service ${name}, for ${seconds} s at ${perSecond} operations a second`, {
    operations: outage.offered,
    callsPerOperation: ratio(calls / outage.offered),
    others: outage.others,
    lateP50Ms: percentile(late, 0.5),
    lateP95Ms: percentile(late, 0.95),
    recoveredMs: Math.round(recoveredMs),
    after: codesOf(await ask(3)),
  });
}

/** How long the gateway takes to answer well again. */
async function untilGood(url: string): Promise<number> {
  const startedMs = performance.now();
  for (;;) {
    const { good } = await runLoad({
      url,
      requests,
      connections: 10,
      perSecond: 200,
      seconds: 0.05,
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

// `npm run bench:shared-reads` measures the gain if identical reads of one caller share an exchange while they wait for
// a connection. 64 clients send requests either as a single caller or as 64 callers, with few and with many connections
// from the gateway to a slow service.
import { startBank } from '../src/sandbox/bank.ts';
import { graphqlRequest, runLoad } from '../test/support/load.ts';
import { callerHeaders, firstHolder } from '../test/support/query.ts';
import { startProcess } from './gateway-process.ts';

const clients = 64;
const seconds = 5;

await using bank = await startBank({ latencyMs: 20 });
for (const connections of [8, 512]) {
  await using gateway = await startProcess(bank.url, {
    env: { UPSTREAM_CONNECTIONS: String(connections) },
  });
  for (const callers of [clients, 1]) {
    const requests = await requestsOf(callers);
    const load = { url: gateway.url, requests, connections: clients, perSecond: null };
    await runLoad({ ...load, seconds: 2 });
    const before = await callsOf(gateway.adminUrl);
    const startedAt = gateway.cpuSeconds();
    const { good, goodPerSecond, p50 } = await runLoad({ ...load, seconds });
    const cpuMicros = Math.round(((gateway.cpuSeconds() - startedAt) / good) * 1e6);
    const calls = (await callsOf(gateway.adminUrl)) - before;
    const callsPerOperation = Math.round((calls / good) * 100) / 100;
    console.log(
      `${clients} clients of ${callers} callers, ${connections} connections to the service`,
      { goodPerSecond, p50, callsPerOperation, cpuMicros },
    );
  }
}

async function requestsOf(callers: number): Promise<Buffer[]> {
  const holder = firstHolder(bank);
  const nths = Array.from({ length: callers }, (_, nth) => String(nth));
  return Promise.all(
    nths.map(async (jti) =>
      graphqlRequest('{ accounts { id balance } }', await callerHeaders(bank, holder, { jti })),
    ),
  );
}

/** The number of exchanges with the service so far, without resent requests. */
async function callsOf(adminUrl: string): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  const counts = text.matchAll(/_exchange_duration_seconds_count\{.*\} (\d+)/g);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

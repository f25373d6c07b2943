// Measures the cost of tracing: CPU time per operation with the tracing code removed, without an endpoint, and with a
// collector that accepts everything. The gateways are loaded one after another in each round. Usage:
// `npm run bench:tracing -- [rounds] [seconds each]`; the defaults are 7 and 4.
import { startBank } from '../../src/sandbox/bank.ts';
import { startCollector } from '../../test/support/collector.ts';
import { graphqlRequest, runLoad } from '../../test/support/load.ts';
import { callerHeaders } from '../../test/support/query.ts';
import { type GatewayProcess, type ProcessOptions, startProcess } from '../gateway-process.ts';

const rounds = Number(process.argv[2] ?? 7);
const seconds = Number(process.argv[3] ?? 4);

await using bank = await startBank();
await using collector = await startCollector();
const preload = { path: `${import.meta.dirname}/removed.ts`, flags: [] };
const variants: Readonly<Record<string, ProcessOptions>> = {
  'taken out': { preload },
  off: { preload, env: { KEEP_TRACING: '1' } },
  on: { preload, env: { KEEP_TRACING: '1', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } },
};
const requests = await Promise.all(
  bank.holders.map(async (holder) =>
    graphqlRequest(
      '{ me { __typename } accounts { id balance } }',
      await callerHeaders(bank, holder),
    ),
  ),
);

const gateways = new Map<string, GatewayProcess>();
for (const [name, options] of Object.entries(variants)) {
  gateways.set(name, await startProcess(bank.url, options));
}
const micros = new Map<string, number[]>();
for (const gateway of gateways.values()) await measure(gateway);
for (let round = 0; round < rounds; round++) {
  for (const [name, gateway] of gateways) {
    micros.set(name, [...(micros.get(name) ?? []), await measure(gateway)]);
  }
}
for (const [name, values] of micros) {
  console.log(`tracing ${name}`, { medianMicros: median(values), micros: values });
}
for (const gateway of gateways.values()) await gateway.stop('SIGTERM');

/** The gateway's CPU time per successful operation under load, in microseconds. */
async function measure(gateway: GatewayProcess): Promise<number> {
  const startedAt = gateway.cpuSeconds();
  const load = { url: gateway.url, requests, connections: 32, perSecond: null, seconds };
  const { good } = await runLoad(load);
  return Math.round(((gateway.cpuSeconds() - startedAt) / good) * 1e7) / 10;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

// Measures overload: the capacity, then three times the capacity, then the capacity again. Usage:
// `npm run bench:overload -- [seconds] [connections]`; the defaults are 60 and 6000. With PIN=1, the gateway is bound
// to core 0.
import { startBankProcess } from './bank-process.ts';
import { readFileSync } from 'node:fs';
import { startProcess } from './gateway-process.ts';
import { graphqlRequest, type LoadSettings, runLoad } from '../test/support/load.ts';

const seconds = Number(process.argv[2] ?? 60);
const connections = Number(process.argv[3] ?? 6000);

const documents = [
  '{ me { ... on Person { id name email phone status individual { id income } address { id city } } ... on Company { id name } } accounts { id balance number } }',
  '{ accounts { id bank agency number balance status } }',
];

await using bank = await startBankProcess();
await using gateway = await startProcess(bank.url);
const requests: Buffer[] = [];
for (const { tenant, token, accounts } of bank.holders) {
  const headers = { authorization: `Bearer ${token}`, 'x-tenant-id': tenant };
  const [account] = accounts;
  const statement = `{ transactions(accountId: "${account?.id}") { edges { cursor node { id amount status createdAt } } pageInfo { hasNextPage } totalCount } }`;
  for (const document of [...documents, ...(account === undefined ? [] : [statement])]) {
    requests.push(graphqlRequest(document, headers));
  }
}

/**
 * Runs a load, and measures the gateway's CPU time per successful answer in microseconds, and how busy each of the
 * three processes was.
 */
async function run(name: string, settings: Omit<LoadSettings, 'url' | 'requests'>) {
  const startedAt = [gateway.cpuSeconds(), bank.cpuSeconds(), process.cpuUsage()] as const;
  const startedMs = performance.now();
  const result = await runLoad({ url: gateway.url, requests, ...settings });
  const tookSeconds = (performance.now() - startedMs) / 1000;
  const gatewaySeconds = gateway.cpuSeconds() - startedAt[0];
  const { user, system } = process.cpuUsage(startedAt[2]);
  const busy = {
    gateway: ratio(gatewaySeconds / tookSeconds),
    bank: ratio((bank.cpuSeconds() - startedAt[1]) / tookSeconds),
    load: ratio((user + system) / 1e6 / tookSeconds),
  };
  const cpuMicros = (gatewaySeconds / result.good) * 1e6;
  console.log(name, { ...result, cpuMicros: Math.round(cpuMicros), busy });
  return { ...result, cpuMicros };
}

const closedLoop = { connections: 64, perSecond: null, seconds: 10 };
await run('warm-up', closedLoop);
const before = await run('capacity', closedLoop);
const perSecond = 3 * before.goodPerSecond;
const over = await run(`${perSecond} a second`, { connections, perSecond, seconds });
const after = await run('after', closedLoop);
console.log({
  goodput: ratio(over.goodPerSecond / before.goodPerSecond),
  goodputByCpu: ratio(before.cpuMicros / over.cpuMicros),
  p99Ms: over.p99,
  mostResidentMiB: mostResidentMiB(),
  recovered: ratio(after.goodPerSecond / before.goodPerSecond),
});

/** The peak of the gateway's resident memory in MiB, from proc_pid_status(5). */
function mostResidentMiB(): number {
  const status = readFileSync(`/proc/${gateway.pid}/status`, 'utf8');
  return Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1024);
}

function ratio(value: number): number {
  return Math.round(value * 100) / 100;
}

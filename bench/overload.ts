// Overload: the capacity, three times that, and the capacity again. `node bench/overload.ts 60`
import { startBank } from '../src/sandbox/bank.ts';
import { startProcess } from './gateway-process.ts';
import { graphqlRequest, type LoadSettings, runLoad } from '../test/support/load.ts';

const seconds = Number(process.argv[2] ?? 60);
const connections = Number(process.argv[3] ?? 2000);

const documents = [
  '{ me { ... on Person { id name email phone status individual { id income } address { id city } } ... on Company { id name } } accounts { id balance number } }',
  '{ accounts { id bank agency number balance status } }',
];

await using bank = await startBank();
await using gateway = await startProcess(bank.url);
const requests: Buffer[] = [];
for (const { id, tenant, accounts } of bank.holders) {
  const token = await bank.tokenFor({ id, tenant });
  const headers = { authorization: `Bearer ${token}`, 'x-tenant-id': tenant };
  const [account] = accounts;
  const statement = `{ transactions(accountId: "${account}") { edges { cursor node { id amount status createdAt } } pageInfo { hasNextPage } totalCount } }`;
  for (const document of [...documents, ...(account === undefined ? [] : [statement])]) {
    requests.push(graphqlRequest(document, headers));
  }
}

/** A load, with the CPU that the gateway took for each good answer, in microseconds. */
async function run(name: string, settings: Omit<LoadSettings, 'url' | 'requests'>) {
  const startedAt = gateway.cpuSeconds();
  const result = await runLoad({ url: gateway.url, requests, ...settings });
  const cpuMicros = ((gateway.cpuSeconds() - startedAt) / result.good) * 1e6;
  console.log(name, { ...result, cpuMicros: Math.round(cpuMicros) });
  return { ...result, cpuMicros };
}

const closedLoop = { connections: 64, perSecond: null, seconds: 10 };
await run('warm-up', closedLoop);
const before = await run('capacity', closedLoop);
const perSecond = 3 * before.goodPerSecond;
const over = await run(`${perSecond} a second`, { connections, perSecond, seconds });
const after = await run('after', closedLoop);
const ratio = (value: number) => Math.round(value * 100) / 100;
console.log({
  goodput: ratio(over.goodPerSecond / before.goodPerSecond),
  goodputByCpu: ratio(before.cpuMicros / over.cpuMicros),
  p99Ms: over.p99,
  recovered: ratio(after.goodPerSecond / before.goodPerSecond),
});

// `npm run bench:scale` measures the figures of docs/scale.md that `npm run bench:growth` does not: the cost of an
// operation if two processes run at once, and with Redis, and the memory of a connection.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { graphqlRequest, runLoad } from '../test/support/load.ts';
import { startRedis } from '../test/support/redis.ts';
import { startBankProcess } from './bank-process.ts';
import { type GatewayProcess, startProcess } from './gateway-process.ts';
import { documentOf, type WorkloadName, workloads } from './workloads.ts';

const seconds = Number(process.argv[2] ?? 4);
const connections = 32;
const idleConnections = 2000;

await using bank = await startBankProcess();
const [holder] = bank.holders;
const account = holder?.accounts[0];
if (holder === undefined || account === undefined) throw new Error('the bank has nobody to ask as');
/**
 * Tokens of so many callers that concurrent requests come from different callers. Requests of one caller could share a
 * read.
 */
const tokens = await mintTokens(256);

await measureProcesses();
await measureRedis();
await measureConnections();

async function measureProcesses(): Promise<void> {
  await using first = await startProcess(bank.url);
  await using second = await startProcess(bank.url);
  for (const { name, title } of workloads) {
    const alone = await costOf([first], name);
    const both = await costOf([first, second], name);
    console.log(`${title}: one process`, alone, 'two at once', both);
  }
}

async function measureRedis(): Promise<void> {
  await using redis = await startRedis();
  const env = { REDIS_URL: redis.url, RATE_LIMIT_PER_MINUTE: '1000000000' };
  await using gateway = await startProcess(bank.url, { env });
  let before = 0;
  const cost = await costOf([gateway], 'page', async () => {
    await redis.client.config('RESETSTAT');
    before = await redisCpuSeconds();
  });
  const cpuMicros = ((await redisCpuSeconds()) - before) / cost.operations;
  const text = await redis.client.info('commandstats');
  const commands = [...text.matchAll(/cmdstat_(\S+?):calls=(\d+)/g)].map(([, name, calls]) => [
    name,
    Math.round((Number(calls) / cost.operations) * 100) / 100,
  ]);
  const memory = /used_memory_dataset:(\d+)/.exec(await redis.client.info('memory'))?.[1];
  console.log('with a rate limit in Redis', cost, 'Redis itself, an operation:', {
    cpuMicros: Math.round(cpuMicros * 1e6),
    commands: Object.fromEntries(commands) as Record<string, number>,
    bytes: Number(memory),
  });

  async function redisCpuSeconds(): Promise<number> {
    const info = await redis.client.info('cpu');
    const of = (name: string) => Number(RegExp(`${name}:([\\d.]+)`).exec(info)?.[1]);
    return of('used_cpu_sys') + of('used_cpu_user');
  }
}

/** Measures the memory of a client's idle connection after one operation. */
async function measureConnections(): Promise<void> {
  await using gateway = await startProcess(bank.url);
  await costOf([gateway], 'profile');
  const before = rssMiB(gateway);
  const sockets: Socket[] = [];
  const [request = ''] = requestsOf('profile');
  while (sockets.length < idleConnections) {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    socket.write(request);
    await once(socket, 'data');
    sockets.push(socket);
  }
  const kib = ((rssMiB(gateway) - before) * 1024) / idleConnections;
  console.log(`${idleConnections} idle connections: ${kib.toFixed(1)} KiB each`);
  for (const socket of sockets) socket.destroy();
}

async function costOf(
  gateways: readonly GatewayProcess[],
  workload: WorkloadName,
  onWarm: () => Promise<void> = () => Promise.resolve(),
) {
  const load = (length: number) =>
    Promise.all(
      gateways.map(({ url }) =>
        runLoad({
          ...{
            url,
            requests: requestsOf(workload),
            connections,
            perSecond: null,
            seconds: length,
          },
        }),
      ),
    );
  await load(1);
  await onWarm();
  const callsBefore = await callsOf(gateways);
  const before = gateways.map((gateway) => gateway.cpuSeconds());
  const results = await load(seconds);
  await sleep(100);
  const cpuSeconds = gateways.reduce(
    (sum, one, at) => sum + one.cpuSeconds() - (before[at] ?? 0),
    0,
  );
  const calls = (await callsOf(gateways)) - callsBefore;
  const operations = results.reduce((sum, { good }) => sum + good, 0);
  const failed = results.flatMap(({ others }) => Object.keys(others));
  if (failed.length > 0) throw new Error(`operations failed: ${failed.join(', ')}`);
  return {
    operations,
    calls: Math.round((calls / operations) * 100) / 100,
    cpuMicros: Math.round((cpuSeconds / operations) * 1e6),
    rssMiB: gateways.map(rssMiB),
  };
}

/** The number of exchanges of all gateways with the service so far, without resent requests. */
async function callsOf(gateways: readonly GatewayProcess[]): Promise<number> {
  const texts = gateways.map(async ({ adminUrl }) => (await fetch(`${adminUrl}/metrics`)).text());
  const counts = (await Promise.all(texts)).flatMap((text) => [
    ...text.matchAll(/_exchange_duration_seconds_count\{.*\} (\d+)/g),
  ]);
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

function requestsOf(workload: WorkloadName): Buffer[] {
  const document = documentOf('contract', workload, account?.id ?? '');
  const tenant = holder?.tenant ?? '';
  return tokens.map((token) =>
    graphqlRequest(document, { authorization: `Bearer ${token}`, 'x-tenant-id': tenant }),
  );
}

async function mintTokens(count: number): Promise<string[]> {
  const minted = Array.from({ length: count }, async (_, index) => {
    const body = JSON.stringify({ holder: holder?.id, claims: { jti: String(index) } });
    const response = await fetch(`${bank.url}/__bank/tokens`, { method: 'POST', body });
    return ((await response.json()) as { readonly token: string }).token;
  });
  return Promise.all(minted);
}

function rssMiB({ pid }: GatewayProcess): number {
  const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kib) / 1024);
}

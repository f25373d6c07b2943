// The soak test: two gateways behind HAProxy with good, bad and hostile callers, a failing service, rotated keys, and
// restarts of Redis and replicas. Checks that every answer has an allowed outcome, and that the memory and sockets of
// one gateway do not grow. Needs Linux, haproxy and redis-server. Usage: `npm run soak -- [seconds] [file for a plot]`;
// by default, 1,800 s and no plot.
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { type ReplicaPorts, startHAProxy, untilServed } from '../../deploy/haproxy/proxy.ts';
import { startBank } from '../../src/sandbox/bank.ts';
import { startKeyServer } from '../../test/support/key-server.ts';
import { freePort } from '../../test/support/port.ts';
import { startRedis } from '../../test/support/redis.ts';
import { type GatewayProcess, startProcess } from '../gateway-process.ts';
import { requirePrograms } from '../process.ts';
import { createIssuer } from './callers.ts';
import { disturbService, restartRedis, rotateKeys } from './disturbances.ts';
import { pause, rates, runMixedLoad } from './load.ts';
import { plotOf, type Sample } from './plot.ts';
import type { Memory } from './probe.ts';
import { isFlat, type Trend, trendOf } from './trend.ts';

requirePrograms('haproxy', 'redis-server');
const seconds = Number(process.argv[2] ?? 1800);
const plotPath = process.argv[3];

/**
 * The warm-up, in which caches fill and code is compiled. In a run of the default length, the warm-up and the time
 * after it consist of whole rounds of outages.
 */
const warmUpSeconds = Math.min(seconds / 2, 180);
const sampleEverySeconds = Math.max(2, seconds / 240);
/**
 * The allowed growth of memory and sockets, as a share of the mean. It is larger for a short run, in which memory is
 * less steady.
 */
const tolerance = seconds < 600 ? 0.05 : 0.02;
/**
 * The interval between changes of the issuer's key. There are at most fifteen changes in a run, because entries for the
 * tokens of each key stay in memory until they are evicted.
 */
const keyEveryMs = Math.max(30, seconds / 15) * 1000;
const redisEveryMs = 40_000;
const restartEveryMs = 10_000;

await using bank = await startBank({ latencyMs: 5 });
await using redis = await startRedis();
const issuer = await createIssuer(bank);
const keyServer = await startKeyServer(...issuer.keys());
const ports = { a: await freePorts(), b: await freePorts() };
let a = await startReplica(ports.a);
const b = await startReplica(ports.b);
const atRest = socketsOf(b);
const descriptorsAtRest = descriptorsOf(b);
await fillOperationCache(b.url);
const listen = await freePort();
const haproxy = startHAProxy(listen, ports.a, ports.b);
await untilServed(listen);

const ending = new AbortController();
const { signal } = ending;
const samples: Sample[] = [];
const startedMs = performance.now();
let sign: () => void = () => undefined;
const load = runMixedLoad(
  { url: `http://127.0.0.1:${listen}`, replicaUrl: b.url, bank, issuer },
  seconds,
  (signAll) => (sign = signAll),
);
const disturbed = Promise.all([
  disturbService(bank, signal),
  rotateKeys({ issuer, keyServer }, keyEveryMs, () => sign(), signal),
  restartRedis(redis, redisEveryMs, signal),
  restartOther(),
]);
for (let isOver = false; !isOver;) {
  isOver = await Promise.race([load.then(() => true), sleep(sampleEverySeconds * 1000, false)]);
  if (!isOver) samples.push(await sampleOf(b));
}
const { offered, unsent, good, others, p50, p99, beside, unexplained } = await load;
ending.abort();
const [outages, keys, redisRestarts, exitCodes] = await disturbed;
haproxy.kill('SIGKILL');
await bank.goOffline();
await keyServer.goOffline();
const left = await untilAtRest(b);
/** The numbers of open descriptors of all kinds: at rest before the load, and after it. */
const descriptors = [descriptorsAtRest, descriptorsOf(b)];
const cpuSeconds = b.cpuSeconds();
exitCodes.push(await a.stop('SIGTERM'), await b.stop('SIGTERM'));

const steady = samples.filter((sample) => sample.seconds >= warmUpSeconds);
const memory = trendOf(steady.map(({ memoryBytes }) => memoryBytes));
const code = trendOf(steady.map(({ codeBytes }) => codeBytes));
const sockets = trendOf(steady.map((sample) => sample.sockets));
console.log({ seconds, rates, offered, unsent, good, others, beside, p50, p99, cpuSeconds });
console.log({ outages, keys, redisRestarts, restarts: exitCodes.length - 2, unexplained });
console.log({
  samples: steady.length,
  memoryMiB: rounded(memory, 2 ** 20),
  codeMiB: rounded(code, 2 ** 20),
  sockets: rounded(sockets, 1),
  atRest,
  left,
  descriptors,
});
if (plotPath !== undefined) writeFileSync(plotPath, plotOf(samples, warmUpSeconds));

/**
 * Whether an outcome means that load was shed, which is allowed in a short run. Such a run shares its machine with
 * other checks, so a gateway may be late, and HAProxy may find no available gateway.
 */
const isShed = (outcome: string) => seconds < 600 && /^(?:OVERLOADED|HTTP 503):/.test(outcome);

const checks = {
  'memory after garbage collection is flat': isFlat(memory, tolerance),
  'sockets are flat': isFlat(sockets, tolerance),
  'afterwards no socket is left': left <= atRest,
  'every request was answered, as its caller and the faults of the service explain':
    Object.keys(unexplained).every(isShed),
  'nine in ten operations found a connection to be sent on': unsent <= offered / 10,
  'every gateway ended by itself, with 0': exitCodes.every((code) => code === 0),
};
for (const [what, holds] of Object.entries(checks)) console.log(holds ? 'ok    ' : 'FAILED', what);
const hasPassed = !Object.values(checks).includes(false);
console.log(`${hasPassed ? 'PASSED' : 'FAILED'} after ${seconds} s`);
if (!hasPassed) process.exitCode = 1;

async function freePorts(): Promise<ReplicaPorts> {
  return [await freePort(), await freePort()];
}

function startReplica([port, adminPort]: ReplicaPorts): Promise<GatewayProcess> {
  return startProcess(bank.url, {
    env: {
      ...{ PORT: String(port), ADMIN_PORT: String(adminPort), SHUTDOWN_DELAY_MS: '3000' },
      ...{ UPSTREAM_TIMEOUT_MS: '1000', OPERATION_TIMEOUT_MS: '3000', UPSTREAM_CONNECTIONS: '16' },
      ...{ REDIS_URL: redis.url, RATE_LIMIT_PER_MINUTE: '400', JWT_JWKS_URL: keyServer.url },
    },
    preload: { path: `${import.meta.dirname}/probe.ts`, flags: ['--expose-gc'] },
  });
}

/** Restarts the gateway that is not measured, again and again. Returns the exit codes. */
async function restartOther(): Promise<(number | null)[]> {
  const codes: (number | null)[] = [];
  while (await pause(restartEveryMs, signal)) {
    codes.push(await a.stop('SIGTERM'));
    a = await startReplica(ports.a);
  }
  return codes;
}

/** Sends more operation texts than a gateway keeps, so that memory is measured with a full cache from the start. */
async function fillOperationCache(url: string): Promise<void> {
  // The agent is closed at the end, because its idle connections would count as open sockets of the gateway.
  const dispatcher = new Agent();
  for (let text = 0; text < 12_000; text += 20) {
    const asked = Array.from({ length: 20 }, async (_, n) => {
      const body = JSON.stringify({ query: `query Text${text + n} { __typename }` });
      const headers = { 'content-type': 'application/json' };
      const options = { dispatcher, method: 'POST', headers, body } as const;
      await (await request(`${url}/graphql`, options)).body.dump();
    });
    await Promise.all(asked);
  }
  await dispatcher.close();
}

async function sampleOf(process: GatewayProcess): Promise<Sample> {
  const { retained, code, resident } = (await process.ask('memory')) as Memory;
  return {
    seconds: (performance.now() - startedMs) / 1000,
    memoryBytes: retained,
    codeBytes: code,
    residentBytes: resident,
    sockets: socketsOf(process),
  };
}

function descriptorsOf({ pid }: GatewayProcess): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** The number of a process's open sockets, including its listeners. */
function socketsOf({ pid }: GatewayProcess): number {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((name) => isSocket(`${folder}/${name}`)).length;
}

function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith('socket:');
  } catch {
    // The descriptor was closed after the folder was read.
    return false;
  }
}

/**
 * Waits up to 10 s until clients and service have closed their connections; returns the number of sockets that are
 * still open, including listeners.
 */
async function untilAtRest(process: GatewayProcess): Promise<number> {
  const endMs = performance.now() + 10_000;
  while (socketsOf(process) > atRest && performance.now() < endMs) await sleep(100);
  return socketsOf(process);
}

function rounded({ mean, growth, error }: Trend, unit: number): Trend {
  const round = (value: number) => Math.round((value / unit) * 100) / 100;
  return { mean: round(mean), growth: round(growth), error: round(error) };
}

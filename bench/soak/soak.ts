// Whether a gateway stays as it is: memory after garbage collection and sockets, while it has to do with clients that
// leave and a service that fails. Linux only. `npm run soak -- [seconds, 1800] [file for a plot, such as soak.svg]`
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startBank } from '../../src/sandbox/bank.ts';
import { type GatewayProcess, startProcess } from '../gateway-process.ts';
import { rates, runMixedLoad } from './load.ts';
import { plotOf, type Sample } from './plot.ts';
import type { Memory } from './probe.ts';
import { isFlat, type Trend, trendOf } from './trend.ts';

const seconds = Number(process.argv[2] ?? 1800);
const plotPath = process.argv[3];

/** Caches fill and code is compiled until then; whole rounds of outages, as is what follows. */
const warmUpSeconds = Math.min(seconds / 2, 180);
const sampleEverySeconds = Math.max(2, seconds / 240);
/**
 * What memory and sockets may gain, of what there is: less would be no leak that matters. In a short run code is still
 * being compiled.
 */
const tolerance = seconds < 600 ? 0.05 : 0.02;

await using bank = await startBank({ latencyMs: 5 });
const gateway = await startProcess(bank.url, {
  env: { UPSTREAM_TIMEOUT_MS: '1000', OPERATION_TIMEOUT_MS: '3000', UPSTREAM_CONNECTIONS: '16' },
  preload: { path: `${import.meta.dirname}/probe.ts`, flags: ['--expose-gc'] },
});
const atRest = socketsOf(gateway);
const samples: Sample[] = [];
const startedMs = performance.now();
const load = runMixedLoad({ url: gateway.url, bank }, seconds);
for (let isOver = false; !isOver;) {
  isOver = await Promise.race([load.then(() => true), sleep(sampleEverySeconds * 1000, false)]);
  if (!isOver) samples.push(await sampleOf(gateway));
}
const { offered, unsent, good, others, p50, p99, steps } = await load;
await bank.goOffline();
const left = await untilAtRest(gateway);
const cpuSeconds = gateway.cpuSeconds();
const exitCode = await gateway.stop('SIGTERM');

const steady = samples.filter((sample) => sample.seconds >= warmUpSeconds);
const memory = trendOf(steady.map(({ memoryBytes }) => memoryBytes));
const sockets = trendOf(steady.map((sample) => sample.sockets));
console.log({ seconds, rates, offered, unsent, good, others, steps, p50, p99, cpuSeconds });
console.log({
  samples: steady.length,
  memoryMiB: rounded(memory, 2 ** 20),
  sockets: rounded(sockets, 1),
  atRest,
  left,
  exitCode,
});
if (plotPath !== undefined) writeFileSync(plotPath, plotOf(samples, warmUpSeconds));

const checks = {
  'memory after garbage collection is flat': isFlat(memory, tolerance),
  'sockets are flat': isFlat(sockets, tolerance),
  'afterwards no socket is left': left <= atRest,
  'no answer is a defect, and no connection broke':
    others['INTERNAL_SERVER_ERROR'] === undefined &&
    others['500'] === undefined &&
    others['0'] === undefined,
  'nine in ten operations found a connection to be sent on': unsent <= offered / 10,
  'nine in ten steps of the walk were answered': steps.lost <= steps.taken / 10,
  'it ended by itself, with 0': exitCode === 0,
};
for (const [what, holds] of Object.entries(checks)) console.log(holds ? 'ok    ' : 'FAILED', what);
if (Object.values(checks).includes(false)) process.exitCode = 1;

async function sampleOf(process: GatewayProcess): Promise<Sample> {
  const { retained, resident } = (await process.ask('memory')) as Memory;
  return {
    seconds: (performance.now() - startedMs) / 1000,
    memoryBytes: retained,
    residentBytes: resident,
    sockets: socketsOf(process),
  };
}

/** Sockets that a process has open: its listeners', its clients' and those to the service. */
function socketsOf({ pid }: GatewayProcess): number {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((name) => isSocket(`${folder}/${name}`)).length;
}

function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith('socket:');
  } catch {
    // Closed since the folder was read.
    return false;
  }
}

/** Sockets that are still there when clients and service have closed all of theirs. */
async function untilAtRest(process: GatewayProcess): Promise<number> {
  const endMs = performance.now() + 10_000;
  while (socketsOf(process) > atRest && performance.now() < endMs) await sleep(100);
  return socketsOf(process);
}

function rounded({ mean, growth, error }: Trend, unit: number): Trend {
  const round = (value: number) => Math.round((value / unit) * 100) / 100;
  return { mean: round(mean), growth: round(growth), error: round(error) };
}

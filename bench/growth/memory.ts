// Measures the memory of an operation that waits for the service, and the memory and CPU time of the process with 1,000
// connections.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { requestOf } from '../contenders.ts';
import { type Fixture, takeFixture } from '../fixture.ts';
import { startProcess } from '../gateway-process.ts';
import { median } from '../median.ts';
import { startService } from '../nginx.ts';
import { useOf } from '../process.ts';
import type { Memory } from '../soak/probe.ts';
import { workloads, type WorkloadName } from '../workloads.ts';
import { wrk } from '../wrk.ts';
import { askOf, costOf, openSite, tenths } from './loads.ts';

export interface WaitingRow {
  readonly workload: WorkloadName;
  /**
   * Memory in KiB held for each operation after garbage collection, including the connections to its client and to the
   * service.
   */
  readonly heldKiB: number;
}

const waiting = 2000;

/**
 * Measures the memory that an operation takes while it waits for its first answer: the difference between the memory
 * with 2,000 such operations and with none, divided by 2,000.
 */
export async function measureWaiting(): Promise<WaitingRow[]> {
  const fixture = await takeFixture(4096);
  const rows: WaitingRow[] = [];
  for (const { name } of workloads) {
    await using service = await startService(fixture, 4000);
    await using gateway = await startProcess(service.url, {
      env: { UPSTREAM_CONNECTIONS: String(4 * waiting) },
      preload: {
        path: new URL('../soak/probe.ts', import.meta.url).pathname,
        flags: ['--expose-gc'],
      },
    });
    const held = async () => ((await gateway.ask('memory')) as Memory).retained;
    const running = { contender: { dialect: 'contract' as const }, url: gateway.url };
    const ask = { ...requestOf(running, name, fixture), length: 0 };
    // A warm-up, so that compiled code and caches exist in both measurements.
    await wrk(ask, { connections: 64, seconds: 10 });
    const before = await held();
    const load = wrk(ask, { connections: waiting, seconds: 4 });
    await sleep(3000);
    const row = { workload: name, heldKiB: tenths(((await held()) - before) / waiting / 1024) };
    await load;
    rows.push(row);
    console.log(row);
  }
  return rows;
}

export interface ResidentRow {
  readonly workload: WorkloadName;
  readonly perSecond: number;
  readonly refused: number;
  /** Resident memory: the maximum, and the means during the second and the last quarter of the load. */
  readonly mostMiB: number;
  readonly earlyMiB: number;
  readonly lateMiB: number;
  /** CPU time of an operation with a few and with many connections, for a service that answers at once. */
  readonly fewMicros: number;
  readonly manyMicros: number;
}

/**
 * The CPU time per operation is measured in `rounds` rounds, each with `few` and then with `many` connections. Resident
 * memory is measured with `many`.
 */
const few = 64;
const many = 1000;
const rounds = 7;

/** The settings of the image, with heap sizes of V8 for a container of 512 MiB. */
const container = {
  NODE_OPTIONS: '--max-old-space-size=259 --max-semi-space-size=32',
  MALLOC_ARENA_MAX: '1',
  MALLOC_TRIM_THRESHOLD_: '4194304',
  NODE_COMPILE_CACHE: join(tmpdir(), 'account-bff-bench-compile-cache'),
};

/**
 * Measures the gateway with the settings of the image: resident memory for `seconds` per workload with a service that
 * answers after 20 ms, and CPU time with one that answers at once.
 */
export async function measureResident(seconds = 30): Promise<ResidentRow[]> {
  const fixture = await takeFixture(4096);
  // Fills the compile cache, as the build of the image does.
  await (await openSite(fixture, 0, container))[Symbol.asyncDispose]();
  const rows: ResidentRow[] = [];
  for (const { name } of workloads) {
    const memory = await residentMemory(name, fixture, seconds);
    const row = { workload: name, ...memory, ...(await costs(name, fixture)) };
    rows.push(row);
    console.log(row);
  }
  return rows;
}

async function residentMemory(workload: WorkloadName, fixture: Fixture, seconds: number) {
  await using site = await openSite(fixture, 20, container);
  const ask = await askOf(site, workload, fixture);
  const samples: number[] = [];
  const load = costOf(site, ask, { connections: many, seconds });
  const isOver = load.then(() => true);
  while (!(await Promise.race([isOver, sleep(500)]))) {
    samples.push(useOf(site.running.pid).rssBytes / 2 ** 20);
  }
  const quarter = Math.floor(samples.length / 4);
  const { perSecond, refused } = await load;
  return {
    ...{ perSecond, refused },
    mostMiB: Math.round(Math.max(...samples)),
    earlyMiB: Math.round(mean(samples.slice(quarter, 2 * quarter))),
    lateMiB: Math.round(mean(samples.slice(-quarter))),
  };
}

async function costs(workload: WorkloadName, fixture: Fixture) {
  await using site = await openSite(fixture, 0, container);
  const ask = await askOf(site, workload, fixture);
  const micros: Record<number, number[]> = { [few]: [], [many]: [] };
  // In an additional first round, which is not counted, V8 compiles the code.
  for (let round = 0; round <= rounds; round++) {
    for (const connections of [few, many]) {
      const { cpuMicros } = await costOf(site, ask, { connections, seconds: 3 });
      if (round > 0) micros[connections]?.push(cpuMicros);
    }
  }
  return { fewMicros: median(micros[few] ?? []), manyMicros: median(micros[many] ?? []) };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

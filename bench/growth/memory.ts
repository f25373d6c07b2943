// Measures memory: of an operation that waits for the service, and of the process under 1,000 concurrent operations.
import { setTimeout as sleep } from 'node:timers/promises';
import { requestOf } from '../contenders.ts';
import { takeFixture } from '../fixture.ts';
import { startProcess } from '../gateway-process.ts';
import { startService } from '../nginx.ts';
import { useOf } from '../process.ts';
import type { Memory } from '../soak/probe.ts';
import { workloads, type WorkloadName } from '../workloads.ts';
import { wrk } from '../wrk.ts';
import { askOf, costOf, openSite, tenths } from './loads.ts';

export interface WaitingRow {
  readonly workload: WorkloadName;
  /** Memory in KiB held for each operation after garbage collection, including both its connections. */
  readonly heldKiB: number;
}

const waiting = 2000;

/**
 * Measures the memory of operations that wait for their first answer: the difference between `waiting` of them and
 * none, per operation.
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
  readonly connections: number;
  readonly perSecond: number;
  readonly refused: number;
  /** The maximum, and the means of the second and of the last quarter of the time. */
  readonly mostMiB: number;
  readonly earlyMiB: number;
  readonly lateMiB: number;
}

/** The heap sizes of V8 in a container of 512 MiB, and the settings of the image. */
const container = {
  NODE_OPTIONS: '--max-old-space-size=259 --max-semi-space-size=32',
  MALLOC_ARENA_MAX: '1',
};

/** Measures resident memory for `seconds` per workload, with a service that answers after 20 ms. */
export async function measureResident(seconds = 30): Promise<ResidentRow[]> {
  const connections = 1000;
  const fixture = await takeFixture(4096);
  const rows: ResidentRow[] = [];
  for (const { name } of workloads) {
    await using site = await openSite(fixture, 20, container);
    const ask = await askOf(site, name, fixture);
    const samples: number[] = [];
    const load = costOf(site, ask, { connections, seconds });
    const isOver = load.then(() => true);
    while (!(await Promise.race([isOver, sleep(500)]))) {
      samples.push(useOf(site.running.pid).rssBytes / 2 ** 20);
    }
    const quarter = Math.floor(samples.length / 4);
    const { perSecond, refused } = await load;
    const row = {
      ...{ workload: name, connections, perSecond, refused },
      mostMiB: Math.round(Math.max(...samples)),
      earlyMiB: Math.round(mean(samples.slice(quarter, 2 * quarter))),
      lateMiB: Math.round(mean(samples.slice(-quarter))),
    };
    rows.push(row);
    console.log(row);
  }
  return rows;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

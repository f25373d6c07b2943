// Puts a gateway under load and measures the cost of an operation, for the parts of growth.ts.
import {
  askOnce,
  gateway,
  requestOf,
  type RunningContender,
  startContender,
} from '../contenders.ts';
import type { Fixture } from '../fixture.ts';
import { type StaticService, startService } from '../nginx.ts';
import { useOf } from '../process.ts';
import type { WorkloadName } from '../workloads.ts';
import { type Ask, type LoadOptions, wrk } from '../wrk.ts';

export interface Site extends AsyncDisposable {
  readonly service: StaticService;
  readonly running: RunningContender;
}

/** Starts the gateway on core 0, with a service on core 1 that answers after `latencyMs`. */
export async function openSite(
  fixture: Fixture,
  latencyMs = 0,
  env: Readonly<Record<string, string>> = {},
): Promise<Site> {
  const service = await startService(fixture, latencyMs);
  const running = await startContender(gateway, fixture, service, env);
  return {
    service,
    running,
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

/**
 * Returns the request of a workload, with the length of the answer. The request is sent once to determine this length.
 */
export async function askOf(
  { running }: Pick<Site, 'running'>,
  workload: WorkloadName,
  fixture: Fixture,
): Promise<Ask> {
  return withLength(requestOf(running, workload, fixture));
}

export async function withLength(request: Omit<Ask, 'length'>): Promise<Ask> {
  const text = await askOnce(request);
  if (text.includes('"errors"')) throw new Error(text);
  return { ...request, length: Buffer.byteLength(text) };
}

/** The results of a load. */
export interface Cost {
  /** Successful answers per second. */
  readonly perSecond: number;
  /** The gateway's CPU time for all requests, divided by the number of successful answers. */
  readonly cpuMicros: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The share of requests that were answered with an error, or not at all. */
  readonly refused: number;
  readonly rssMiB: number;
}

export async function costOf(
  { running }: Pick<Site, 'running'>,
  ask: Ask,
  options: LoadOptions,
): Promise<Cost> {
  const before = useOf(running.pid);
  const { requests, wrong, broken, seconds, p50Ms, p99Ms } = await wrk(ask, options);
  const after = useOf(running.pid);
  const good = requests - wrong;
  return {
    perSecond: Math.round(good / seconds),
    cpuMicros: Math.round(((after.cpuSeconds - before.cpuSeconds) / good) * 1e6),
    p50Ms: tenths(p50Ms),
    p99Ms: tenths(p99Ms),
    refused: thousandths((wrong + broken) / (requests + broken)),
    rssMiB: Math.round(after.rssBytes / 2 ** 20),
  };
}

export function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}

function thousandths(value: number): number {
  return Math.round(value * 1000) / 1000;
}

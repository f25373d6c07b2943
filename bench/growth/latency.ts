// Measures the latency that the gateway adds to the latency of the service, at half of the gateway's capacity, and
// compares this latency with that of a hand-written handler at the same rate.
import { handler, startContender } from '../contenders.ts';
import { type Fixture, pagePath, takeFixture } from '../fixture.ts';
import { median } from '../median.ts';
import type { StaticService } from '../nginx.ts';
import { type WorkloadName, workloads } from '../workloads.ts';
import { type Ask, type LoadResult, wrk } from '../wrk.ts';
import { askOf, costOf, openSite, type Site, tenths } from './loads.ts';

export interface LatencyRow {
  readonly workload: WorkloadName;
  /** Operations per second: the capacity with 256 connections, and the rate of the measured load. */
  readonly capacity: number;
  readonly offered: number;
  /** The latency of the service when it is called directly, at the rate of the gateway's calls. */
  readonly serviceP50Ms: number;
  readonly serviceP99Ms: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /**
   * The latency minus the service's own p50, which is deducted once for each call in the longest sequence of dependent
   * calls.
   */
  readonly addedP50Ms: number;
  readonly addedP99Ms: number;
  /** The latency that the hand-written handler adds at the same rate, for comparison. */
  readonly handlerAddedP50Ms: number;
  readonly handlerAddedP99Ms: number;
  /** The added p99 of the gateway and of the handler in each round. */
  readonly addedP99sMs: readonly number[];
  readonly handlerAddedP99sMs: readonly number[];
}

const connections = 256;
const latencyMs = 20;

/**
 * Measures the service, the gateway and the handler in `times` rounds; in each round, one after another for `seconds`
 * each. Returns medians.
 */
export async function measureLatency(times = 7, seconds = 10): Promise<LatencyRow[]> {
  const fixture = await takeFixture(2048);
  const rows: LatencyRow[] = [];
  await using site = await openSite(fixture, latencyMs);
  await using running = await startContender(handler, fixture, site.service);
  const direct = directly(site.service, fixture);
  for (const { name, calls, rounds } of workloads) {
    const ask = await askOf(site, name, fixture);
    const byHand = await askOf({ running }, name, fixture);
    await capacityOf({ running }, byHand);
    const { perSecond: capacity } = await capacityOf(site, ask);
    const half = capacity / 2;
    const [own, through, handled]: [LoadResult[], LoadResult[], LoadResult[]] = [[], [], []];
    while (through.length < times) {
      own.push(await offer(direct, half * calls, latencyMs, seconds));
      through.push(await offer(ask, half, rounds * latencyMs, seconds));
      handled.push(await offer(byHand, half, rounds * latencyMs, seconds));
    }
    const service = rounds * medianOf(own, p50);
    const added = (ms: number) => tenths(ms - service);
    const row = {
      ...{ workload: name, capacity, offered: Math.round(medianOf(through, perSecond)) },
      ...{ serviceP50Ms: tenths(medianOf(own, p50)), serviceP99Ms: tenths(medianOf(own, p99)) },
      ...{ p50Ms: tenths(medianOf(through, p50)), p99Ms: tenths(medianOf(through, p99)) },
      ...{ addedP50Ms: added(medianOf(through, p50)), addedP99Ms: added(medianOf(through, p99)) },
      handlerAddedP50Ms: added(medianOf(handled, p50)),
      handlerAddedP99Ms: added(medianOf(handled, p99)),
      addedP99sMs: through.map(({ p99Ms }) => added(p99Ms)),
      handlerAddedP99sMs: handled.map(({ p99Ms }) => added(p99Ms)),
    };
    rows.push(row);
    console.log(row);
  }
  return rows;
}

const p50 = ({ p50Ms }: LoadResult) => p50Ms;
const p99 = ({ p99Ms }: LoadResult) => p99Ms;
const perSecond = ({ requests, seconds }: LoadResult) => requests / seconds;

function medianOf(loads: readonly LoadResult[], figure: (load: LoadResult) => number): number {
  return median(loads.map(figure));
}

/** Measures the throughput with 256 connections after a warm-up. */
async function capacityOf(site: Pick<Site, 'running'>, ask: Ask) {
  await costOf(site, ask, { connections, seconds: 4 });
  return costOf(site, ask, { connections, seconds: 5 });
}

function directly(service: StaticService, { accounts, answers, tenant, tokens }: Fixture): Ask {
  const path = pagePath(accounts[0] ?? '', 0);
  const length = Buffer.byteLength(answers.get(path) ?? '');
  return { ...{ url: service.url, method: 'GET', path, body: null }, tenant, tokens, length };
}

/**
 * Offers `perSecond` operations per second. After each answer, a connection pauses until, on average, its next request
 * is due. The length of the pause is computed for answers that take `answerMs`.
 */
async function offer(
  ask: Ask,
  perSecond: number,
  answerMs: number,
  seconds: number,
): Promise<LoadResult> {
  const turnMs = (connections / perSecond) * 1000;
  const delayMs = Math.max(0, turnMs - answerMs);
  const load = await wrk(ask, { connections, seconds, delayMs });
  if (load.wrong + load.broken > 0) throw new Error(`wrong answers: ${JSON.stringify(load)}`);
  return load;
}

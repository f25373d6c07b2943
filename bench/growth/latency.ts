// What the gateway adds to the service's own latency, at half of what it can do.
import { takeFixture, pagePath } from '../fixture.ts';
import { workloads, type WorkloadName } from '../workloads.ts';
import type { Ask, LoadResult } from '../wrk.ts';
import { wrk } from '../wrk.ts';
import { askOf, costOf, openSite, tenths } from './loads.ts';

export interface LatencyRow {
  readonly workload: WorkloadName;
  /** Operations a second: what it can do with these connections, and what it was offered. */
  readonly capacity: number;
  readonly offered: number;
  /** Of the service, asked directly by the same load, as often as the gateway asks it. */
  readonly serviceP50Ms: number;
  readonly serviceP99Ms: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Beyond the calls that have to follow one another, each at the service's own p50. */
  readonly addedP50Ms: number;
  readonly addedP99Ms: number;
}

const connections = 256;
const latencyMs = 20;

export async function measureLatency(seconds = 30): Promise<LatencyRow[]> {
  const fixture = await takeFixture(2048);
  const rows: LatencyRow[] = [];
  await using site = await openSite(fixture, latencyMs);
  for (const { name, calls, rounds } of workloads) {
    const ask = await askOf(site, name, fixture);
    await costOf(site, ask, { connections, seconds: 4 });
    const { perSecond: capacity } = await costOf(site, ask, { connections, seconds: 5 });
    const direct: Ask = {
      ...{ url: site.service.url, method: 'GET', path: pagePath(fixture.accounts[0] ?? '', 0) },
      ...{ body: null, tenant: fixture.tenant, tokens: fixture.tokens },
      length: Buffer.byteLength(fixture.answers.get(pagePath(fixture.accounts[0] ?? '', 0)) ?? ''),
    };
    const half = capacity / 2;
    const own = await offer(direct, half * calls, latencyMs, seconds);
    const through = await offer(ask, half, rounds * latencyMs, seconds);
    const row = {
      ...{ workload: name, capacity, offered: Math.round(through.requests / through.seconds) },
      serviceP50Ms: tenths(own.p50Ms),
      serviceP99Ms: tenths(own.p99Ms),
      p50Ms: tenths(through.p50Ms),
      p99Ms: tenths(through.p99Ms),
      addedP50Ms: tenths(through.p50Ms - rounds * own.p50Ms),
      addedP99Ms: tenths(through.p99Ms - rounds * own.p50Ms),
    };
    rows.push(row);
    console.log(row);
  }
  return rows;
}

/** So many a second: each connection thinks as long as is left of its turn once the answer is there. */
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

// Compares one process, two processes, and two workers of node:cluster. Gateway, load and service share all cores of
// the machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Fixture, takeFixture } from '../fixture.ts';
import { gatewayEnv, requestOf } from '../contenders.ts';
import { type StaticService, startService } from '../nginx.ts';
import { freePort } from '../../test/support/port.ts';
import { untilItAnswers, useOf } from '../process.ts';
import { wrk } from '../wrk.ts';
import { tenths, withLength } from './loads.ts';

export interface ProcessesRow {
  readonly way: 'one process' | 'two processes' | 'two workers of node:cluster';
  readonly perSecond: number;
  readonly cpuMicros: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly rssMiB: number;
}

interface Group extends AsyncDisposable {
  readonly urls: readonly string[];
  readonly pids: readonly number[];
}

const main = new URL('../../src/main.ts', import.meta.url).pathname;
const cluster = new URL('./cluster.ts', import.meta.url).pathname;
const ways: ReadonlyMap<ProcessesRow['way'], readonly string[]> = new Map([
  ['one process', [main]],
  ['two processes', [main, main]],
  ['two workers of node:cluster', [cluster]],
]);

/**
 * Measures each of the three ways once per round, one after another; returns for each way the result with the median
 * throughput.
 */
export async function compareProcesses(rounds = 3): Promise<ProcessesRow[]> {
  const fixture = await takeFixture();
  await using service = await startService(fixture, 0, null);
  await using stack = new AsyncDisposableStack();
  const groups = new Map<ProcessesRow['way'], Group>();
  for (const [way, scripts] of ways) {
    groups.set(way, stack.use(await startGroup(scripts, fixture, service)));
  }
  const found: ProcessesRow[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const [way, group] of groups) found.push(await load(way, group, fixture));
  }
  return [...groups.keys()].map((way) => {
    const rows = found
      .filter((row) => row.way === way)
      .toSorted((a, b) => a.perSecond - b.perSecond);
    const row = rows[Math.floor(rows.length / 2)];
    if (row === undefined) throw new Error(`nothing was measured of ${way}`);
    console.log(row);
    return row;
  });
}

async function startGroup(
  scripts: readonly string[],
  fixture: Fixture,
  service: StaticService,
): Promise<Group> {
  const started = scripts.map(async (script) => {
    const port = await freePort();
    const env = {
      ...process.env,
      NODE_ENV: 'production',
      ...gatewayEnv({ fixture, service, port }),
    };
    const child = spawn(process.execPath, [script], {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const ended = once(child, 'exit');
    const url = `http://127.0.0.1:${port}`;
    await untilItAnswers(url, ended);
    return { url, child, ended };
  });
  const members = await Promise.all(started);
  return {
    urls: members.map(({ url }) => url),
    pids: members.map(({ child }) => child.pid ?? 0),
    async [Symbol.asyncDispose]() {
      for (const { child } of members) child.kill('SIGTERM');
      await Promise.all(members.map(({ ended }) => ended));
    },
  };
}

/** Measures with 64 connections in all, divided evenly between the addresses of the group. */
async function load(
  way: ProcessesRow['way'],
  { urls, pids }: Group,
  fixture: Fixture,
): Promise<ProcessesRow> {
  const options = { connections: 64 / urls.length, core: null };
  const asks = await Promise.all(
    urls.map((url) =>
      withLength(requestOf({ contender: { dialect: 'contract' }, url }, 'page', fixture)),
    ),
  );
  await Promise.all(asks.map((ask) => wrk(ask, { ...options, seconds: 3 })));
  const cpuBefore = sum(pids.map((pid) => useOf(pid).cpuSeconds));
  const loads = await Promise.all(asks.map((ask) => wrk(ask, { ...options, seconds: 5 })));
  const uses = pids.map(useOf);
  const requests = sum(loads.map((one) => one.requests));
  return {
    way,
    perSecond: Math.round(sum(loads.map((one) => one.requests / one.seconds))),
    cpuMicros: Math.round(((sum(uses.map((use) => use.cpuSeconds)) - cpuBefore) / requests) * 1e6),
    p50Ms: tenths(Math.max(...loads.map(({ p50Ms }) => p50Ms))),
    p99Ms: tenths(Math.max(...loads.map(({ p99Ms }) => p99Ms))),
    rssMiB: Math.round(sum(uses.map((use) => use.rssBytes)) / 2 ** 20),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

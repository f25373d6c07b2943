// Compares the gateway with its peers: `npm run bench`, or
// `npm run bench -- --rounds 1 --seconds 1 --only rest,account-bff [--together]`.
import { parseArgs } from 'node:util';
import { help, readArguments } from '../scripts/arguments.ts';
import {
  askOnce,
  type Contender,
  contenders,
  requestOf,
  type RunningContender,
  startContender,
} from './contenders.ts';
import { differences } from './expected.ts';
import { type Fixture, takeFixture } from './fixture.ts';
import { programs, type StaticService, startService } from './nginx.ts';
import { requirePrograms, useOf } from './process.ts';
import { describeMachine, packageVersion, writeResults, type Machine } from './surroundings.ts';
import { type Workload, type WorkloadName, workloads } from './workloads.ts';
import { type Ask, wrk } from './wrk.ts';

/** Measurements of one contender with one workload; each list has one value per round. */
export interface Measured {
  /** User and system time of the whole process tree, per operation. */
  readonly cpuMicros: number[];
  readonly perSecond: number[];
  readonly p50Ms: number[];
  readonly p99Ms: number[];
  /** Calls to the service per operation. */
  readonly calls: number[];
  readonly rssMiB: number[];
}

export interface Comparison {
  readonly machine: Machine;
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly contenders: readonly {
    readonly name: string;
    readonly title: string;
    readonly package: string | null;
    readonly version: string | null;
    readonly workloads: Record<WorkloadName, Measured>;
  }[];
}

const known = {
  rounds: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '3' },
  connections: { type: 'string', default: '64' },
  only: { type: 'string' },
  /**
   * Loads all contenders at once, so that changes in the machine's speed affect them alike. `calls` then includes the
   * calls of the other contenders.
   */
  together: { type: 'boolean', default: false },
  help,
} as const;
const usage =
  'npm run bench -- [--rounds 5] [--seconds 3] [--connections 64] [--only NAME,NAME] [--together]';
const { values: options } = readArguments(usage, () => parseArgs({ options: known }));
const rounds = Number(options.rounds);
const seconds = Number(options.seconds);
const connections = Number(options.connections);
const only = options.only?.split(',');
const chosen = contenders.filter(({ name }) => only?.includes(name) ?? true);

/** A contender with one workload. The contender's answer to the workload has been checked. */
interface Course {
  readonly running: RunningContender;
  readonly workload: Workload;
  readonly ask: Ask;
  readonly measured: Measured;
}

requirePrograms(...programs, ...(chosen.some(({ name }) => name === 'rest-go') ? ['go'] : []));
const fixture = await takeFixture();
await using service = await startService(fixture);
await using stack = new AsyncDisposableStack();
const courses: Course[] = [];
for (const contender of chosen) {
  const running = stack.use(await startContender(contender, fixture, service));
  for (const workload of workloads) courses.push(await prepare(running, workload, fixture));
  console.log(`${contender.name} answers as it should`);
}
for (let round = 0; round < rounds; round++) {
  for (const { name } of workloads) await measureAll(name, round);
}
await report();

/**
 * Checks the contender's answer, field by field, and warms the contender up. Throws if the answer differs from the
 * expected one.
 */
async function prepare(
  running: RunningContender,
  workload: Workload,
  { tokens }: Fixture,
): Promise<Course> {
  const request = requestOf(running, workload.name, fixture);
  const text = await askOnce(request);
  const faults = faultsOf(running.contender, workload.name, text);
  const who = `${running.contender.name}, ${workload.title}`;
  if (faults.length > 0) throw new Error([who, ...faults.slice(0, 10)].join('\n'));
  const ask = { ...request, tokens, length: Buffer.byteLength(text) };
  await warmUp(ask);
  const lists = { cpuMicros: [], perSecond: [], p50Ms: [], p99Ms: [], calls: [], rssMiB: [] };
  return { running, workload, ask, measured: lists };
}

/**
 * Sends requests in runs of 2 s until 30,000 have been sent, but in at most five runs. The number of requests matters
 * more than the time, because V8 compiles a function after a number of calls, and calls take longer on a busy machine.
 */
async function warmUp(ask: Ask): Promise<void> {
  for (let requests = 0, runs = 0; requests < 30_000 && runs < 5; runs++) {
    requests += (await wrk(ask, { connections, seconds: 2 })).requests;
  }
}

function faultsOf({ dialect, decimals }: Contender, workload: WorkloadName, text: string) {
  const body = JSON.parse(text) as { data?: unknown; errors?: unknown };
  if (body.errors !== undefined) return [JSON.stringify(body.errors)];
  const data = dialect === 'rest' ? body : body.data;
  return differences(data, dialect, workload, fixture, decimals);
}

/**
 * Measures the contenders one after another, beginning with a different contender in each round, or measures all of
 * them at the same time.
 */
async function measureAll(name: WorkloadName, round: number): Promise<void> {
  const lanes = courses.filter(({ workload }) => workload.name === name);
  const first = round % lanes.length;
  if (options.together) await Promise.all(lanes.map((lane) => measure(lane, service)));
  else {
    for (const lane of [...lanes.slice(first), ...lanes.slice(0, first)]) {
      await measure(lane, service);
    }
  }
  const line = lanes.map(
    ({ running, measured }) =>
      `${running.contender.name} ${Math.round(measured.cpuMicros.at(-1) ?? NaN)}`,
  );
  console.log(`round ${round + 1}, ${name}, CPU µs an operation: ${line.join(', ')}`);
}

async function measure(course: Course, upstream: StaticService): Promise<void> {
  const { running, ask, measured, workload } = course;
  // A short run before the measurement opens the connections and lets the contender authenticate the callers again.
  await wrk(ask, { connections, seconds: 1 });
  const calls = await upstream.calls();
  const before = useOf(running.pid);
  const load = await wrk(ask, { connections, seconds });
  const after = useOf(running.pid);
  const { requests, wrong, broken, p50Ms, p99Ms } = load;
  if (wrong + broken > 0) {
    const who = `${running.contender.name}, ${workload.title}`;
    throw new Error(`${who}: ${wrong} wrong answers and ${broken} none, of ${requests}`);
  }
  // On a busy machine, the contender may have answered no request at all. It is then measured again.
  if (requests === 0) return measure(course, upstream);
  measured.cpuMicros.push(((after.cpuSeconds - before.cpuSeconds) / requests) * 1e6);
  measured.perSecond.push(requests / load.seconds);
  measured.p50Ms.push(p50Ms);
  measured.p99Ms.push(p99Ms);
  measured.calls.push(((await upstream.calls()) - calls) / requests);
  measured.rssMiB.push(after.rssBytes / 2 ** 20);
}

async function report(): Promise<void> {
  const entries = chosen.map(async ({ name, title, package: packageName }) => {
    const own = courses.filter(({ running }) => running.contender.name === name);
    return {
      ...{ name, title, package: packageName },
      version: packageName === null ? null : await packageVersion(packageName),
      workloads: Object.fromEntries(own.map(({ workload, measured }) => [workload.name, measured])),
    };
  });
  const machine = await describeMachine();
  const results = { machine, rounds, seconds, connections, contenders: await Promise.all(entries) };
  // The results are recorded only if no contender was left out and the contenders were not loaded at the same time.
  // Otherwise the results are only printed.
  if (only === undefined && !options.together) await writeResults('compare', results);
  else console.log(JSON.stringify(results, null, 1));
}

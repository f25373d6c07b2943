// `npm run prove:walk` checks every history of small statements. See README.md in this folder.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { startTestGateway } from '../support/gateway.ts';
import { addCounts, isDefect, noCounts, sumUp, type Counted, type Summary } from './findings.ts';
import { mutants, plant } from './mutants.ts';
import { replay } from './replay.ts';
import { tasksOf } from './scope.ts';
import { createHttpService, createVirtualService, type CreateStatements } from './service.ts';
import type { Task } from './search.ts';
import { statementOf } from './statement.ts';

const { values } = parseArgs({
  options: {
    scope: { type: 'string', default: 'full' },
    planner: { type: 'string', default: new URL('../../src', import.meta.url).pathname },
    workers: { type: 'string', default: String(Math.min(2, availableParallelism())) },
    /** Replays one history from the report, over HTTP unless --virtual. */
    replay: { type: 'string' },
    virtual: { type: 'boolean', default: false },
    /** Plants defects in copies of the planner and reports whether the scopes tiny and pairs find them. */
    mutants: { type: 'boolean', default: false },
    /** A part of the name of the defects to plant. */
    only: { type: 'string', default: '' },
  },
});

if (values.replay !== undefined) process.exitCode = await play(values.replay);
else process.exitCode = values.mutants ? await proveMutants() : await prove();

/** 1 if there is a defect. */
async function prove(): Promise<number> {
  const started = performance.now();
  const summary = await walkAll(values.planner, values.scope);
  console.log(sumUp(summary));
  const seconds = Math.round((performance.now() - started) / 1000);
  const cpuSeconds = Math.round(process.cpuUsage().user / 1e6);
  console.log(`${seconds} s on ${values.workers} threads, ${cpuSeconds} s of CPU`);
  return defectsIn(summary) > 0 ? 1 : 0;
}

/** 1 if the check does not find one of the planted defects: in more histories than by the planner itself something is amiss. */
async function proveMutants(): Promise<number> {
  const scopes = ['tiny', 'pairs'];
  const own = new Map<string, Summary>();
  for (const scope of scopes) own.set(scope, await walkAll(values.planner, scope, 0));
  let missed = 0;
  for (const mutant of mutants.filter(({ name }) => name.includes(values.only))) {
    const folder = await plant(values.planner, mutant);
    let how: string | undefined;
    for (const scope of scopes) how ??= moreFaults(await walkAll(folder, scope, 0), own.get(scope));
    missed += how === undefined ? 1 : 0;
    console.log(`${how === undefined ? 'MISSED' : 'found '} ${mutant.name}: ${how ?? 'nothing'}`);
  }
  console.log(`${mutants.length - missed} of ${mutants.length} planted defects found`);
  return missed > 0 ? 1 : 0;
}

/** What is amiss in more histories than by the planner itself, whether a twin excuses it or not. */
function moreFaults({ counts, found }: Summary, own: Summary | undefined): string | undefined {
  const isMore = (name: 'wrong' | 'expired') => counts[name] > (own?.counts[name] ?? 0);
  const callsIn = (one: Summary | undefined) =>
    [...(one?.found.values() ?? [])]
      .filter(({ kind }) => kind === 'calls')
      .reduce((sum, { histories }) => sum + histories, 0);
  if (isMore('wrong')) return `${counts.wrong} wrong answers, not ${own?.counts.wrong}`;
  if (isMore('expired')) return `${counts.expired} errors, not ${own?.counts.expired}`;
  const calls = callsIn({ counts, found });
  return calls > callsIn(own)
    ? `${calls} beyond the bound on calls, not ${callsIn(own)}`
    : undefined;
}

async function walkAll(planner: string, scope: string, deeper?: number): Promise<Summary> {
  const tasks = tasksOf(scope, deeper);
  const summary: Summary = { counts: noCounts(), found: new Map() };
  const work = () => doTasks(planner, tasks, (counted) => addCounts(summary, counted));
  await Promise.all(Array.from({ length: Number(values.workers) }, work));
  return summary;
}

function defectsIn({ found }: Summary): number {
  const defects = [...found.values()].filter(({ kind }) => isDefect(kind));
  return defects.reduce((sum, { histories }) => sum + histories, 0);
}

/** Lets one thread take tasks until none are left. */
function doTasks(planner: string, tasks: Task[], done: (counted: Counted) => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const worker = new Worker(new URL('prove-worker.ts', import.meta.url), {
    workerData: planner,
  });
  const next = () => {
    const task = tasks.shift();
    if (task !== undefined) worker.postMessage(task);
    else worker.terminate().then(() => resolve(undefined), reject);
  };
  worker.on('message', (counted: Counted) => {
    done(counted);
    next();
  });
  worker.on('error', reject);
  next();
  return promise;
}

/** 1 if the answers are wrong. */
async function play(code: string): Promise<number> {
  if (values.virtual) {
    const { createStatements } = (await import(`${values.planner}/statement/statement.ts`)) as {
      createStatements: CreateStatements;
    };
    const service = createVirtualService(createStatements, statementOf('posted', [], 1));
    return (await replay(service, code, (line) => console.log(line))) ? 0 : 1;
  }
  await using gateway = await startTestGateway();
  await using http = await createHttpService(gateway);
  return (await replay(http.service, code, (line) => console.log(line))) ? 0 : 1;
}

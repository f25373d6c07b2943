// `npm run prove:walk`: every history of small statements, over the planner. See README.md beside this file.
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
    /** full, or small: what CI runs. */
    scope: { type: 'string', default: 'full' },
    planner: { type: 'string', default: new URL('../../src', import.meta.url).pathname },
    workers: { type: 'string', default: String(Math.min(2, availableParallelism())) },
    /** Plays one history as the report names it, over HTTP unless --virtual. */
    replay: { type: 'string' },
    virtual: { type: 'boolean', default: false },
    /** Plants defects in copies of the planner and says whether the scope finds them. */
    mutants: { type: 'boolean', default: false },
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

/** 1 if the check does not find one of the planted defects. */
async function proveMutants(): Promise<number> {
  let missed = 0;
  for (const mutant of mutants) {
    const folder = await plant(values.planner, mutant);
    let summary = await walkAll(folder, 'tiny', 0);
    if (defectsIn(summary) === 0) summary = await walkAll(folder, 'small', 0);
    const isFound = defectsIn(summary) > 0;
    missed += isFound ? 0 : 1;
    const first = summary.found.values().find(({ kind }) => isDefect(kind));
    const how = first === undefined ? '' : `: ${first.kind}, ${first.what}, ${first.route}`;
    console.log(`${isFound ? 'found ' : 'MISSED'} ${mutant.name}${isFound ? how : ''}`);
  }
  console.log(`${mutants.length - missed} of ${mutants.length} planted defects found`);
  return missed > 0 ? 1 : 0;
}

/** Walks the whole scope, or until more histories than that have a defect. */
async function walkAll(planner: string, scope: string, most = Infinity): Promise<Summary> {
  const tasks = tasksOf(scope);
  const summary: Summary = { counts: noCounts(), found: new Map() };
  const take = () => (defectsIn(summary) > most ? undefined : tasks.shift());
  const work = () => doTasks(planner, take, (counted) => addCounts(summary, counted));
  await Promise.all(Array.from({ length: Number(values.workers) }, work));
  return summary;
}

function defectsIn({ found }: Summary): number {
  const defects = [...found.values()].filter(({ kind }) => isDefect(kind));
  return defects.reduce((sum, { histories }) => sum + histories, 0);
}

/** Lets one thread do tasks until there are none. */
function doTasks(
  planner: string,
  take: () => Task | undefined,
  done: (counted: Counted) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const worker = new Worker(new URL('prove-worker.ts', import.meta.url), {
    workerData: planner,
  });
  const next = () => {
    const task = take();
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

// `npm run prove:walk` checks every history of small statements. See README.md in this folder.
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { help, readArguments } from '../../scripts/arguments.ts';
import {
  addCounts,
  faultsIn,
  defectsIn,
  noCounts,
  sumUp,
  type Counted,
  type Summary,
} from './findings.ts';
import { mutants, plant } from './mutants.ts';
import { replay } from './replay.ts';
import { tasksOf } from './scope.ts';
import { createHttpService, createVirtualService, type StatementsClass } from './service.ts';
import type { Task } from './search.ts';
import { statementOf } from './statement.ts';

const options = {
  scope: { type: 'string', default: 'full' },
  planner: { type: 'string', default: new URL('../../src', import.meta.url).pathname },
  workers: { type: 'string', default: String(Math.min(2, availableParallelism())) },
  /** Replays one history from the report, over HTTP unless --virtual is given. */
  replay: { type: 'string' },
  virtual: { type: 'boolean', default: false },
  /** Writes the numbers of faults without a twin to known.json. */
  update: { type: 'boolean', default: false },
  /** Plants defects in copies of the planner, and prints for each defect a history in which it causes a fault. */
  mutants: { type: 'boolean', default: false },
  /** Plants only the defects whose names contain this string. */
  only: { type: 'string', default: '' },
  help,
} as const;
const { values } = readArguments('npm run prove:walk -- [option]… (test/walk/README.md)', () =>
  parseArgs({ options }),
);

/** The expected numbers of faults without a twin, by scope. */
const knownFile = new URL('known.json', import.meta.url);
const known = JSON.parse(await readFile(knownFile, 'utf8')) as Record<string, object>;

if (values.replay !== undefined) process.exitCode = await play(values.replay);
else process.exitCode = values.mutants ? await proveMutants() : await prove();

/**
 * Checks a scope. Returns the exit code: 1 if the numbers of faults without a twin are not exactly those in known.json,
 * and --update is not given; otherwise 0.
 */
async function prove(): Promise<number> {
  const started = performance.now();
  const { scope, update } = values;
  const summary = await walkAll(values.planner, scope);
  console.log(sumUp(summary));
  const seconds = Math.round((performance.now() - started) / 1000);
  const cpuSeconds = Math.round(process.cpuUsage().user / 1e6);
  console.log(`${seconds} s on ${values.workers} threads, ${cpuSeconds} s of CPU`);
  const defects = defectsIn(summary);
  if (update) {
    await writeFile(knownFile, `${JSON.stringify({ ...known, [scope]: defects }, null, 2)}\n`);
  } else if (!isDeepStrictEqual(defects, known[scope] ?? {})) {
    console.log('not as in known.json, which may only become less:', known[scope], defects);
    console.log(`run npm run prove:walk -- --scope ${scope} --update`);
    return 1;
  }
  return 0;
}

/** Plants defects and checks the copies. Returns the exit code: 1 if the check misses a planted defect, otherwise 0. */
async function proveMutants(): Promise<number> {
  const planted = mutants.filter(({ name }) => name.includes(values.only));
  const original = await plannerIn(values.planner);
  let missed = 0;
  for (const mutant of planted) {
    const history = await historyOf(await plannerIn(await plant(values.planner, mutant)), original);
    missed += history === null ? 1 : 0;
    const result = history === null ? 'MISSED' : 'found ';
    console.log(`${result} ${mutant.name}${history === null ? '' : `: --replay '${history}'`}`);
  }
  console.log(`${planted.length - missed} of ${planted.length} planted defects found`);
  return missed > 0 ? 1 : 0;
}

/**
 * A history in which the planner with the defect is wrong or exceeds the bound on calls, although the original planner
 * is right with fewer calls; null if there is none.
 */
async function historyOf(
  mutant: StatementsClass,
  original: StatementsClass,
): Promise<string | null> {
  const readsIn = (planner: StatementsClass, code: string) =>
    replay(createVirtualService(planner, statementOf('posted', [], 1)), code, () => undefined);
  for (const scope of ['tiny', 'pairs', 'triples']) {
    for (const task of tasksOf(scope, 0).reverse()) {
      for (const code of await faultsIn(mutant, task)) {
        const reads = await readsIn(original, code);
        if (reads !== null && ((await readsIn(mutant, code)) ?? Infinity) > reads) return code;
      }
    }
  }
  return null;
}

async function plannerIn(folder: string): Promise<StatementsClass> {
  const { Statements } = (await import(`${folder}/statement/statement.ts`)) as {
    Statements: StatementsClass;
  };
  return Statements;
}

async function walkAll(planner: string, scope: string): Promise<Summary> {
  const tasks = tasksOf(scope);
  const summary: Summary = { counts: noCounts(), found: new Map() };
  const work = () => doTasks(planner, tasks, (counted) => addCounts(summary, counted));
  await Promise.all(Array.from({ length: Number(values.workers) }, work));
  return summary;
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

/** Replays a history. Returns the exit code: 1 if a call ends with a wrong answer or an error, otherwise 0. */
async function play(code: string): Promise<number> {
  const trace = (line: string) => console.log(line);
  if (values.virtual) {
    const service = createVirtualService(
      await plannerIn(values.planner),
      statementOf('posted', [], 1),
    );
    return (await replay(service, code, trace)) === null ? 1 : 0;
  }
  await using http = await createHttpService();
  return (await replay(http.service, code, trace)) === null ? 1 : 0;
}

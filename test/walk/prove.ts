// `npm run prove:walk`: every history of small statements, over the planner. See README.md beside this file.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { startTestGateway } from '../support/gateway.ts';
import { addCounts, noCounts, sumUp, type Counted, type Summary } from './findings.ts';
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
  },
});

if (values.replay === undefined) process.exitCode = await prove();
else process.exitCode = await play(values.replay);

/** 1 if there is a defect. */
async function prove(): Promise<number> {
  const started = performance.now();
  const tasks = tasksOf(values.scope);
  const summary: Summary = { counts: noCounts(), found: new Map() };
  let done = 0;
  const take = () => tasks.shift();
  await Promise.all(
    Array.from({ length: Number(values.workers) }, () =>
      work(take, (counted) => {
        done++;
        addCounts(summary, counted);
        if (done % 20 === 0) console.error(`${done} parts, ${summary.counts.histories} histories`);
      }),
    ),
  );
  const { user } = process.cpuUsage();
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(sumUp(summary));
  console.log(`${seconds} s on ${values.workers} threads, ${Math.round(user / 1e6)} s of CPU`);
  return summary.found.values().some(({ kind }) => kind === 'defect' || kind === 'calls') ? 1 : 0;
}

/** Lets one thread do tasks until there are none. */
function work(take: () => Task | undefined, done: (counted: Counted) => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const worker = new Worker(new URL('prove-worker.ts', import.meta.url), {
    workerData: values.planner,
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

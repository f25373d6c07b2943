// A thread of prove.ts, which checks one part of the scope after another.
import { parentPort, workerData } from 'node:worker_threads';
import { countTask } from './findings.ts';
import type { Task } from './search.ts';
import type { StatementsClass } from './service.ts';

const { Statements } = (await import(`${String(workerData)}/statement/statement.ts`)) as {
  Statements: StatementsClass;
};

parentPort?.on('message', (task: Task) => {
  void countTask(Statements, task).then((counted) => parentPort?.postMessage(counted));
});

// A thread of prove.ts: checks one part of the scope after another.
import { parentPort, workerData } from 'node:worker_threads';
import { countTask } from './findings.ts';
import type { Task } from './search.ts';
import type { CreateStatements } from './service.ts';

const { createStatements } = (await import(`${String(workerData)}/statement/statement.ts`)) as {
  createStatements: CreateStatements;
};

parentPort?.on('message', (task: Task) => {
  void countTask(createStatements, task).then((counted) => parentPort?.postMessage(counted));
});

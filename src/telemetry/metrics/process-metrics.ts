// What Node.js says of the process: event loop, memory, garbage collection, CPU.
import { collectDefaultMetrics, Registry } from 'prom-client';

let registry: Registry | undefined;

/**
 * The process's own metrics, by prom-client's usual names. There is one set, however many gateways a process has: each
 * further one would measure the same event loop again, and go on when its gateway has stopped.
 */
export function processMetrics(): Registry {
  registry ??= createProcessMetrics();
  return registry;
}

function createProcessMetrics(): Registry {
  const created = new Registry();
  collectDefaultMetrics({ register: created });
  return created;
}

// Metrics of the process: event loop, memory, garbage collection, CPU.
import { collectDefaultMetrics, Registry } from 'prom-client';

let registry: Registry | undefined;

/**
 * prom-client's default metrics. There is one set per process, even with several gateways: each set measures the same
 * event loop, and cannot be stopped.
 */
export function processMetrics(): Registry {
  if (registry === undefined) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry;
}

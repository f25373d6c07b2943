// Preloaded into a gateway: counts allocations, garbage collections and promises for check.ts.
import { createHook } from 'node:async_hooks';
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/**
 * Messages to the process, each answered with a reading. `settle` first collects garbage, so that no collection
 * disturbs the measurement; `countPromises` starts the count of promises.
 */
export type ProbeRequest = 'settle' | 'read' | 'countPromises';

export interface ProbeReading {
  /**
   * The used bytes of the heap. Without a collection in between, the difference between two readings is the number of
   * allocated bytes.
   */
  readonly heapBytes: number;
  readonly collections: number;
  /** Promises created since `countPromises`. */
  readonly promises: number;
}

// V8's compilers to machine code are switched off. They start at varying times, and optimized code allocates less, so
// counts would depend on timing.
for (const flag of ['--no-opt', '--no-maglev', '--no-sparkplug']) setFlagsFromString(flag);

let collections = 0;
let promises = 0;
const hook = createHook({
  init(_id, type) {
    if (type === 'PROMISE') promises++;
  },
});

new PerformanceObserver((list) => (collections += list.getEntries().length)).observe({
  entryTypes: ['gc'],
});

process.on('message', (request: ProbeRequest) => void answer(request));

async function answer(request: ProbeRequest): Promise<void> {
  if (request === 'countPromises') hook.enable();
  if (request === 'settle') await collect();
  process.send?.({
    heapBytes: getHeapStatistics().used_heap_size,
    collections,
    promises,
  } satisfies ProbeReading);
}

/** Collects garbage, and waits until the collection is reported, in a later turn of the event loop. */
async function collect(): Promise<void> {
  const before = collections;
  globalThis.gc?.();
  while (collections === before) await new Promise(setImmediate);
}
// The channel is unreferenced, because it would otherwise keep the process running.
process.channel?.unref();

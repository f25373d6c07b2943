// Preloaded into a gateway whose operations are counted by check.ts.
import { createHook } from 'node:async_hooks';
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/** Requests to the process. `settle` collects garbage first, so that no collection disturbs what follows. */
export type ProbeRequest = 'settle' | 'read' | 'countPromises';

export interface ProbeReading {
  /** Bytes in use on the heap: the difference between two readings without a collection is what was allocated. */
  readonly heapBytes: number;
  readonly collections: number;
  /** Promises created since `countPromises`. */
  readonly promises: number;
}

// The optimizing compilers start after some time, and then save allocations: counts would depend on the clock.
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

/** A collection is reported in a later turn of the event loop. */
async function collect(): Promise<void> {
  const before = collections;
  globalThis.gc?.();
  while (collections === before) await new Promise(setImmediate);
}
// Otherwise the channel would keep the process running.
process.channel?.unref();

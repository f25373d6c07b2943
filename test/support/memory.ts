// Measures the memory in use after garbage collection.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
/** Collects garbage. Objects that were used in this turn of the event loop may remain until the next turn. */
export const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes that this process's objects and buffers use. */
export function retainedBytes(): number {
  // Collects twice, because V8 frees buffers in another thread, and only the next collection waits for that thread.
  collectGarbage();
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

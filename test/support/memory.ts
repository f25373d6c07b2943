// How much memory is in use once everything that is garbage has been taken away.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
/** Takes away all that nothing refers to; what this turn of the event loop looked at may stay until the next one. */
export const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes in use by this process's objects and buffers. */
export function retainedBytes(): number {
  // Twice: a collection leaves the buffers that it found to a thread of V8's, for which the next one waits.
  collectGarbage();
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

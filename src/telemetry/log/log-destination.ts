// Writes the log to standard output in batches, so that neither a line nor a slow reader delays a request.
import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** The number of characters at which a batch is written. */
const batchLength = 32 * 1024;

/** The age at which a batch is written. If the process is killed, unwritten batches are lost. */
const maxAgeMs = 100;

/** The largest number of batches that wait for a slow reader; further lines are dropped. */
const maxWaiting = 512;

/** The longest time that the process waits for a slow reader before it exits. */
const maxEndMs = 1000;

/** Replaces pino's destination, which takes 2 to 3 µs per line, not 0.6, and may wait for a reader forever at exit. */
export function createBufferedDestination(): DestinationStream {
  // Node.js makes a pipe or socket non-blocking when process.stdout is first used.
  const { fd } = process.stdout;
  const timer = setTimeout(flush, maxAgeMs).unref();
  const waiting: Buffer[] = [];
  let batch = '';

  function flush(): void {
    if (batch !== '' && waiting.length < maxWaiting) waiting.push(Buffer.from(batch));
    batch = '';
    for (let [first] = waiting; first !== undefined; [first] = waiting) {
      const written = tryWrite(fd, first);
      if (written < first.length) {
        waiting[0] = first.subarray(written);
        timer.refresh();
        return;
      }
      waiting.shift();
    }
  }

  process.on('exit', () => {
    const deadlineMs = performance.now() + maxEndMs;
    flush();
    while (waiting.length > 0 && performance.now() < deadlineMs) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      flush();
    }
  });
  return {
    write(line) {
      if (batch === '') timer.refresh();
      batch += line;
      if (batch.length >= batchLength) flush();
    },
  };
}

/** Returns the number of bytes written. If the reader is gone or the disk is full, the batch counts as written. */
function tryWrite(fd: number, batch: Buffer): number {
  try {
    return writeSync(fd, batch);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'EAGAIN' ? 0 : batch.length;
  }
}

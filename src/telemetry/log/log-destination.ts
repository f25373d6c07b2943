// Writes the log to standard output in batches, so that neither a line nor a slow reader delays a request.
import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** The number of characters at which a batch is written. */
const batchLength = 32 * 1024;

/** The age at which a batch is written, and the interval of retries: a killed process loses at most these lines. */
const maxAgeMs = 100;

/** Batches that wait for a slow reader; further lines are dropped. */
const maxWaiting = 512;

/** The longest that the end of the process waits for a slow reader. */
const maxEndMs = 1000;

/**
 * Standard output as a destination that collects lines, and writes them when they are a batch or 100 ms old, and when the
 * process ends. pino's own destination (sonic-boom) costs 2 to 3 µs a line instead of 0.6, and at the end of the process it
 * waits forever if the reader has stopped or closed the pipe.
 */
export function createBufferedDestination(): DestinationStream {
  // Node.js makes a pipe or socket non-blocking when process.stdout is first used.
  const batches = new Batches(process.stdout.fd);
  process.on('exit', () => batches.end());
  return batches;
}

class Batches implements DestinationStream {
  readonly #fd: number;
  readonly #timer: NodeJS.Timeout;
  #batch = '';
  #waiting: Buffer[] = [];

  constructor(fd: number) {
    this.#fd = fd;
    this.#timer = setTimeout(() => this.#flush(), maxAgeMs).unref();
  }

  write(line: string): void {
    if (this.#batch === '') this.#timer.refresh();
    this.#batch += line;
    if (this.#batch.length >= batchLength) this.#flush();
  }

  /** Blocks until everything is written, or for `maxEndMs`. */
  end(): void {
    const deadlineMs = performance.now() + maxEndMs;
    this.#flush();
    while (this.#waiting.length > 0 && performance.now() < deadlineMs) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      this.#writeWaiting();
    }
  }

  #flush(): void {
    if (this.#batch !== '' && this.#waiting.length < maxWaiting) {
      this.#waiting.push(Buffer.from(this.#batch));
    }
    this.#batch = '';
    this.#writeWaiting();
    if (this.#waiting.length > 0) this.#timer.refresh();
  }

  #writeWaiting(): void {
    for (;;) {
      const [first] = this.#waiting;
      if (first === undefined) return;
      const written = tryWrite(this.#fd, first);
      if (written < first.length) {
        this.#waiting[0] = first.subarray(written);
        return;
      }
      this.#waiting.shift();
    }
  }
}

/** The number of bytes written: 0 if the reader is not ready, all if there is no reader any more or the disk is full. */
function tryWrite(fd: number, batch: Buffer): number {
  try {
    return writeSync(fd, batch);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'EAGAIN' ? 0 : batch.length;
  }
}

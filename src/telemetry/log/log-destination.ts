// Where the log goes: standard output, in batches, so that neither a line nor a reader who is slow holds up a request.
import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** A batch is written when it is this large (bytes)… */
const batchBytes = 32 * 1024;

/** …or this old; what a reader did not take is offered again as often. A killed process loses no more than that. */
const maxAgeMs = 100;

/** Batches that wait for a reader who is slow; further lines are dropped. */
const maxWaiting = 512;

/** How long the end of the process is held up for that reader. */
const maxEndMs = 1000;

/** UTF-8 has at most this many bytes for a UTF-16 code unit. */
const maxBytesPerUnit = 3;

/**
 * Standard output as a destination that copies lines into a buffer, and writes that when it is full or a moment old; what
 * is left at the end of the process, whatever ends it, is written then. It writes on this thread, but without waiting:
 * so no write is under way, and lost, when the process ends. A line costs 0.6 µs; pino's own destination, asynchronous or
 * not, takes 2 to 3 to put strings together.
 */
export function createBufferedDestination(): DestinationStream {
  const batches = new Batches(standardOutput());
  process.on('exit', () => batches.end());
  return batches;
}

/** Node.js makes it one that does not block, where it is a pipe or a socket, when it is looked at for the first time. */
function standardOutput(): number {
  return process.stdout.fd;
}

class Batches implements DestinationStream {
  readonly #fd: number;
  readonly #timer: NodeJS.Timeout;
  #batch = Buffer.allocUnsafe(batchBytes);
  #bytes = 0;
  #waiting: Buffer[] = [];

  constructor(fd: number) {
    this.#fd = fd;
    this.#timer = setTimeout(() => this.#flush(), maxAgeMs).unref();
  }

  write(line: string): void {
    const mostBytes = line.length * maxBytesPerUnit;
    if (this.#bytes + mostBytes > batchBytes) this.#flush();
    if (mostBytes > batchBytes) this.#send(Buffer.from(line));
    else this.#append(line);
  }

  /** Blocks until everything is out, or until the reader was waited for long enough. */
  end(): void {
    const deadlineMs = performance.now() + maxEndMs;
    this.#flush();
    while (this.#waiting.length > 0 && performance.now() < deadlineMs) {
      pause(1);
      this.#writeWaiting();
    }
  }

  #append(line: string): void {
    if (this.#bytes === 0) this.#timer.refresh();
    this.#bytes += this.#batch.write(line, this.#bytes);
  }

  #flush(): void {
    this.#send(this.#batch.subarray(0, this.#bytes));
    this.#bytes = 0;
    // One that waits is still in the old buffer.
    if (this.#waiting.length > 0) this.#batch = Buffer.allocUnsafe(batchBytes);
  }

  #send(batch: Buffer): void {
    if (batch.length > 0 && this.#waiting.length < maxWaiting) this.#waiting.push(batch);
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

/** How many bytes were taken, 0 where the reader is not ready; all where there is none any more, or no room left. */
function tryWrite(fd: number, batch: Buffer): number {
  try {
    return writeSync(fd, batch);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'EAGAIN' ? 0 : batch.length;
  }
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

// A slice that cannot be read, and patience with one that can probably be read in a moment.
import type { Failure } from './failure.ts';

/** Thrown if a slice cannot be read, or cannot become part of a file. */
export class SliceError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.code);
    this.failure = failure;
  }
}

const maxTries = 4;
const firstWaitMs = 500;
/** If the gateway asks for a longer wait, the read fails, and the user may retry. */
const longestWaitMs = 30_000;

/** Reads a slice, and reads it again after transient failures, up to four times with growing pauses. */
export async function readPatiently<Read>(
  read: () => Promise<Read>,
  isTransient: (failure: Failure) => boolean,
  wait: (ms: number) => Promise<void>,
): Promise<Read> {
  for (let tries = 1; ; tries++) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof SliceError) || !isTransient(error.failure)) throw error;
      const waitMs = waitBefore(error.failure, tries);
      if (waitMs === null) throw error;
      await wait(waitMs);
    }
  }
}

/** Milliseconds before the next attempt; null for no further attempt. */
function waitBefore({ retryAfter }: Failure, tries: number): number | null {
  if (tries === maxTries) return null;
  const waitMs = retryAfter === null ? firstWaitMs * 2 ** (tries - 1) : retryAfter * 1000;
  return waitMs > longestWaitMs ? null : waitMs;
}

/** The number of times that a list or an export is read again from the newest row before it fails. */
export const maxRestarts = 5;

export function isExpired(error: unknown): boolean {
  return error instanceof SliceError && error.failure.code === 'CURSOR_EXPIRED';
}

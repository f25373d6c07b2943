// Another try where the service was not reached or could not serve for the moment (contract.md 5, UPSTREAM_RETRIES).
import type { GatewayError } from '../errors.ts';
import { abortFailure, isTransient, UpstreamStatusError } from './failure.ts';

export interface RetryPolicy {
  /** Tries after the first. */
  readonly retries: number;
  /** No try starts later than this after the first one did: the deadline of an exchange. */
  readonly timeoutMs: number;
  /** From 0 to 1, for the jitter. */
  readonly random: () => number;
  /** A steady clock, in milliseconds. */
  readonly now: () => number;
  /** Told of every further try, with what made it necessary. */
  readonly onRetry: (error: GatewayError) => void;
}

/** The longest pause before the first further try; doubled for each one after it. */
const firstPauseMs = 100;

/**
 * Runs `attempt` until it succeeds, fails for good, or no further try is allowed; then its last error is thrown. Ends
 * with the signal, also while it pauses. Only for reads: an attempt may have reached the service.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  signal: AbortSignal,
  policy: RetryPolicy,
): Promise<T> {
  const startedAt = policy.now();
  for (let tried = 0; ; tried++) {
    try {
      return await attempt();
    } catch (error) {
      if (tried >= policy.retries || !isTransient(error) || signal.aborted) throw error;
      const pauseMs = pauseAfter(error, tried, policy.random);
      if (policy.now() - startedAt + pauseMs >= policy.timeoutMs) throw error;
      policy.onRetry(error);
      await pause(pauseMs, signal);
    }
  }
}

/** A random part of the longest pause, so that callers who failed together do not come back together. */
function pauseAfter(error: GatewayError, tried: number, random: () => number): number {
  const jitterMs = random() * firstPauseMs * 2 ** tried;
  const asked = error instanceof UpstreamStatusError ? error.retryAfterSeconds : null;
  return (asked ?? 0) * 1000 + jitterMs;
}

function pause(ms: number, signal: AbortSignal): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const onAbort = () => reject(abortFailure(signal));
  const timer = setTimeout(resolve, ms);
  signal.addEventListener('abort', onAbort);
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  });
}

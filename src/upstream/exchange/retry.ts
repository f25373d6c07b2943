// Another try where the service was not reached or could not serve for the moment (docs/reliability.md).
import type { GatewayError } from '../../errors.ts';
import { isTransient, UpstreamStatusError } from './failure.ts';

/** How many tries the whole process may add to what its callers ask for. */
export interface RetryBudget {
  /** Counts a call that was made for a caller. */
  earn(): void;
  /** Takes a further try; false where there is none left. */
  spend(): boolean;
}

/** Calls that earn one further try: under a full outage the service gets 1.1 times the calls, as time goes on. */
const callsATry = 10;

/** Further tries that may be saved up: enough for a connection that broke now and then, and soon gone in an outage. */
const maxSaved = 10;

/** A budget that starts full. There is no income by time alone: it would have no bound by the calls. */
export function createRetryBudget(): RetryBudget {
  let earned = maxSaved * callsATry;
  return {
    earn() {
      earned = Math.min(earned + 1, maxSaved * callsATry);
    },
    spend() {
      const isEnough = earned >= callsATry;
      if (isEnough) earned -= callsATry;
      return isEnough;
    },
  };
}

export interface RetryPolicy {
  /** Tries after the first. */
  readonly retries: number;
  /** No try starts later than this after the first one did: the deadline of an exchange. */
  readonly timeoutMs: number;
  /** From 0 to 1, for the jitter. */
  readonly random: () => number;
  readonly budget: RetryBudget;
}

/** A call that failed. */
export interface FailedTry {
  readonly error: GatewayError;
  /** Tries so far, this one included. */
  readonly tries: number;
  /** Since the first of them began. */
  readonly elapsedMs: number;
}

/** The longest pause before the first further try; doubled for each one after it. */
const firstPauseMs = 100;

/** How long to wait before a further try; null where none is allowed. Only for reads: a try may have reached the service. */
export function pauseBeforeRetry(failed: FailedTry, policy: RetryPolicy): number | null {
  const { error, tries, elapsedMs } = failed;
  if (tries > policy.retries || !isTransient(error)) return null;
  const pauseMs = pauseAfter(error, tries, policy.random);
  if (elapsedMs + pauseMs >= policy.timeoutMs) return null;
  return policy.budget.spend() ? pauseMs : null;
}

/** A random part of the longest pause, so that callers who failed together do not come back together. */
function pauseAfter(error: GatewayError, tries: number, random: () => number): number {
  const jitterMs = random() * firstPauseMs * 2 ** (tries - 1);
  const asked = error instanceof UpstreamStatusError ? error.retryAfterSeconds : null;
  return (asked ?? 0) * 1000 + jitterMs;
}

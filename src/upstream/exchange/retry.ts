// Decides whether and when a failed call is retried (docs/reliability.md).
import type { GatewayError } from '../../errors.ts';
import { isTransient, UpstreamStatusError } from './failure.ts';

/** The number of first attempts that earn one retry: in a long outage, the service receives 1.1 requests per call. */
const callsATry = 10;

/** The most retries that can be saved up: enough for occasional broken connections, soon used up in an outage. */
const maxSaved = 10;

/** The retries that the process may make: at first `maxSaved`, then in proportion to the number of calls. */
export class RetryBudget {
  #earned = maxSaved * callsATry;

  /** Counts a first attempt. */
  earn(): void {
    this.#earned = Math.min(this.#earned + 1, maxSaved * callsATry);
  }

  /** Takes one retry from the budget; false if none is left. */
  spend(): boolean {
    const isEnough = this.#earned >= callsATry;
    if (isEnough) this.#earned -= callsATry;
    return isEnough;
  }
}

export interface RetryPolicy {
  /** Attempts after the first. */
  readonly retries: number;
  /** The timeout of an exchange. No attempt starts later than this after the first attempt. */
  readonly timeoutMs: number;
  /** From 0 to 1, for the jitter. */
  readonly random: () => number;
  readonly budget: RetryBudget;
}

export interface FailedTry {
  readonly error: GatewayError;
  /** Attempts so far, this one included. */
  readonly tries: number;
  /** The time since the first attempt began. */
  readonly elapsedMs: number;
}

/** The longest jitter before the first retry; doubled for each further retry. */
const firstPauseMs = 100;

/** Milliseconds until a retry; null if none is allowed. For reads only: the service may have received the request. */
export function pauseBeforeRetry(failed: FailedTry, policy: RetryPolicy): number | null {
  const { error, tries, elapsedMs } = failed;
  if (tries > policy.retries || !isTransient(error)) return null;
  // Random, so that calls that failed together are not retried together.
  const jitterMs = policy.random() * firstPauseMs * 2 ** (tries - 1);
  const asked = error instanceof UpstreamStatusError ? error.retryAfterSeconds : null;
  const pauseMs = (asked ?? 0) * 1000 + jitterMs;
  if (elapsedMs + pauseMs >= policy.timeoutMs) return null;
  return policy.budget.spend() ? pauseMs : null;
}

// Decides whether and when a failed call is retried while the circuit is closed (docs/reliability.md).
import type { GatewayError } from '../../errors.ts';
import type { UpstreamSettings } from './call.ts';
import { isTransient, UpstreamStatusError } from './failure.ts';

/** First attempts per earned retry: in a long outage, at most one call in ten is retried. */
const callsATry = 10;

/** The largest number of saved retries. */
const maxSaved = 10;

/** The longest jitter before the first retry; doubled for each further retry. */
const firstPauseMs = 100;

/** The retry budget of the process, full at startup. */
export class Retries {
  readonly #settings: Pick<UpstreamSettings, 'retries' | 'random'>;
  #earned = maxSaved * callsATry;

  constructor(settings: Pick<UpstreamSettings, 'retries' | 'random'>) {
    this.#settings = settings;
  }

  /** Counts a first attempt. */
  earn(): void {
    this.#earned = Math.min(this.#earned + 1, maxSaved * callsATry);
  }

  /**
   * Counts a retry and returns the pause before it in milliseconds. Returns null if no retry is allowed, or none can
   * start within the time that is left.
   */
  pauseAfter(error: GatewayError, tries: number, leftMs: number): number | null {
    const { retries, random = Math.random } = this.#settings;
    if (tries > retries || !isTransient(error)) return null;
    // The jitter is random, so that calls that failed together are not retried together.
    const jitterMs = random() * firstPauseMs * 2 ** (tries - 1);
    const asked = error instanceof UpstreamStatusError ? error.retryAfterSeconds : null;
    const pauseMs = (asked ?? 0) * 1000 + jitterMs;
    if (pauseMs >= leftMs || this.#earned < callsATry) return null;
    this.#earned -= callsATry;
    return pauseMs;
  }
}

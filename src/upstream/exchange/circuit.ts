// The circuit breaker of a route: rejects calls to the route while most of them fail (docs/reliability.md).
import type { BreakerState } from '../observer.ts';

/** A round of calls. All calls that are admitted in a round share it as their permit. */
export interface Permit {
  /** Increases with each change of state and each round of probes; verdicts on calls of earlier periods are ignored. */
  readonly period: number;
  readonly sinceMs: number;
  /** The number of admitted calls, except those whose verdict is `unknown`. */
  asked: number;
  bad: number;
}

/** `bad`: a 5xx, a failed connection or a timeout. `good`: any other answer. `unknown`: not sent, or aborted. */
export type Verdict = 'good' | 'bad' | 'unknown';

/**
 * The share of failed calls that opens the circuit. Calls in progress count as good, because failures often arrive
 * sooner than answers.
 */
const badShare = 0.8;

/** A round is judged only after this many calls and `roundMs`, so that a few failures do not open the circuit. */
const minCalls = 50;
export const roundMs = 500;

/** A round with too few calls ends after this time, and is not judged. */
export const maxRoundMs = 5000;

/** How long the circuit stays open before it may become half-open, and the shortest time between rounds of probes. */
export const openMs = 1000;

/** The number of probes in a round. This number of successes in a row closes the circuit, or keeps it closed. */
const probes = 3;

export class Circuit {
  readonly #now: () => number;
  readonly #onChange: (state: BreakerState) => void;
  #state: BreakerState = 'closed';
  #round: Permit;
  #goodInARow = 0;

  /** `now` is a monotonic clock, in milliseconds; `onChange` is called on every change of the state. */
  constructor(now: () => number, onChange: (state: BreakerState) => void) {
    this.#now = now;
    this.#onChange = onChange;
    this.#round = { period: 0, sinceMs: now(), asked: 0, bad: 0 };
  }

  get state(): BreakerState {
    return this.#state;
  }

  /** Admits a call and returns the permit for settling it; returns null if the call must not be made. */
  admit(): Permit | null {
    const now = this.#now();
    if (this.#state === 'closed') this.#endRound(now);
    if (this.#state !== 'closed' && !this.#admitsProbe(now)) return null;
    this.#round.asked++;
    return this.#round;
  }

  settle(round: Permit, verdict: Verdict): void {
    if (round.period !== this.#round.period) return;
    if (verdict === 'unknown') round.asked--;
    else if (verdict === 'good') this.#goodInARow++;
    else {
      round.bad++;
      this.#goodInARow = 0;
    }
    if (this.#state === 'closed') {
      if (round !== this.#round) this.#judge(round);
    } else if (round.bad > 0) this.#enter('open');
    else if (this.#goodInARow === probes) this.#enter('closed');
  }

  /** Ends and judges the round of a closed circuit if the round has lasted long enough. */
  #endRound(now: number): void {
    const ended = this.#round;
    const ageMs = now - ended.sinceMs;
    if (ageMs < roundMs || (ended.asked < minCalls && ageMs < maxRoundMs)) return;
    this.#round = { ...ended, sinceMs: now, asked: 0, bad: 0 };
    this.#judge(ended);
  }

  #judge({ asked, bad }: Permit): void {
    if (asked < minCalls || bad < badShare * asked) return;
    // Otherwise the circuit would open after the route has recovered.
    if (this.#goodInARow < probes) this.#enter('open');
  }

  /** Whether a probe is admitted; may begin a round. If probes hang, the next round may begin after `openMs`. */
  #admitsProbe(now: number): boolean {
    const isSpent = this.#state === 'open' || this.#round.asked >= probes;
    if (isSpent && now - this.#round.sinceMs < openMs) return false;
    if (isSpent) this.#enter('half_open');
    return true;
  }

  #enter(state: BreakerState): void {
    const isChange = state !== this.#state;
    this.#state = state;
    this.#goodInARow = 0;
    const period = this.#round.period + 1;
    this.#round = { period, sinceMs: this.#now(), asked: 0, bad: 0 };
    if (isChange) this.#onChange(state);
  }
}

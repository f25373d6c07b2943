// The circuit breaker of a route: stops its calls while most of them fail (docs/reliability.md).
import type { BreakerState } from '../observer.ts';

/**
 * The permission to make a call, settled with its verdict; shared by the calls of one round, which began one after the
 * other.
 */
export interface Permit {
  /** Changes with the state: calls of an earlier period say nothing about this one. */
  readonly period: number;
  readonly sinceMs: number;
  /** Calls admitted, without those whose verdict is unknown. */
  asked: number;
  /** Those of them with this verdict so far. */
  good: number;
  bad: number;
}

/** `bad`: no answer in time, no connection, 5xx. `good`: every other answer. `unknown`: aborted before an answer came. */
export type Verdict = 'good' | 'bad' | 'unknown';

export interface CircuitSettings {
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Called on every change; the circuit starts closed. */
  readonly onChange: (state: BreakerState) => void;
}

/**
 * The share of a round's calls that opens the circuit once they have failed. Failures are often faster than answers, so
 * the share is that of calls that began together, and calls in progress count as good.
 */
const badShare = 0.8;

/** A round has at least so many calls and lasts at least so long, so that the calls of one operation are no round. */
const minCalls = 50;
export const roundMs = 500;

/** A round that has too few calls after this time is not judged. */
export const maxRoundMs = 5000;

/** The time that the circuit stays open before it is half-open, and the time between rounds of probes. */
export const openMs = 1000;

/** Probes in a round; all must succeed for the circuit to close. */
const probes = 3;

/** Admits and settles each call; no call waits for it. */
export class Circuit {
  readonly #settings: CircuitSettings;
  #state: BreakerState = 'closed';
  /** The round that calls join. */
  #round: Permit;

  constructor(settings: CircuitSettings) {
    this.#settings = settings;
    this.#round = { period: 0, sinceMs: settings.now(), asked: 0, good: 0, bad: 0 };
  }

  get state(): BreakerState {
    return this.#state;
  }

  /** Admits a call, to be settled with the permit; null if it must not be made. */
  admit(): Permit | null {
    const now = this.#settings.now();
    if (this.#state === 'closed') this.#endRound(now);
    if (this.#state !== 'closed' && !this.#admitsProbe(now)) return null;
    this.#round.asked++;
    return this.#round;
  }

  /** Reports the verdict on a call; ignored if the circuit has changed since it was admitted. */
  settle(round: Permit, verdict: Verdict): void {
    if (round.period !== this.#round.period) return;
    if (verdict === 'unknown') round.asked--;
    else round[verdict]++;
    if (this.#state === 'closed') {
      if (round !== this.#round) this.#judge(round);
    } else if (round.bad > 0) this.#enter('open');
    else if (round.good === probes) this.#enter('closed');
  }

  /** Begins another round of the closed circuit if this one has lasted long enough. */
  #endRound(now: number): void {
    const ended = this.#round;
    const ageMs = now - ended.sinceMs;
    if (ageMs < roundMs || (ended.asked < minCalls && ageMs < maxRoundMs)) return;
    this.#round = { ...ended, sinceMs: now, asked: 0, good: 0, bad: 0 };
    this.#judge(ended);
  }

  /** Judges a round that no call joins any more. */
  #judge({ asked, bad }: Permit): void {
    if (asked >= minCalls && bad >= badShare * asked) this.#enter('open');
  }

  /** A round of probes that all hang is followed by another one after the same time. */
  #admitsProbe(now: number): boolean {
    const isSpent = this.#state === 'open' || this.#round.asked >= probes;
    if (isSpent && now - this.#round.sinceMs < openMs) return false;
    if (isSpent) this.#enter('half_open');
    return true;
  }

  #enter(state: BreakerState): void {
    const isChange = state !== this.#state;
    this.#state = state;
    const period = this.#round.period + 1;
    this.#round = { period, sinceMs: this.#settings.now(), asked: 0, good: 0, bad: 0 };
    if (isChange) this.#settings.onChange(state);
  }
}

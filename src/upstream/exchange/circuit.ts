// The circuit breaker: whether the service is asked at all, by how its answers have been (docs/reliability.md).
import type { BreakerState } from '../observer.ts';
import { RecentCalls } from './recent-calls.ts';

/** A right to ask, to be settled with what came of it; the same for all calls until the circuit changes. */
export interface Permit {
  /** When the circuit came to where it is. */
  readonly sinceMs: number;
  /** Calls that try whether the service is back: asked so far, and answered well. */
  asked: number;
  good: number;
}

/** `bad`: no answer in time, no connection, 5xx. `good`: every other answer. `unknown`: given up before it came. */
export type Verdict = 'good' | 'bad' | 'unknown';

export interface CircuitSettings {
  /** A steady clock, in milliseconds. */
  readonly now: () => number;
  /** Told of every change; the circuit starts closed. */
  readonly onChange: (state: BreakerState) => void;
}

/** How long calls are looked back on, how many of them must be bad, and of how many at least. */
export const windowMs = 5000;
const badShare = 0.8;
const minCalls = 50;

/**
 * How long it must look bad: failures are often faster than answers, so that of many calls that start at once, those
 * that end first say little about the others.
 */
export const confirmMs = 1000;

/** How long the circuit stays open before the service is tried again, which is also how far apart such tries are. */
export const openMs = 1000;

/** How many calls try the service at a time; all must be answered well for the circuit to close. */
const probes = 3;

/** One for a service. It is asked and told about each call, and keeps none waiting. */
export class Circuit {
  readonly #settings: CircuitSettings;
  readonly #recent = new RecentCalls(windowMs);
  #state: BreakerState = 'closed';
  #permit: Permit;
  /** Since when it looks bad; null while it does not. */
  #badSinceMs: number | null = null;

  constructor(settings: CircuitSettings) {
    this.#settings = settings;
    this.#permit = this.#newPermit();
  }

  get state(): BreakerState {
    return this.#state;
  }

  /** Lets a call through, to be settled with the permit; null where it must not be made. */
  admit(): Permit | null {
    if (this.#state === 'closed') {
      if (this.#badSinceMs === null) return this.#permit;
      this.#confirm(this.#badSinceMs);
    }
    return this.#state === 'closed' ? this.#permit : this.#admitProbe();
  }

  /** Says what came of a call. What was asked before the circuit changed is not news any more. */
  settle(permit: Permit, verdict: Verdict): void {
    if (permit !== this.#permit) return;
    if (this.#state === 'half_open') this.#settleProbe(verdict);
    else if (verdict !== 'unknown') this.#count(verdict === 'bad');
  }

  #count(isBad: boolean): void {
    const now = this.#settings.now();
    this.#recent.add(isBad, now);
    if (isBad && this.#badSinceMs === null && this.#looksBad(now)) this.#badSinceMs = now;
  }

  #looksBad(now: number): boolean {
    const { ended, bad } = this.#recent.at(now);
    return ended >= minCalls && bad >= badShare * ended;
  }

  #confirm(badSinceMs: number): void {
    const now = this.#settings.now();
    if (!this.#looksBad(now)) this.#badSinceMs = null;
    else if (now - badSinceMs >= confirmMs) this.#enter('open');
  }

  /** A round whose calls all hang is not waited for: the next one is due after the same time. */
  #admitProbe(): Permit | null {
    const isSpent = this.#state === 'open' || this.#permit.asked >= probes;
    if (isSpent && this.#settings.now() - this.#permit.sinceMs < openMs) return null;
    if (isSpent) this.#enter('half_open');
    this.#permit.asked++;
    return this.#permit;
  }

  #settleProbe(verdict: Verdict): void {
    if (verdict === 'bad') this.#enter('open');
    else if (verdict === 'unknown') this.#permit.asked--;
    else if (++this.#permit.good === probes) this.#enter('closed');
  }

  #enter(state: BreakerState): void {
    const isChange = state !== this.#state;
    this.#state = state;
    this.#permit = this.#newPermit();
    this.#badSinceMs = null;
    this.#recent.clear();
    if (isChange) this.#settings.onChange(state);
  }

  #newPermit(): Permit {
    return { sinceMs: this.#settings.now(), asked: 0, good: 0 };
  }
}

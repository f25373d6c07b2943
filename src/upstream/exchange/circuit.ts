// The circuit breaker: stops calls to the service while most of them fail (docs/reliability.md).
import type { BreakerState } from '../observer.ts';

/** The permission to make a call, settled with its verdict; shared by all calls until the circuit changes. */
export interface Permit {
  /** When the circuit entered its state. */
  readonly sinceMs: number;
  /** Probes while half-open: sent so far, and successful. */
  asked: number;
  good: number;
}

/** `bad`: no answer in time, no connection, 5xx. `good`: every other answer. `unknown`: aborted before an answer came. */
export type Verdict = 'good' | 'bad' | 'unknown';

export interface CircuitSettings {
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  /** Called on every change; the circuit starts closed. */
  readonly onChange: (state: BreakerState) => void;
}

/** The window of calls, the share of bad ones that opens the circuit, and the fewest calls needed for a decision. */
export const windowMs = 5000;
const badShare = 0.8;
const minCalls = 50;

/**
 * How long the share of bad calls must stay too high: failures are often faster than answers, so of many calls that
 * start together the first to end say little about the others.
 */
export const confirmMs = 1000;

/** The time that the circuit stays open before it is half-open, and the time between rounds of probes. */
export const openMs = 1000;

/** Probes in a round; all must succeed for the circuit to close. */
const probes = 3;

/** Admits and settles each call; no call waits for it. */
export class Circuit {
  readonly #settings: CircuitSettings;
  readonly #recent = new RecentCalls();
  #state: BreakerState = 'closed';
  #permit: Permit;
  /** Since when the share of bad calls has been too high; null if it is not. */
  #badSinceMs: number | null = null;

  constructor(settings: CircuitSettings) {
    this.#settings = settings;
    this.#permit = this.#newPermit();
  }

  get state(): BreakerState {
    return this.#state;
  }

  /** Admits a call, to be settled with the permit; null if it must not be made. */
  admit(): Permit | null {
    if (this.#state === 'closed') {
      if (this.#badSinceMs === null) return this.#permit;
      const now = this.#settings.now();
      if (!this.#looksBad(now)) this.#badSinceMs = null;
      else if (now - this.#badSinceMs >= confirmMs) this.#enter('open');
    }
    return this.#state === 'closed' ? this.#permit : this.#admitProbe();
  }

  /** Reports the verdict on a call; ignored if the circuit has changed since it was admitted. */
  settle(permit: Permit, verdict: Verdict): void {
    if (permit !== this.#permit) return;
    if (this.#state === 'half_open') {
      if (verdict === 'bad') this.#enter('open');
      else if (verdict === 'unknown') this.#permit.asked--;
      else if (++this.#permit.good === probes) this.#enter('closed');
    } else if (verdict !== 'unknown') {
      const now = this.#settings.now();
      const isBad = verdict === 'bad';
      this.#recent.add(isBad, now);
      if (isBad && this.#badSinceMs === null && this.#looksBad(now)) this.#badSinceMs = now;
    }
  }

  #looksBad(now: number): boolean {
    const { ended, bad } = this.#recent.at(now);
    return ended >= minCalls && bad >= badShare * ended;
  }

  /** A round of probes that all hang is followed by another one after the same time. */
  #admitProbe(): Permit | null {
    const isSpent = this.#state === 'open' || this.#permit.asked >= probes;
    if (isSpent && this.#settings.now() - this.#permit.sinceMs < openMs) return null;
    if (isSpent) this.#enter('half_open');
    this.#permit.asked++;
    return this.#permit;
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

/** The window slides by one of this many pieces at a time. */
const pieces = 10;
const pieceMs = windowMs / pieces;

interface Counts {
  /** The piece of the window, counted from the clock's zero. */
  number: number;
  ended: number;
  bad: number;
}

/** Counts over the window. Times are those of a monotonic clock, in milliseconds. */
class RecentCalls {
  readonly #ring: Counts[] = Array.from({ length: pieces }, () => ({
    number: 0,
    ended: 0,
    bad: 0,
  }));

  /** Counts a call that ended now. */
  add(isBad: boolean, now: number): void {
    const number = Math.floor(now / pieceMs);
    const piece = this.#ring[number % pieces] as Counts;
    if (piece.number !== number) Object.assign(piece, { number, ended: 0, bad: 0 });
    piece.ended++;
    if (isBad) piece.bad++;
  }

  /** The counts as of now. */
  at(now: number): Pick<Counts, 'ended' | 'bad'> {
    const oldest = Math.floor(now / pieceMs) - pieces + 1;
    const sum = { ended: 0, bad: 0 };
    for (const { number, ended, bad } of this.#ring) {
      if (number < oldest) continue;
      sum.ended += ended;
      sum.bad += bad;
    }
    return sum;
  }

  clear(): void {
    for (const piece of this.#ring) piece.ended = piece.bad = 0;
  }
}

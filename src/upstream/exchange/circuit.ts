// The circuit breaker of a route: rejects calls to the route while most of them fail (docs/reliability.md).

/** A closed circuit admits all calls, an open circuit none, and a half-open circuit a few probes. */
export type BreakerState = 'closed' | 'open' | 'half_open';

/** A round of calls. All calls that are admitted in a round share it as their permit. */
export interface Permit {
  /** Increases with each change of state; verdicts on calls of earlier periods are ignored. */
  readonly period: number;
  readonly sinceMs: number;
  /** The number of admitted calls, except those whose verdict is `unknown`. */
  asked: number;
  bad: number;
}

export type Verdict = 'good' | 'bad' | 'unknown';

/** The outcomes of exchanges, which are labels of metrics, each with its verdict for the circuit. */
export const verdicts = {
  /** A 200 with its whole body, which is not checked yet. */
  ok: 'good',
  /** A 3xx or 4xx. */
  rejected: 'good',
  /** A status, head or body that the gateway does not accept, such as a 204 or a body that is too large. */
  violation: 'good',
  /** A 5xx. */
  failed: 'bad',
  /** No complete answer within UPSTREAM_TIMEOUT_MS, or before the operation's deadline. */
  timeout: 'bad',
  /** The connection could not be opened or broke, or the answer was not HTTP. */
  unreachable: 'bad',
  /** No operation waited for the answer any more, for example because all clients disconnected. */
  aborted: 'unknown',
  /** The request could not be sent because of a defect of the gateway. */
  defect: 'unknown',
} as const satisfies Record<string, Verdict>;

export type ExchangeOutcome = keyof typeof verdicts;

/** The share of bad calls that opens the circuit. Calls in progress count as good: failures often come first. */
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

  /** `now` is a monotonic clock, in milliseconds. */
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
    if (this.#state === 'open') this.#enter('half_open');
    // The period stays the same: an earlier probe that succeeds after more than `openMs` still counts.
    else if (isSpent) this.#round = { ...this.#round, sinceMs: now, asked: 0, bad: 0 };
    return true;
  }

  #enter(state: BreakerState): void {
    this.#state = state;
    this.#goodInARow = 0;
    const period = this.#round.period + 1;
    this.#round = { period, sinceMs: this.#now(), asked: 0, bad: 0 };
    this.#onChange(state);
  }
}

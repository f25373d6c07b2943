// Load shedding: how many requests begin in one turn of the event loop, how long others may wait, and when none is let in.

export interface AdmissionSettings {
  /** Whether something behind the gateway has more to do already than it can. */
  readonly isCrowded: () => boolean;
  /** A steady clock, in milliseconds. */
  readonly now?: () => number;
  /** Calls back in the next turn of the event loop. */
  readonly nextTurn?: (begin: () => void) => void;
}

/**
 * How many requests begin in one turn of the event loop; the next ones wait for the next turn. With time to spare there
 * are thousands of turns a second; without, this is what keeps few operations under way, each of which then ends soon.
 * More under way at a time costs more CPU each, as all that lives is copied by every scavenge.
 */
const perTurn = 32;

/**
 * The same where a new connection came: libuv accepts one a turn, however many wait. With long turns, a thousand clients
 * that connect at once would be let in within many seconds, the last ones behind ten requests of each of the first. So
 * for each connection one request begins.
 */
const perConnection = 1;

/**
 * As long as clients have no more connections than this, all may wait, however slow the machine: so many at once are no
 * overload but a busy moment, and no more of them can come. Beyond it, the next one must not have to wait longer than
 * this. A thousand clients, and whoever looks in beside them.
 */
const ordinaryConnections = 1250;
const maxWaitMs = 500;

/** How many may wait at most. */
const maxWaiting = 5000;

/** Turns that wait were measured over: about so many. What takes longer than this is a pause, and says nothing of them. */
const smoothing = 1 / 16;
const maxTurnMs = 100;

/**
 * The door of a listener. Its queue is what the event loop has not come to yet, and the time that it takes is the event
 * loop's delay as requests feel it. A long pause, such as for garbage, refuses nobody by itself: whoever came meanwhile
 * is seen only after it.
 */
export class Admission {
  readonly #settings: Required<AdmissionSettings>;
  readonly #waiting = new Set<() => void>();
  /** How many may begin in this turn, and how many have. */
  #most = perTurn;
  #begun = 0;
  #hasConnected = false;
  #isTurnWatched = false;
  /** When the latest turn began, and how long turns took while requests waited; 0 where none did. */
  #turnedMs = 0;
  #turnMs = 0;

  constructor(settings: AdmissionSettings) {
    const { isCrowded, now = () => performance.now(), nextTurn = setImmediate } = settings;
    this.#settings = { isCrowded, now, nextTurn };
  }

  /** Whether a request that comes now is to be refused, where clients have so many connections. */
  isClosed(connections: number): boolean {
    const waiting = this.#waiting.size;
    const waitMs = (waiting / perTurn) * this.#turnMs;
    const isLate = waitMs > maxWaitMs && connections > ordinaryConnections;
    return isLate || waiting >= maxWaiting || this.#settings.isCrowded();
  }

  /** A new connection was accepted; others may be waiting. */
  connected(): void {
    this.#hasConnected = true;
    this.#most = perConnection;
    this.#watchTurn();
  }

  /** Null where a request may begin now, else a promise of its turn. */
  enter(): Promise<void> | null {
    this.#watchTurn();
    if (this.#begun >= this.#most || this.#waiting.size > 0) return this.#wait();
    this.#begun++;
    return null;
  }

  #wait(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#waiting.add(() => resolve(undefined));
    return promise;
  }

  #watchTurn(): void {
    if (this.#isTurnWatched) return;
    // Else this is within a turn, whose beginning is known.
    if (this.#begun === 0) this.#turnedMs = this.#settings.now();
    this.#isTurnWatched = true;
    this.#settings.nextTurn(this.#onTurn);
  }

  readonly #onTurn = (): void => {
    this.#isTurnWatched = false;
    this.#measureTurn();
    this.#most = this.#hasConnected ? perConnection : perTurn;
    this.#hasConnected = false;
    this.#begun = 0;
    for (const begin of this.#waiting) {
      if (this.#begun >= this.#most) break;
      this.#waiting.delete(begin);
      this.#begun++;
      begin();
    }
    if (this.#begun > 0 || this.#most < perTurn) this.#watchTurn();
  };

  #measureTurn(): void {
    const now = this.#settings.now();
    const tookMs = Math.min(now - this.#turnedMs, maxTurnMs);
    this.#turnedMs = now;
    if (this.#waiting.size === 0) this.#turnMs = 0;
    else if (this.#turnMs === 0) this.#turnMs = tookMs;
    else this.#turnMs += (tookMs - this.#turnMs) * smoothing;
  }
}

// Admission control: limits how many requests begin in one turn of the event loop, how many wait, and for how long.
import type { Duplex } from 'node:stream';
import { GatewayError } from '../../errors.ts';

/**
 * The largest number of requests that begin in one turn of the event loop. Under load, this limit keeps the number of
 * operations in progress low: each operation ends sooner, scavenges copy fewer live objects, and health checks and new
 * connections are not delayed.
 */
const perTurn = 16;

/**
 * The limit for the rest of a turn in which a connection arrives, and for the next turn: libuv accepts one connection
 * per turn, so turns must be short while connections arrive.
 */
const perTurnOfConnection = 1;

/**
 * If at least this many requests wait, a connection is paused after its answer: unread requests have no objects that
 * scavenges must copy.
 */
const enoughWaiting = 4 * perTurn;

/** The longest pause of a connection, during which a disconnect goes unnoticed; shorter than the gateway's `idleMs`. */
const maxPauseMs = 250;

/** The largest number of requests in the backlog; a request takes about 10 KB of memory. */
const maxWaiting = 10_000;

/**
 * The waiting time after which a request is refused, unless the turn has refused its share. At 200 operations per
 * second, 1,000 waiting clients are still served.
 */
const maxWaitMs = 5000;

/** All refusals share one error object, because refusing must cost little. */
const overloaded = new GatewayError('OVERLOADED');

interface Waiting {
  readonly sinceMs: number;
  readonly begin: () => void;
  readonly refuse: (error: GatewayError) => void;
}

export class Admission {
  readonly #isSaturated: () => boolean;
  readonly #now: () => number;
  readonly #nextTurn: (begin: () => void) => void;
  readonly #backlog = new Set<Waiting>();
  /** The paused connections, in the order in which they were paused, each with the time of its pause. */
  readonly #paused = new Map<Duplex, number>();
  /** The number of requests that may begin in this turn, and the number of requests that have begun in it. */
  #limit = perTurn;
  #begun = 0;
  #hasConnected = false;
  #isTurnWatched = false;

  /** `isSaturated`: whether the backlog of calls to the service is so long that no more operations should begin. */
  constructor(
    isSaturated: () => boolean,
    now = () => performance.now(),
    nextTurn: (begin: () => void) => void = setImmediate,
  ) {
    this.#isSaturated = isSaturated;
    this.#now = now;
    this.#nextTurn = nextTurn;
  }

  /** Call this for each new connection. */
  connected(): void {
    this.#hasConnected = true;
    this.#limit = perTurnOfConnection;
    this.#watchTurn();
  }

  /** Call this when a connection is idle after an answer. Pauses the connection if enough requests wait. */
  answered(connection: Duplex): void {
    if (this.#backlog.size < enoughWaiting) return;
    connection.pause();
    this.#paused.set(connection, this.#now());
  }

  /**
   * Returns null if the request may begin now, otherwise a promise that resolves once it may. Throws OVERLOADED if the
   * backlog is full or `isSaturated` returns true; the promise rejects with OVERLOADED after too long a wait.
   */
  enter(): Promise<void> | null {
    if (this.#backlog.size >= maxWaiting || this.#isSaturated()) throw overloaded;
    this.#watchTurn();
    if (this.#begun < this.#limit && this.#backlog.size === 0) {
      this.#begun++;
      return null;
    }
    const { promise, resolve, reject: refuse } = Promise.withResolvers<undefined>();
    this.#backlog.add({ sinceMs: this.#now(), begin: () => resolve(undefined), refuse });
    return promise;
  }

  #watchTurn(): void {
    if (this.#isTurnWatched) return;
    this.#isTurnWatched = true;
    this.#nextTurn(this.#onTurn);
  }

  readonly #onTurn = (): void => {
    this.#isTurnWatched = false;
    this.#limit = this.#hasConnected ? perTurnOfConnection : perTurn;
    this.#hasConnected = false;
    this.#begun = 0;
    const nowMs = this.#now();
    this.#admitWaiting(nowMs - maxWaitMs);
    this.#resumePaused(nowMs - maxPauseMs);
    if (this.#begun > 0 || this.#limit < perTurn || this.#paused.size > 0) this.#watchTurn();
  };

  /**
   * Begins as many requests as the turn's limit allows, and refuses at most as many late requests: refusals must not
   * fill the turn.
   */
  #admitWaiting(lateMs: number): void {
    let refused = 0;
    for (const waiting of this.#backlog) {
      if (this.#begun >= this.#limit) return;
      const isLate = waiting.sinceMs < lateMs && refused < this.#limit;
      this.#backlog.delete(waiting);
      if (isLate) waiting.refuse(overloaded);
      else waiting.begin();
      if (isLate) refused++;
      else this.#begun++;
    }
  }

  /**
   * Resumes all connections that were paused before `lateMs`. Resumes others only if the backlog has room for their
   * requests, and fewer than `perTurn` connections have been resumed.
   */
  #resumePaused(lateMs: number): void {
    let room = Math.min(enoughWaiting - this.#backlog.size, perTurn);
    for (const [connection, sinceMs] of this.#paused) {
      if (room-- <= 0 && sinceMs >= lateMs) return;
      this.#paused.delete(connection);
      connection.resume();
    }
  }
}

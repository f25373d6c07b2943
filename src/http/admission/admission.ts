// Admission control: limits how many requests begin in one turn of the event loop, how many wait, and for how long.
import type { Duplex } from 'node:stream';
import type { ByteBudget } from '../../byte-budget.ts';
import { GatewayError } from '../../errors.ts';
import { perTurn, TurnQueue } from '../../turn-queue.ts';

/** The limit while connections arrive: libuv accepts one connection per turn, so turns must be short. */
const perTurnOfConnection = 1;

/** If this many requests wait, connections are paused: unread requests have no objects that scavenges must copy. */
const enoughWaiting = 2 * perTurn;

/** The longest pause of a connection, during which a disconnect goes unnoticed; shorter than the gateway's `idleMs`. */
const maxPauseMs = 250;

/** The largest number of requests in the backlog; a request takes about 10 KB of memory. */
const maxWaiting = 10_000;

/** A request that has waited longer may be refused. At 200 operations per second, 1,000 clients are still served. */
const maxWaitMs = 5000;

/** All refusals share one error object, because refusing must cost little. */
const overloaded = new GatewayError('OVERLOADED');

interface Waiting extends PromiseWithResolvers<undefined> {
  readonly sinceMs: number;
  readonly bytes: number;
}

export class Admission {
  readonly #isSaturated: () => boolean;
  readonly #memory: ByteBudget;
  readonly #now: () => number;
  readonly #backlog: TurnQueue<Waiting>;
  /** The paused connections, in the order in which they were paused, each with the time of its pause. */
  readonly #paused = new Map<Duplex, number>();
  #hasConnected = false;
  /** The number of requests refused in this turn: refusals must not fill it. */
  #refused = 0;

  /**
   * `isSaturated`: whether the backlog of calls to the service is so long that no more operations should begin. `memory`
   * is for all waiting requests.
   */
  constructor(
    isSaturated: () => boolean,
    memory: ByteBudget,
    now = () => performance.now(),
    nextTurn: (begin: () => void) => void = setImmediate,
  ) {
    this.#isSaturated = isSaturated;
    this.#memory = memory;
    this.#now = now;
    this.#backlog = new TurnQueue({
      run: (waiting) => this.#admit(waiting),
      before: () => this.#beginTurn(),
      after: () => this.#endTurn(),
      nextTurn,
    });
  }

  /** Increases at the end of each turn in which a request has begun. */
  get turns(): number {
    return this.#backlog.turns;
  }

  connected(): void {
    this.#hasConnected = true;
    this.#backlog.limit = perTurnOfConnection;
    this.#backlog.watch();
  }

  /** Call this when a connection is idle after an answer. Pauses the connection if enough requests wait. */
  answered(connection: Duplex): void {
    if (this.#backlog.size < enoughWaiting) return;
    connection.pause();
    this.#paused.set(connection, this.#now());
  }

  /**
   * Returns null if the request may begin now, otherwise a promise. Throws or rejects with OVERLOADED. `sizeOf` returns
   * the number of bytes that the request takes while it waits.
   */
  enter(sizeOf = () => 0): Promise<undefined> | null {
    if (this.#backlog.size >= maxWaiting || this.#isSaturated()) throw overloaded;
    if (this.#backlog.hasRoom) {
      this.#backlog.use(1);
      return null;
    }
    const bytes = sizeOf();
    if (!this.#memory.resize(0, bytes)) throw overloaded;
    const waiting = { ...Promise.withResolvers<undefined>(), sinceMs: this.#now(), bytes };
    this.#backlog.add(waiting);
    return waiting.promise;
  }

  #beginTurn(): void {
    this.#backlog.limit = this.#hasConnected ? perTurnOfConnection : perTurn;
    this.#hasConnected = false;
    this.#refused = 0;
  }

  #endTurn(): void {
    if (this.#paused.size > 0) this.#resumePaused(this.#now() - maxPauseMs);
    if (this.#backlog.limit < perTurn || this.#paused.size > 0) this.#backlog.watch();
  }

  /** Begins or refuses a request that has waited; returns 1 if it begins. */
  #admit(waiting: Waiting): number {
    this.#memory.resize(waiting.bytes, 0);
    const isLate = waiting.sinceMs < this.#now() - maxWaitMs && this.#refused < this.#backlog.limit;
    if (isLate) {
      this.#refused++;
      waiting.reject(overloaded);
      return 0;
    }
    waiting.resolve(undefined);
    return 1;
  }

  /** Resumes connections that were paused before `lateMs`, and others if the backlog has room for their requests. */
  #resumePaused(lateMs: number): void {
    let room = Math.min(enoughWaiting - this.#backlog.size, perTurn);
    for (const [connection, sinceMs] of this.#paused) {
      if (room-- <= 0 && sinceMs >= lateMs) return;
      this.#paused.delete(connection);
      connection.resume();
    }
  }
}

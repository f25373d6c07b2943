// Runs items in the turns of the event loop, a limited number or weight in each, so that no turn lasts long.

/** The largest number of operations that begin or continue in a turn: with fewer in progress, each ends sooner. */
export const perTurn = 16;

export interface TurnQueueParts<T> {
  /** Runs an item; returns its weight in the limit of the turn. */
  readonly run: (item: T) => number;
  /** The weight of the items that may run in a turn; the last one may exceed it. */
  readonly limit?: number;
  /** Called at the start of a turn, before items run, and after they have run. */
  readonly before?: () => void;
  readonly after?: () => void;
  readonly nextTurn?: (begin: () => void) => void;
}

export class TurnQueue<T> {
  limit: number;
  /** Increases at the start of each turn that follows one in which an item was added. */
  turns = 0;
  readonly #run: TurnQueueParts<T>['run'];
  readonly #before: (() => void) | undefined;
  readonly #after: (() => void) | undefined;
  readonly #nextTurn: (begin: () => void) => void;
  readonly #waiting = new Set<T>();
  /** The weight of the items that have run in this turn. */
  #used = 0;
  #isWatched = false;

  constructor({ run, limit = perTurn, before, after, nextTurn = setImmediate }: TurnQueueParts<T>) {
    this.#run = run;
    this.limit = limit;
    this.#before = before;
    this.#after = after;
    this.#nextTurn = nextTurn;
  }

  /** The number of items that wait. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Whether an item may run at once: none waits, and this turn is not full. */
  get hasRoom(): boolean {
    return this.#waiting.size === 0 && this.#used < this.limit;
  }

  /** Runs the item now if there is room, otherwise in a later turn, after those that wait already. */
  add(item: T): void {
    if (this.hasRoom) this.use(this.#run(item));
    else this.#waiting.add(item);
  }

  /** Counts something that runs in this turn without the queue. */
  use(weight: number): void {
    this.#used += weight;
    this.watch();
  }

  /** Removes an item; returns false if it was not waiting. */
  delete(item: T): boolean {
    return this.#waiting.delete(item);
  }

  /** Makes the next turn begin, even if nothing waits. */
  watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    this.#nextTurn(this.#begin);
  }

  readonly #begin = (): void => {
    this.#isWatched = false;
    this.turns++;
    this.#used = 0;
    this.#before?.();
    for (const item of this.#waiting) {
      if (this.#used >= this.limit) break;
      this.#waiting.delete(item);
      this.#used += this.#run(item);
    }
    this.#after?.();
    if (this.#used > 0 || this.#waiting.size > 0) this.watch();
  };
}

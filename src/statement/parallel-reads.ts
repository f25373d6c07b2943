// Limits the reads of an operation that are under way at the same time (MAX_PARALLEL_READS).

/** Lets at most `most` reads begin; the others begin in turn as those end. */
export class ParallelReads {
  #left: number;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#left = most;
  }

  /** Returns null if a read can begin at once, because a promise would cost time; otherwise resolves when it can. */
  begin(): Promise<void> | null {
    if (this.#left === 0) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#left--;
    return null;
  }

  /** Must be called once after each read that has begun. */
  end(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#left++;
    else next();
  }
}

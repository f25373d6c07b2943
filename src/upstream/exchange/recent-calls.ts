// Recent calls and failures, counted over a sliding window.

/** The window slides by one of this many pieces at a time. */
const pieces = 10;

interface Counts {
  ended: number;
  bad: number;
}

/** Counts over the last `spanMs`. Times are those of a monotonic clock, in milliseconds. */
export class RecentCalls {
  readonly #pieceMs: number;
  readonly #ring: Counts[] = Array.from({ length: pieces }, none);
  readonly #sum = none();
  /** Number of the newest piece, counted from the clock's zero. */
  #newest = 0;

  constructor(spanMs: number) {
    this.#pieceMs = spanMs / pieces;
  }

  /** Counts a call that ended now. */
  add(isBad: boolean, now: number): void {
    const bad = isBad ? 1 : 0;
    const piece = this.#pieceAt(now);
    piece.ended++;
    piece.bad += bad;
    this.#sum.ended++;
    this.#sum.bad += bad;
  }

  /** The counts as of now; valid until the next call. */
  at(now: number): Readonly<Counts> {
    this.#pieceAt(now);
    return this.#sum;
  }

  clear(): void {
    for (const counts of [...this.#ring, this.#sum]) Object.assign(counts, none());
  }

  #pieceAt(now: number): Counts {
    const number = Math.floor(now / this.#pieceMs);
    // After a long pause every piece is emptied once.
    this.#newest = Math.max(this.#newest, number - pieces);
    while (this.#newest < number) {
      const expired = this.#ring[++this.#newest % pieces] as Counts;
      this.#sum.ended -= expired.ended;
      this.#sum.bad -= expired.bad;
      expired.ended = expired.bad = 0;
    }
    return this.#ring[number % pieces] as Counts;
  }
}

function none(): Counts {
  return { ended: 0, bad: 0 };
}

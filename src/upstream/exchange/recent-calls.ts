// How many calls ended lately, and how many of them badly: counts that move on with time.

/** The span that is looked back on is cut into so many pieces, which leave it one by one. */
const pieces = 10;

interface Counts {
  ended: number;
  bad: number;
}

/** Counts over the last `spanMs`. Times are of a steady clock, in milliseconds, and never go back. */
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

  /** The counts as of now; not to be kept. */
  at(now: number): Readonly<Counts> {
    this.#pieceAt(now);
    return this.#sum;
  }

  clear(): void {
    for (const counts of [...this.#ring, this.#sum]) Object.assign(counts, none());
  }

  #pieceAt(now: number): Counts {
    const number = Math.floor(now / this.#pieceMs);
    // After a long silence every piece is emptied once, and no more.
    this.#newest = Math.max(this.#newest, number - pieces);
    while (this.#newest < number) this.#empty(++this.#newest);
    return this.#ring[number % pieces] as Counts;
  }

  #empty(number: number): void {
    const counts = this.#ring[number % pieces] as Counts;
    this.#sum.ended -= counts.ended;
    this.#sum.bad -= counts.bad;
    counts.ended = counts.bad = 0;
  }
}

function none(): Counts {
  return { ended: 0, bad: 0 };
}

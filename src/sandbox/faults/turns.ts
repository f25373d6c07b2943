// Selects the occasions (matching requests, or reads of a statement) on which a fault or hook applies.

/** A range of occasions, counted from the first. */
export interface Turns {
  /** The number of occasions before the range; default 0. */
  readonly skip?: number;
  /** The number of occasions in the range; by default it has no end. */
  readonly times?: number;
}

/** Returns a function that is called once per occasion, and returns whether the occasion is in the range. */
export function createTurns({ skip = 0, times = Infinity }: Turns): () => boolean {
  let seen = 0;
  return () => {
    seen += 1;
    return seen > skip && seen <= skip + times;
  };
}

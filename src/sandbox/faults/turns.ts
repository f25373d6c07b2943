// Which of many occasions something applies to: faults and hooks skip some, and then apply to some.

/** The occasions to which something applies. */
export interface Turns {
  /** Occasions to skip first; default 0. */
  readonly skip?: number;
  /** Occasions after those that it applies to; default all. */
  readonly times?: number;
}

/** Returns a function to call once per occasion; it returns whether this one counts. */
export function createTurns({ skip = 0, times = Infinity }: Turns): () => boolean {
  let seen = 0;
  return () => {
    seen += 1;
    return seen > skip && seen <= skip + times;
  };
}

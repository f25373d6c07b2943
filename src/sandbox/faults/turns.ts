// Which of many occasions something applies to: faults and hooks pass some over and last for some.

/** How often something applies. */
export interface Turns {
  /** Occasions to pass over first; default 0. */
  readonly skip?: number;
  /** Occasions that it then applies to; default all. */
  readonly times?: number;
}

/** Answers a function that is asked once an occasion and says whether this one counts. */
export function createTurns({ skip = 0, times = Infinity }: Turns): () => boolean {
  let seen = 0;
  return () => {
    seen += 1;
    return seen > skip && seen <= skip + times;
  };
}

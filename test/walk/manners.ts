// The manners of services that are not ideal.
import type { Random } from './random.ts';
import type { Manner, Read } from './service.ts';
import { type Entry, scramble, type Statement } from './statement.ts';

/** Ties in an order that depends on the page, as databases return them without a tie-break. */
export const tiesByPage: Manner = {
  reorders: true,
  shown: (statement, { page }) =>
    withTies(statement, ({ serial }) => scramble(serial + 1000 * page)),
};

/** The first page is sorted in another way than all others. */
export const tiesByPlan: Manner = {
  reorders: true,
  shown: (statement, { page }) =>
    withTies(statement, ({ serial }) => scramble(serial + (page === 0 ? 0 : 1000))),
};

/** Ties in another order at each read. */
export function tiesShuffled(random: Random): Manner {
  return { reorders: true, shown: (statement) => withTies(statement, () => random.next()) };
}

/** Two replicas answer in turn; one of them lacks the newest row. */
export const replicasInTurn: Manner = {
  shown: (statement, { nth }) => (nth % 2 === 0 ? statement : withoutNewest(statement)),
};

/** Each read is answered by one of two replicas; one of them lacks the newest row. */
export function replicasByChance(random: Random): Manner {
  return {
    shown: (statement) => (random.happens(0.5) ? statement : withoutNewest(statement)),
  };
}

/** itemsPerPage is the number of rows of the page. */
export const sizeOfPage: Manner = {
  sends: (sent) => ({ ...sent, itemsPerPage: sent.rows?.length ?? 0 }),
};

/** What is sent beyond the last page. */
export function beyondEnd(
  what: 'total 0' | 'data null' | 'last page' | 'total null' | number,
): Manner {
  return {
    sends(sent, { page, statement: { live, size } }) {
      if (page === 0 || page * size < live.length) return sent;
      if (typeof what === 'number') return what;
      if (what === 'data null') return { ...sent, rows: null };
      if (what === 'total 0') return { ...sent, totalItems: 0, totalPages: 0 };
      const last = Math.max(Math.ceil(live.length / size) - 1, 0);
      return { ...sent, currentPage: last, rows: live.slice(last * size) };
    },
  };
}

/** Some rows are counted, but left out of their page. */
export const hidesRows: Manner = {
  isHidden: ({ serial }) => scramble(serial) % 20 === 0,
  sends: (sent) => ({
    ...sent,
    rows: sent.rows?.filter((entry) => hidesRows.isHidden?.(entry) === false) ?? null,
  }),
};

/** currentPage is the same on each page, or one more than the index, or left out. */
export function statesPage(what: 'constant' | 'next' | 'null', base: 0 | 1 = 0): Manner {
  const stated = (page: number) => ({ constant: base, next: page + 1, null: null })[what];
  return { base, sends: (sent, { page }) => ({ ...sent, currentPage: stated(page) }) };
}

/** The total is counted just before or just after the page is read, and what changed last may happen in between. */
export function countsApart(random: Random, counted: 'before' | 'after'): Manner {
  let last: Statement | undefined;
  /** For each read with a change between its two queries, the statement before the change. */
  const earlier = new Map<Read, Statement>();
  return {
    shown(statement, read) {
      if (last !== undefined && last !== statement && random.happens(0.5)) earlier.set(read, last);
      last = statement;
      return (counted === 'after' && earlier.get(read)) || statement;
    },
    sends(sent, read) {
      const counts = (counted === 'before' && earlier.get(read)) || read.statement;
      return { ...sent, totalItems: counts.live.length };
    },
  };
}

/** Only some reads at a time are answered. */
export function atOnce(most: number): Manner {
  return { sends: (sent, { underWay }) => (underWay > most ? 429 : sent) };
}

function withoutNewest(statement: Statement): Statement {
  return { ...statement, live: statement.live.slice(1) };
}

/** The statement with its ties in the order of a key. */
function withTies(statement: Statement, keyOf: (entry: Entry) => number): Statement {
  const keyed = statement.live.map((entry) => ({ entry, key: keyOf(entry) }));
  keyed.sort((a, b) => b.entry.at - a.entry.at || a.key - b.key);
  return { ...statement, live: keyed.map(({ entry }) => entry) };
}

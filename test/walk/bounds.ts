// The bound on the upstream calls of a slice (docs/paging.md, "What each call costs").
import type { SliceAnswer, Walk } from './judge.ts';
import type { Statement } from './statement.ts';

/** How a statement has changed between two states: not at all, only by arrivals, or in another way. */
export type Change = 'still' | 'arrivals' | 'other';

export function changeBetween(earlier: Statement, later: Statement): Change {
  // Ties that have changed places always count as a change, because the cursor may name them at their earlier places.
  // This holds even if they changed places while the slice that gave the cursor was read.
  const haveChangedPlaces = later.unordered.size > 0;
  if (haveChangedPlaces || later.otherEvents !== earlier.otherEvents) return 'other';
  return later.arrivals === earlier.arrivals ? 'still' : 'arrivals';
}

/** The largest number of calls allowed for a slice of `state`, depending on the changes since its cursor was issued. */
export function mostCalls(
  walk: Walk,
  state: Statement,
  answer: SliceAnswer,
  change: Change,
): number {
  const { need, isAtPageStart } = needOf(state, answer.serials);
  const { cursor, direction, count } = walk;
  // Without a cursor, a walk from the oldest row has to read the total first, to find the last page.
  const base = need + (cursor === null && direction === -1 && state.live.length > 0 ? 1 : 0);
  if (change === 'arrivals') return base + 2;
  if (change === 'other') return base + mostSearched(state);
  if (cursor === null) return base;
  if (direction === 1 && isAtPageStart && count % state.size === 0) {
    // If the first row has a newer createdAt than the row of the cursor, rows may have moved. Only the page before
    // shows whether they have.
    return isNewerThan(state, answer.serials[0], cursor) ? base + 1 : base;
  }
  return count === state.size ? Math.max(base, 2) : base + 1;
}

/**
 * The largest number of calls allowed for finding the place of a cursor, in addition to the pages of the slice. The
 * search may also end with CURSOR_EXPIRED.
 */
export function mostSearched({ live, size }: Statement): number {
  return 2 + Math.ceil(Math.log2(Math.max(live.length / size, 1)));
}

/** The number of pages of the slice, and whether the slice begins with the first row of a page. */
function needOf(
  { live, size }: Statement,
  serials: readonly number[],
): { need: number; isAtPageStart: boolean } {
  const wanted = new Set(serials);
  const pages = new Set<number>();
  let first = -1;
  live.forEach(({ serial }, index) => {
    if (!wanted.has(serial)) return;
    if (first < 0) first = index;
    pages.add(Math.floor(index / size));
  });
  return { need: Math.max(pages.size, 1), isAtPageStart: first % size === 0 };
}

function isNewerThan({ entries }: Statement, serial: number | undefined, other: number): boolean {
  const at = (one: number | undefined) => entries.find((entry) => entry.serial === one)?.at ?? NaN;
  return at(serial) > at(other);
}

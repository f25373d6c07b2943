// How a cursor is looked for, and what can come of it: what place.ts, gone.ts and ties.ts share. Pure.
import type { Cursor } from './cursor.ts';
import type { Known, Observed } from './known.ts';

/** 1 walks from newer to older (`first`/`after`), -1 from older to newer (`last`/`before`). */
export type Direction = 1 | -1;

/** A cursor, and what is known of its statement by now. */
export interface Search {
  readonly known: Known;
  readonly cursor: Cursor;
  readonly direction: Direction;
  /** Rows wanted. */
  readonly count: number;
  /** The distance at which its row stands if there were only arrivals at the head since. */
  readonly expected: number;
}

/** Where a slice begins, or what it takes to find out. */
export type Place =
  | FoundPlace
  | { readonly kind: 'read'; readonly pages: readonly number[] }
  | { readonly kind: 'expired' };

export interface FoundPlace {
  readonly kind: 'found';
  /** Distance of the first row to give; one beyond the statement's end where nothing follows. */
  readonly first: number;
  /** A row just before it that was seen, against which a gap would show. */
  readonly anchor: number | null;
  /** The rows to give from `first` on where their order had to be settled; else those that stand there. */
  readonly settled: readonly Observed[];
}

export function found(first: number, anchor: number | null): FoundPlace {
  return { kind: 'found', first, anchor, settled: [] };
}

/** Negative for a row that comes before the cursor's by createdAt, positive after, 0 for a tie, NaN where unknown. */
export function sideOf({ cursor, direction }: Search, { row }: Pick<Observed, 'row'>): number {
  if (row.createdAtMs === null || cursor.createdAtMs === null) {
    return NaN;
  }
  return direction * (cursor.createdAtMs - row.createdAtMs);
}

/** Print of the row that followed the cursor's, in the direction of the walk. */
export function neighbourAhead({ cursor, direction }: Search): number | null {
  return direction === 1 ? cursor.older : cursor.newer;
}

/** Print of the row that came before it. */
export function neighbourBehind({ cursor, direction }: Search): number | null {
  return direction === 1 ? cursor.newer : cursor.older;
}

export function isInside({ total }: Known, distance: number): boolean {
  return distance >= 0 && distance < total;
}

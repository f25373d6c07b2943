// The state of a statement at one moment, as far as it was read. Pure.
import { NO_KEY, type StatementRow } from '../upstream/shape/shapes.ts';
import { rowOn, type PageView } from './page-view.ts';

/** One state of the statement, and all rows that are known to be in it. */
export interface Snapshot {
  /** The pages that were read in this state, latest first; once a later state was read, none are added. */
  readonly own: readonly PageView[];
  /** Its own pages, then parts of pages of other states, with distances in this state. */
  readonly pages: readonly PageView[];
  readonly total: number;
  readonly size: number;
  /** The number of pages that were read in this state and since then. */
  readonly readsSince: number;
  /** The growth of the total since this state. `pageAt` assumes that rows have moved by as many places. */
  readonly movedBy: number;
  /** Whether any row with a usable id was read more than once. */
  readonly repeats: boolean;
}

export interface SeenRow {
  readonly row: StatementRow;
  readonly distance: number;
}

/** The current zero-based page of the row at this distance. */
export function pageAt({ total, size, movedBy }: Snapshot, distance: number): number {
  return Math.max(Math.floor((total - 1 - distance + movedBy) / size), 0);
}

export const isInside = ({ total }: Snapshot, distance: number) =>
  distance >= 0 && distance < total;

/** The row at a distance, from the first page that has it. */
export function rowAt({ pages }: Pick<Snapshot, 'pages'>, distance: number): SeenRow | undefined {
  for (const page of pages) {
    const row = rowOn(page, distance);
    if (row !== undefined) return { row, distance };
  }
  return undefined;
}

/** The distance of the row with this key, from the first page that has it. */
export function distanceOf({ pages }: Snapshot, key: number): number | undefined {
  for (const { rows, newest } of pages) {
    const offset = rows.findIndex((row) => row.key === key);
    if (offset >= 0) return newest - offset;
  }
  return undefined;
}

/** All seen rows with their distances, in the order of the pages. A row that is on two pages is repeated. */
export function* seenRows({ pages }: Pick<Snapshot, 'pages'>): Generator<SeenRow> {
  for (const { rows, newest } of pages) {
    let distance = newest;
    for (const row of rows) yield { row, distance: distance-- };
  }
}

/** Whether a row (with this createdAt, if given) was seen at two places, or with another row at one: only ties can be. */
export function standsTwice(snapshot: Snapshot, createdAtMs: number | null = null): boolean {
  if (!snapshot.repeats) return false;
  const places = new Map<number, number>();
  return seenRows(snapshot).some(({ row, distance }) => {
    if (row.key === NO_KEY || (createdAtMs ?? row.createdAtMs) !== row.createdAtMs) return false;
    const known = places.get(row.key) ?? distance;
    places.set(row.key, distance);
    return known !== distance || rowAt(snapshot, distance)?.row.key !== row.key;
  });
}

/** Whether the seen rows are in createdAt order, which the service does not promise. */
export function isSorted({ pages }: Pick<Snapshot, 'pages'>): boolean {
  let [earliest, reached] = [Infinity, Infinity];
  for (const { newest, rows } of pages.toSorted((one, other) => other.newest - one.newest)) {
    for (let offset = Math.max(newest - reached + 1, 0); offset < rows.length; offset++) {
      const at = rows[offset]?.createdAtMs ?? earliest;
      if (at > earliest) return false;
      earliest = at;
    }
    reached = Math.min(reached, newest - rows.length + 1);
  }
  return true;
}

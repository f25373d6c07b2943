// A search for a cursor's place, and its possible results. Pure.
import { fingerprintOf } from './row-key.ts';
import { NO_KEY } from '../upstream/shape/shapes.ts';
import type { Cursor, NamedRows } from './cursor.ts';
import { areTied } from './page-view.ts';
import { distanceOf, pageAt, rowAt, seenRows, standsTwice } from './snapshot.ts';
import type { SeenRow, Snapshot } from './snapshot.ts';

/** A walk's direction: 1 from newer to older rows (`first`/`after`), -1 from older to newer rows (`last`/`before`). */
export type Direction = 1 | -1;

/** The search for the place of a cursor in one state of its statement. */
export interface Search {
  readonly snapshot: Snapshot;
  /** The searches in the states that were read before this one, the earliest first. */
  readonly earlier: readonly Search[];
  readonly cursor: Cursor;
  readonly direction: Direction;
  /** The number of requested rows. */
  readonly count: number;
  /** The distance of the cursor's row, if it has an id and was seen. */
  readonly own: number | undefined;
  /** The distance of the cursor's row if all changes since the cursor was issued were arrivals at the head. */
  readonly expected: number;
  /** The rank of the cursor's row (see `rankOf`) when the cursor was issued. */
  readonly stood: number;
  /** The growth of the total since the cursor was issued, which may be negative. */
  readonly growth: number;
  /** The sum of all rises of the total since the cursor was issued: at least this many rows have arrived. */
  readonly came: number;
  /** The rows that the cursor names before and after its own row, in the direction of the walk. */
  readonly behind: NamedRows;
  readonly ahead: NamedRows;
  /** The seen rows that the cursor names. */
  readonly named: readonly NamedRow[];
  /** Whether the ties of the cursor's row are known to have changed their order. */
  readonly isReordered: boolean;
}

/** Why a cursor has expired; README.md explains each reason. */
export type ExpiryReason = 'gone' | 'ties' | 'tieOrder' | 'noId' | 'tooFar' | 'unsettled';

/** The place of a slice, the pages to read next, or the reason why the cursor has expired. */
export type Place =
  | FoundPlace
  | { readonly kind: 'read'; readonly pages: readonly number[] }
  | { readonly kind: 'expired'; readonly reason: ExpiryReason };

export interface FoundPlace {
  readonly kind: 'found';
  /** The distance of the slice's first row; one place beyond the end of the statement if no row follows the cursor. */
  readonly first: number;
  /** The first rows of the slice, if their order had to be settled; otherwise empty. */
  readonly settled: readonly SeenRow[];
  /** How the place was found. `createdAt`: by createdAt or the fewest changes, because no named row was seen. */
  readonly by: 'position' | 'row' | 'neighbour' | 'createdAt' | 'tieOrder';
}

export function found(first: number, by: FoundPlace['by']): FoundPlace {
  return { kind: 'found', first, settled: [], by };
}

/** The searches in all states; like `snapshots`, latest first. */
export function searchesOf(
  snapshots: readonly Snapshot[],
  cursor: Cursor,
  direction: Direction,
  count: number,
): Search[] {
  const expected = cursor.total - 1 - cursor.index;
  const { newer, older } = cursor;
  const [behind, ahead] = direction === 1 ? [newer, older] : [older, newer];
  const stood = direction === 1 ? cursor.index : expected;
  const searches: Search[] = [];
  let [came, { total }] = [0, cursor];
  for (const snapshot of snapshots.toReversed()) {
    came += Math.max(snapshot.total - total, 0);
    total = snapshot.total;
    const named = namedRows(snapshot, cursor, behind, ahead);
    const isThere = rowAt(snapshot, expected)?.row.key === cursor.key;
    const seenAt = isThere ? expected : distanceOf(snapshot, cursor.key);
    const own = cursor.key === NO_KEY ? undefined : seenAt;
    const changes = { own, expected, stood, growth: total - cursor.total, came };
    const seen = { snapshot, earlier: [...searches], named, ...changes };
    const search = { ...seen, cursor, direction, count, behind, ahead, isReordered: false };
    searches.push({ ...search, isReordered: haveTiesMoved(search) });
  }
  return searches.reverse();
}

/** The rank of the row at a distance: the number of rows before it in the direction of the walk. */
export function rankOf({ snapshot, direction }: Search, distance: number): number {
  return direction === 1 ? snapshot.total - 1 - distance : distance;
}

/** The distance of the row at a rank: the formula of `rankOf` is its own inverse. */
export const distanceAt = (search: Search, rank: number) => rankOf(search, rank);

/** A seen row that the cursor names, with its offset from the cursor's row when the cursor was issued. */
export interface NamedRow extends SeenRow {
  readonly offset: number;
  /** Whether the row is a tie of the cursor's row, both now and when the cursor was issued. */
  readonly isTie: boolean;
}

function namedRows(snapshot: Snapshot, cursor: Cursor, behind: NamedRows, ahead: NamedRows) {
  const named: NamedRow[] = [];
  // Without `seenRows`, whose generator takes longer than the comparison.
  for (const { rows, newest } of snapshot.pages) {
    for (const [nth, row] of rows.entries()) {
      const fingerprint = fingerprintOf(row.key);
      const before = behind.fingerprints.indexOf(fingerprint);
      const offset = before < 0 ? 1 + ahead.fingerprints.indexOf(fingerprint) : -1 - before;
      if (row.key === NO_KEY || offset === 0) continue;
      named.push({ row, distance: newest - nth, offset, isTie: areTied(row, cursor) });
    }
  }
  return named;
}

/** Whether named ties are in another order, a tie was seen at two places, or another tie of a reordered cursor was seen. */
function haveTiesMoved({ snapshot, cursor, direction, own, named }: Search): boolean {
  const isOther = ({ row }: SeenRow) => row.key !== cursor.key && areTied(row, cursor);
  if (standsTwice(snapshot, cursor.createdAtMs)) return true;
  if (cursor.isReordered && seenRows(snapshot).some(isOther)) return true;
  const self = own === undefined ? [] : [{ offset: 0, distance: own }];
  const ties = [...named.filter(({ isTie }) => isTie), ...self].sort((a, b) => a.offset - b.offset);
  const places = ties.map(({ distance }) => direction * distance);
  return places.some((place, k) => place > (places[k - 1] ?? place));
}

/** The ranks of the seen rows that an earlier state showed before the cursor's row (`side` is -1) or after it (1). */
export function sidedRows(search: Search) {
  const { snapshot, cursor, stood } = search;
  if (search.earlier.length === 0) return [];
  // Reversed, because the first page that has a row counts.
  const seen = [...seenRows(snapshot)].reverse();
  const places = new Map(seen.map(({ row, distance }) => [row.key, distance]));
  places.delete(NO_KEY);
  const isTold = isOrderKnown(search);
  const sided: { readonly side: -1 | 1; readonly rank: number; readonly isTie: boolean }[] = [];
  // At most three states, to bound the time if a statement changes at every read; none if the cursor's row has no id.
  for (const there of search.earlier.slice(0, 3)) {
    const { snapshot: state, own, growth, came } = there;
    if (own === undefined && (cursor.key === NO_KEY || (came > 0 && came > growth))) break;
    // If the state does not show the cursor's row, only rows outside its possible ranks are used.
    const known = own === undefined ? undefined : rankOf(there, own);
    const isOther = (rank: number) => rowAt(state, rankOf(there, rank)) && rank !== known;
    let first = known ?? stood + Math.min(growth, 0);
    let last = known ?? stood + Math.max(growth, 0);
    // If the total has fallen, the row may be gone. Its place then is beside one of these ranks.
    const most = growth < 0 ? 1 : Infinity;
    for (let left = most; left > 0 && first <= last && isOther(first); left--) first++;
    for (let left = most; left > 0 && first <= last && isOther(last); left--) last--;
    if (first > last && growth >= 0) continue;
    // A named row on the wrong side shows that the state combines reads of two states.
    const isMixed = ({ offset, distance, isTie }: NamedRow) =>
      !isTie && (offset < 0 ? rankOf(there, distance) > last : rankOf(there, distance) < first);
    if (there.named.some(isMixed)) continue;
    for (const { row, distance } of seenRows(state)) {
      const [now, rank] = [places.get(row.key), rankOf(there, distance)];
      if (now === undefined || (rank >= first && rank <= last)) continue;
      const side = rank < first ? -1 : 1;
      // The row may be gone even if the total has not fallen; createdAt then shows that this conclusion is wrong.
      if (isTold && own === undefined && side * sideOf(search, { row }) < 0) continue;
      sided.push({ side, rank: rankOf(search, now), isTie: areTied(row, cursor) });
    }
  }
  return sided;
}

const instantsThatTell = 8;

/** Whether rows are hardly in createdAt order by chance: the cursor's page had all, or they have enough values. */
export function isOrderKnown({ snapshot, cursor }: Search): boolean {
  const instants = new Set(seenRows(snapshot).map(({ row }) => row.createdAtMs));
  return cursor.total <= cursor.size || instants.size >= instantsThatTell;
}

/** Whether the bound on calls after arrivals alone, two beyond the need, allows no more reads in search of a place. */
export function isBoundReached({ snapshot, growth, came }: Search): boolean {
  return came === growth && growth > 0 && snapshot.own.length > 2;
}

export function readAt({ snapshot }: Pick<Search, 'snapshot'>, distance: number): Place {
  return { kind: 'read', pages: [pageAt(snapshot, distance)] };
}

/** The side of a row by createdAt: negative before the cursor's row, positive after it, 0 for a tie, NaN if unknown. */
export function sideOf({ cursor, direction }: Search, { row }: Pick<SeenRow, 'row'>): number {
  if (row.createdAtMs === null || cursor.createdAtMs === null) return NaN;
  return direction * (cursor.createdAtMs - row.createdAtMs);
}

// Finds where a slice begins: the place after a cursor, on the sheet of the pages read so far. Pure; README.md has the rules.
import { NO_KEY } from '../upstream/shape/shapes.ts';
import type { Cursor, NamedRows } from './cursor.ts';
import { fingerprintOf } from './row-key.ts';
import {
  isInside,
  isRead,
  isSorted,
  isUnread,
  nearestOf,
  rowAt,
  seenRows,
  type SeenRow,
  type Sheet,
} from './sheet.ts';

/** A walk's direction: 1 from newer to older rows (`first`/`after`), -1 from older to newer rows (`last`/`before`). */
export type Direction = 1 | -1;

/** Why a page is read; README.md explains each reason. */
export type ReadReason = 'first' | 'next' | 'old place' | 'search' | 'again' | 'check';

/** Why a cursor has expired; README.md explains each reason. */
export type ExpiryReason = 'gone' | 'ties' | 'noId';

/** How a place was found; README.md explains each of them. */
export type FoundBy = 'position' | 'row' | 'neighbour' | 'createdAt' | 'tieOrder';

/** The place of a slice's first row, a place to read, or the reason why the cursor has expired. */
export type Place =
  | { readonly kind: 'found'; readonly first: number; readonly by: FoundBy }
  | { readonly kind: 'read'; readonly distance: number; readonly reason: ReadReason }
  | { readonly kind: 'expired'; readonly reason: ExpiryReason };

export interface Search {
  readonly sheet: Sheet;
  readonly cursor: Cursor;
  readonly direction: Direction;
  readonly count: number;
}

/** A row that the cursor names, or its own row (offset 0): before it if `offset` is negative, where it was seen. */
interface NamedRow {
  readonly offset: number;
  readonly distance: number;
  readonly isTie: boolean;
}

export function placeAfter(search: Search): Place {
  const { sheet, cursor, direction, count } = search;
  const old = cursor.total - 1 - cursor.index;
  const growth = growthOf(search);
  const own = findOwn(search, old);
  const after = (distance: number, by: FoundBy): Place => ({
    kind: 'found',
    first: distance - direction,
    by,
  });
  const [behind, ahead] = sidesOf(search);
  const mayBeLoose = sheet.isLoose || behind.ties + ahead.ties > 0;
  if (own === old && !mayBeLoose) return after(old, 'position');
  if (count === 0 && isOnlySided(search, old, growth)) return after(old, 'position');
  // A row with another createdAt has moved because of it.
  const isRetimed = own !== undefined && own !== old && isOtherTime(search, own);
  const named = namedRows(search, old, isRetimed ? undefined : own);
  const kept = keptRows(named, old, direction);
  if (own === undefined && fits(search, old, named)) return after(old, 'position');
  if (isUnread(sheet, old) && !(own === old + growth && kept.length === named.length))
    return { kind: 'read', distance: old, reason: 'old place' };
  const areLoose =
    cursor.createdAtMs !== null &&
    (sheet.isLoose ||
      (kept.some((one) => one.isTie) && named.some((one) => one.isTie && !kept.includes(one))));
  if (areLoose && hasTies(search) && (named.length > 0 || growth === 0))
    return byPlace(search, old);
  if (own === old) return after(old, 'position');
  if (own !== undefined && kept.some(({ offset }) => offset === 0)) return after(own, 'row');
  return placeOfLost(search, old, kept);
}

const growthOf = ({ sheet, cursor }: Search) => sheet.latest.total - cursor.total;

/** Whether no removal can have changed whether rows are on either side of the place, as a slice without rows states. */
function isOnlySided({ sheet, direction }: Search, old: number, growth: number): boolean {
  const least = Math.max(old + Math.min(growth, 0), direction === 1 ? 0 : -1);
  const isSame = (step: number) => isInside(sheet, old + step) === isInside(sheet, least + step);
  return isSame(0) && isSame(-direction);
}

function isOtherTime(search: Search, own: number): boolean {
  const row = rowAt(search.sheet, own);
  return row?.key === search.cursor.key && Math.abs(sideOf(search, row)) > 0;
}

/** The sides of a cursor in the direction of the walk. */
function sidesOf({
  cursor,
  direction,
}: Pick<Search, 'cursor' | 'direction'>): [NamedRows, NamedRows] {
  return direction === 1 ? [cursor.newer, cursor.older] : [cursor.older, cursor.newer];
}

/** The distance of the cursor's row, nearest to its old place. A row without an id is recognized by its createdAt there. */
function findOwn({ sheet, cursor }: Search, old: number): number | undefined {
  if (cursor.key !== NO_KEY) return nearestOf(sheet, cursor.key, old, cursor.createdAtMs);
  const there = rowAt(sheet, old);
  const isSame =
    there?.key === NO_KEY && there.createdAtMs === (cursor.createdAtMs ?? there.createdAtMs);
  return isSame ? old : undefined;
}

function namedRows(search: Search, old: number, own: number | undefined): NamedRow[] {
  const { sheet, cursor, direction } = search;
  const [behind, ahead] = sidesOf(search);
  const named = new Map<number, NamedRow>();
  if (own !== undefined) named.set(0, { offset: 0, distance: own, isTie: true });
  for (const { rows, newest } of sheet.pages) {
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at];
      if (row === undefined || row.key === NO_KEY || row.key === cursor.key) continue;
      const fingerprint = fingerprintOf(row.key);
      const before = behind.fingerprints.indexOf(fingerprint);
      const offset = before < 0 ? 1 + ahead.fingerprints.indexOf(fingerprint) : -1 - before;
      if (offset === 0) continue;
      const one = { offset, distance: newest - at, isTie: row.createdAtMs === cursor.createdAtMs };
      const known = named.get(offset);
      if (known === undefined || movedBy(one, old, direction) < movedBy(known, old, direction))
        named.set(offset, one);
    }
  }
  return [...named.values()].sort((one, other) => one.offset - other.offset);
}

/** By how many places a named row has moved since the cursor was issued. */
function movedBy({ offset, distance }: NamedRow, old: number, direction: Direction): number {
  return Math.abs(distance - (old - direction * offset));
}

/**
 * The largest group of named rows that are still in the order in which the cursor names them; of groups of one size,
 * that which has moved least. The cursor's row is in it only if no group without it is as good.
 */
function keptRows(
  named: readonly NamedRow[],
  old: number,
  direction: Direction,
): readonly NamedRow[] {
  const groups: { readonly rows: readonly NamedRow[]; readonly moved: number }[] = [];
  const isBetter = (one: (typeof groups)[0], other: (typeof groups)[0]) =>
    one.rows.length - other.rows.length || other.moved - one.moved;
  const none = { rows: [], moved: 0 };
  for (const one of named) {
    let best: (typeof groups)[0] = none;
    for (const group of groups) {
      const last = group.rows.at(-1) as NamedRow;
      if (direction * (last.distance - one.distance) > 0 && isBetter(group, best) > 0) best = group;
    }
    const moved = best.moved + movedBy(one, old, direction) + (one.offset === 0 ? 0.5 : 0);
    groups.push({ rows: [...best.rows, one], moved });
  }
  return groups.reduce((best, group) => (isBetter(group, best) > 0 ? group : best), none).rows;
}

/** Whether nothing seems to have moved, although the cursor's row and its old place were not read. */
function fits(search: Search, old: number, named: readonly NamedRow[]): boolean {
  const { sheet, cursor, direction } = search;
  const next = rowAt(sheet, old - direction);
  if (next === undefined || isRead(sheet, old)) return false;
  if (sheet.pages.some(({ total }) => total !== cursor.total)) return false;
  const [, ahead] = sidesOf(search);
  const [name = NO_KEY] = ahead.fingerprints;
  if (name === NO_KEY ? direction === -1 : name !== fingerprintOf(next.key)) return false;
  return (
    named.every(({ offset }) => offset > 0) &&
    !(sideOf(search, next) < 0 && isSorted(seenRows(sheet)))
  );
}

/** The side of a row by createdAt: negative before the cursor's row, positive after it, 0 for a tie, NaN if unknown. */
function sideOf({ cursor, direction }: Search, { createdAtMs }: SeenRow['row']): number {
  if (createdAtMs === null || cursor.createdAtMs === null) return NaN;
  return direction * (cursor.createdAtMs - createdAtMs);
}

function hasTies(search: Search): boolean {
  const { sheet, cursor } = search;
  return sheet.pages.some(({ rows }) =>
    rows.some((row) => row.key !== cursor.key && sideOf(search, row) === 0),
  );
}

/**
 * The place among ties whose order changes: the old place; or, if the cursor names all ties that precede its row, the
 * first of the ties that were read on from there, because those that were returned can be left out.
 */
function byPlace(search: Search, old: number): Place {
  const { sheet, direction } = search;
  const [behind] = sidesOf(search);
  const isTie = (distance: number) => {
    const row = rowAt(sheet, distance);
    return row !== undefined && sideOf(search, row) === 0;
  };
  // If the ties have all moved, the nearest of them.
  const ties = seenRows(sheet).filter(({ distance }) => isTie(distance));
  const away = ({ distance }: SeenRow) => Math.abs(distance - old);
  const [nearest] = ties.sort((one, other) => away(one) - away(other));
  let first = (nearest?.distance ?? old) - direction;
  if (behind.complete) while (isTie(first + direction)) first += direction;
  return { kind: 'found', first, by: 'tieOrder' };
}

/** Where the place of a lost row can be. Ranks count rows from where the walk begins. */
interface Gap {
  /** The ranks of the rows before and after it; those seen in between can be on either side. */
  readonly from: number;
  readonly to: number;
  /** The nearest named rows that are still in order. */
  readonly before: NamedRow | undefined;
  readonly after: NamedRow | undefined;
  /** Whether createdAt shows on which side of the place a row is. */
  readonly isTimed: boolean;
}

/** The place of a row that was not seen, or has moved alone: between the rows before and after it. */
function placeOfLost(search: Search, old: number, kept: readonly NamedRow[]): Place {
  const gap = gapOf(search, old, kept);
  if (isRenamed(search, old, gap)) return foundAt(search, rankOf(search, old) + 1, 'neighbour');
  const unread = unreadIn(search, old, gap);
  if (unread !== undefined)
    return { kind: 'read', distance: rankOf(search, unread), reason: 'search' };
  return placeIn(search, gap);
}

/** The rank of a place, or the place of a rank. */
function rankOf({ sheet, direction }: Search, distance: number): number {
  return direction === 1 ? sheet.latest.total - 1 - distance : distance;
}

const foundAt = (search: Search, rank: number, by: FoundBy): Place => ({
  kind: 'found',
  first: rankOf(search, rank),
  by,
});

function gapOf(search: Search, old: number, kept: readonly NamedRow[]): Gap {
  const { sheet, cursor, direction } = search;
  const before = kept.findLast(({ offset }) => offset < 0);
  const after = kept.find(({ offset }) => offset > 0);
  let from = before ? rankOf(search, before.distance) : -1;
  let to = after ? rankOf(search, after.distance) : sheet.latest.total;
  const seen = seenRows(sheet);
  const isTimed = cursor.createdAtMs !== null && isSorted(seen);
  const [behind, ahead] = sidesOf(search);
  const own = rankOf(search, old);
  const growth = growthOf(search);
  // Whether no row has arrived between the named rows: createdAt then shows nothing.
  const newer = direction === 1 ? before : after;
  const areSeen =
    (before?.offset === -1 || behind.fingerprints.length === 0) &&
    (after?.offset === 1 || ahead.fingerprints.length === 0);
  const isClosed = areSeen && ((newer !== undefined && newer.distance <= old) || growth < 0);
  let [low, high] = [-1, sheet.latest.total];
  for (const { row, distance } of isTimed && !isClosed ? seen : []) {
    const [side, rank] = [sideOf(search, row), rankOf(search, distance)];
    if (side < 0) low = Math.max(low, rank);
    if (side > 0) high = Math.min(high, rank);
  }
  const gone = 1 + behind.fingerprints.length + ahead.fingerprints.length;
  const wasSought = [old, old + growth].every((place) => !isUnread(sheet, place));
  const isBetween = low >= 0 && high < sheet.latest.total;
  if (
    !before &&
    !after &&
    growth === -gone &&
    wasSought &&
    !isBetween &&
    (!isTimed || gone === 1)
  ) {
    // Only the rows that the cursor names are gone.
    to = direction === 1 ? own + 1 + ahead.fingerprints.length : own - behind.fingerprints.length;
    from = to - 1;
  } else if (low < to && high > from) [from, to] = [Math.max(low, from), Math.min(high, to)];
  return { from, to, before, after, isTimed };
}

/** Whether the row at the old place is the cursor's row under another id. */
function isRenamed(
  search: Search,
  old: number,
  { from, to, before, after, isTimed }: Gap,
): boolean {
  const { sheet, cursor } = search;
  const there = rowAt(sheet, old);
  const own = rankOf(search, old);
  if (there === undefined || own !== from + 1 || to !== own + 1) return false;
  const [behind, ahead] = sidesOf(search);
  if (behind.fingerprints.length > 0 && before?.offset !== -1) return false;
  if (ahead.fingerprints.length > 0 && after?.offset !== 1) return false;
  const { total } = sheet.latest;
  return (
    isTimed &&
    sideOf(search, there) === 0 &&
    total >= cursor.total &&
    sheet.pages.every((page) => page.total === total)
  );
}

/** The rank of the next place to read in the gap; undefined if no place is left that can show more. */
function unreadIn(search: Search, old: number, { from, to, before, after, isTimed }: Gap) {
  const { sheet, direction } = search;
  const [behind, ahead] = sidesOf(search);
  const own = rankOf(search, old);
  const growth = growthOf(search);
  // The row, if it is still there, has at most this many rows between it and a named row.
  const most = Math.max(growth, 0);
  const last = before ? Math.min(to - 1, from + most - before.offset) : to - 1;
  const start = after ? Math.max(from + 1, to - most - after.offset) : from + 1;
  const isOpen = (rank: number) =>
    rank >= start && rank <= last && isUnread(sheet, rankOf(search, rank));
  const likely = [own, own - direction * growth].find(isOpen);
  if (likely !== undefined) return likely;
  // Among ties, createdAt does not show on which side to go on.
  const isAmongTies = seenRows(sheet).some((one) => {
    const rank = rankOf(search, one.distance);
    return rank > from && rank < to && sideOf(search, one.row) === 0;
  });
  const aim = before ? start : after ? last : isTimed && !isAmongTies ? (start + last) >> 1 : own;
  const unread = nearest(Math.min(Math.max(aim, start), last), start, last, isOpen);
  if (unread !== undefined) return unread;
  // The rows beside it: that none was seen proves nothing before.
  const beside = [!before && behind.fingerprints.length > 0 ? own - 1 : NaN];
  if (!before && !after && ahead.fingerprints.length > 0) beside.push(own + 1);
  return beside.find((rank) => isUnread(sheet, rankOf(search, rank)));
}

function nearest(aim: number, from: number, to: number, isOpen: (rank: number) => boolean) {
  for (let away = 0; aim - away >= from || aim + away <= to; away++) {
    if (isOpen(aim + away)) return aim + away;
    if (isOpen(aim - away)) return aim - away;
  }
  return undefined;
}

/** The place in a gap of which everything was read that can show more. */
function placeIn(search: Search, { from, to, before, after, isTimed }: Gap): Place {
  const { cursor, direction } = search;
  const [behind, ahead] = sidesOf(search);
  if (to - from === 1) return foundAt(search, to, before || after ? 'neighbour' : 'createdAt');
  if (before) return foundAt(search, from + 1 + withoutIdAfter(search, before), 'neighbour');
  // The rows that the cursor could not name are just before a named row.
  const names = ahead.fingerprints.slice(0, (after?.offset ?? 1) - 1);
  const unnamed = names.filter((name) => name === NO_KEY).length;
  if (after) return foundAt(search, Math.max(to - unnamed, from + 1), 'neighbour');
  if (isTimed && behind.complete) return foundAt(search, from + 1, 'createdAt');
  if (isTimed && ahead.complete && (direction === 1 || growthOf(search) <= 0))
    return foundAt(search, to, 'createdAt');
  return { kind: 'expired', reason: cursor.key === NO_KEY ? 'noId' : isTimed ? 'ties' : 'gone' };
}

/** The number of rows without ids just after a named row: the cursor names as many there. */
function withoutIdAfter({ sheet, direction, ...search }: Search, { offset, distance }: NamedRow) {
  const [behind] = sidesOf({ direction, ...search });
  let count = 0;
  for (let nth = -2 - offset; nth >= 0 && behind.fingerprints[nth] === NO_KEY; nth--) {
    if (rowAt(sheet, distance - direction * (count + 1))?.key === NO_KEY) count++;
  }
  return count;
}

// Finds the place of a cursor whose row was not seen, the page to read next, or the reason for expiry. Pure.
import { NO_KEY } from '../upstream/shape/shapes.ts';
import {
  distanceAt,
  found,
  isBoundReached,
  isOrderKnown,
  rankOf,
  readAt,
  sidedRows,
  sideOf,
  type NamedRow,
  type Place,
  type Search,
} from './search.ts';
import { isSorted, rowAt, seenRows, type SeenRow, type Snapshot } from './snapshot.ts';

/** A range of ranks: the least and the largest number of rows before a place. */
interface Range {
  readonly from: number;
  readonly to: number;
}

export function placeOfLost(search: Search): Place {
  const sides = rangeBySides(search);
  const named = rangeByNames(search, sides);
  const only = onlyPlace(search, named);
  if (only !== undefined) return found(distanceAt(search, only + 1), 'row');
  const unread = nextToRead(search, named);
  if (unread !== undefined) return readAt(search, distanceAt(search, unread));
  if (named.before !== undefined || named.after !== undefined) return besideNamed(search, named);
  const place = withoutNamed(search, sides);
  if (place.kind !== 'expired') return place;
  // A named row that an earlier state showed too is at the edge of the range.
  const edges = rangeByNames(search, sides, 1);
  return (edges.before ?? edges.after) === undefined ? place : besideNamed(search, edges);
}

/** The range between the rows that earlier states showed before and after the cursor's row. */
function rangeBySides(search: Search): Range {
  let [from, to] = [0, search.snapshot.total];
  for (const { side, rank } of sidedRows(search)) {
    if (side < 0) from = Math.max(from, rank + 1);
    else to = Math.min(to, rank);
  }
  return { from, to: Math.max(from, to) };
}

type NamedRange = ReturnType<typeof rangeByNames>;

/**
 * The range between `before`, the last seen named row before the place, and `after`, the first one after the place.
 * `slack` is 1 if a row at the edge of the range of the sides also counts.
 */
function rangeByNames(search: Search, sides: Range, slack = 0) {
  let [before, after]: (NamedRow | undefined)[] = [];
  let { from, to } = sides;
  for (const one of search.named) {
    const rank = rankOf(search, one.distance);
    if (one.offset < 0 && rank >= from - slack) [before, from] = [one, rank + 1];
    if (one.offset > 0 && rank < to + slack) [after, to] = [one, rank];
  }
  return { from, to: Math.max(from, to), before, after };
}

/**
 * The only unread rank that the cursor's row can have after arrivals alone, for which the bound on calls allows no read.
 * Used only before a tie: if the row is gone after all, that tie may have arrived.
 */
function onlyPlace(search: Search, { from, to }: Range): number | undefined {
  if (!isBoundReached(search)) return undefined;
  const { stood, growth } = search;
  const open = { from: Math.max(from, stood), to: Math.min(to, stood + growth + 1) };
  const rank = nearest(search, open.from, open);
  const isOnly = rank !== undefined && rank === nearest(search, open.to, open);
  return isOnly && isTieAt(search, rank + 1) ? rank : undefined;
}

/** The rank to read next, if any: first the ranks that the row has if only newer or only older rows have changed. */
function nextToRead(search: Search, named: NamedRange): number | undefined {
  const { snapshot, direction, count, stood, growth, came } = search;
  // A named row that has passed the cursor's row by createdAt may have moved alone.
  const least = named.before && sideOf(search, named.before) > 0 ? 0 : named.from;
  const isUnread = (rank: number) =>
    rank >= least && rank < named.to && !rowAt(snapshot, distanceAt(search, rank));
  const areFar = direction === -1 && came === growth && growth > count + snapshot.size;
  const tied = areFar && search.behind.ties > 0 ? amongTies(search, named) : undefined;
  const likely = direction === 1 ? [stood + growth, stood] : [stood, stood + growth];
  const one = tied ?? likely.find(isUnread);
  if (one !== undefined) return one;
  const { before, after, from, to } = named;
  if (before === undefined && after === undefined) {
    const isTold = hasTime(search) && (mayReadMore(snapshot) || !rangeByTime(search).hasTies);
    const middle = isTold ? halfway(search) : undefined;
    return middle ?? (mayReadMore(snapshot) ? besideOwn(search, named).find(isUnread) : undefined);
  }
  // The slice needs the rows between the cursor's row and a named row anyway.
  const isGap = (after?.offset ?? 1) > 1 && isUnread(to - 1);
  if (!mayReadMore(snapshot)) return isGap ? to - 1 : undefined;
  const rank = growth > 0 && after === undefined ? amongTies(search, named) : undefined;
  if (rank !== undefined) return rank;
  const behind = before === undefined ? from : from + snapshot.size - before.offset;
  const ahead = after === undefined ? to : to - snapshot.size - after.offset;
  return (
    nearest(search, from, { from, to: Math.min(behind, to) }) ??
    nearest(search, to, { from: Math.max(ahead, from), to }) ??
    (growth >= 0 && before?.isTie === true ? behindTies(search, from - 1) : undefined)
  );
}

/** Whether the search may read another page. The limit is two reads more than a binary search for a page needs. */
function mayReadMore({ readsSince, total, size }: Snapshot): boolean {
  return readsSince < 2 + Math.ceil(Math.log2(1 + total / size));
}

/** The old ranks of the nearest named rows, and the unread rank nearest to the old place, once if createdAt is usable. */
function besideOwn(search: Search, range: Range): number[] {
  const { behind, ahead, stood, growth } = search;
  const places = [];
  if (behind.fingerprints.length > 0) places.push(stood - 1, stood - 1 + growth);
  if (ahead.fingerprints.length > 0) places.push(stood + 1, stood + 1 + growth);
  const isTried = search.earlier.length + search.snapshot.readsSince > 1;
  if (!isTried || !hasTime(search)) places.push(nearest(search, stood, range) ?? stood);
  return places;
}

/** The nearest unread rank before the ties that end at `from`: the cursor's row may have changed places with a tie. */
function behindTies(search: Search, from: number): number | undefined {
  let rank = from;
  while (isTieAt(search, rank)) rank--;
  return rank >= 0 && !rowAt(search.snapshot, distanceAt(search, rank)) ? rank : undefined;
}

/** The unread rank nearest to the middle of the range that createdAt allows; with ties, see `amongTies`. */
function halfway(search: Search): number | undefined {
  const time = rangeByTime(search);
  if (!time.hasTies) return nearest(search, (time.from + time.to) >> 1, time);
  return amongTies(search, time) ?? nearest(search, search.stood, time);
}

/** The rank to read next if the cursor's row has moved by an unknown number of arrivals, for example among its ties. */
function amongTies(search: Search, { from, to }: Range): number | undefined {
  const { stood, growth, count } = search;
  const time = hasTime(search) ? rangeByTime(search) : { to };
  const open = { from: Math.max(from, stood), to: Math.min(to, time.to, stood + growth + 1) };
  // The farthest rank ahead whose page the slice needs, unless the cursor's row is beyond it.
  return nearest(search, Math.min(open.from + count, open.to), open);
}

/** The unread rank from `from` to `to - 1` that is nearest to `one`. */
function nearest(search: Search, one: number, { from, to }: Range): number | undefined {
  const target = clamp(one, { from, to: to - 1 });
  for (let away = 0; target - away >= from || target + away < to; away++) {
    for (const rank of [target + away, target - away]) {
      const isOpen = rank >= from && rank < to;
      if (isOpen && !rowAt(search.snapshot, distanceAt(search, rank))) return rank;
    }
  }
  return undefined;
}

/** Whether createdAt can be used: the cursor has one, and the rows of all states are in createdAt order. */
function hasTime({ snapshot, earlier, cursor }: Search): boolean {
  const states = [snapshot, ...earlier.map((one) => one.snapshot)];
  const pages = states.flatMap((one) => (one.total > snapshot.total ? [] : one.pages));
  return cursor.createdAtMs !== null && isSorted({ pages });
}

/** Like `sideOf`, but if the cursor names all ties on one side, any other tie is on the other side. */
function sideOfUnnamed(search: Search, seen: Pick<SeenRow, 'row'>): number {
  const side = sideOf(search, seen);
  if (side !== 0) return side;
  if (search.behind.complete) return 1;
  // On a walk to newer rows, ties that the cursor could not name may have arrived ahead.
  return search.ahead.complete && (search.direction === 1 || search.came === 0) ? -1 : 0;
}

/** The range between the nearest rows of the two sides by `sideIn`; `hasTies`: whether any seen row has side 0. */
function rangeByTime(search: Search, sideIn = sideOf): Range & { readonly hasTies: boolean } {
  let [from, to, hasTies] = [0, search.snapshot.total, false];
  for (const seen of seenRows(search.snapshot)) {
    const [side, rank] = [sideIn(search, seen), rankOf(search, seen.distance)];
    if (side < 0) from = Math.max(from, rank + 1);
    if (side > 0) to = Math.min(to, rank);
    hasTies ||= side === 0;
  }
  return { from, to, hasTies };
}

/** The place beside the nearest named row, or beyond the rows that seem to have arrived beside that row. */
function besideNamed(search: Search, { from, to, before, after }: NamedRange): Place {
  const { snapshot, direction, stood, growth, came, behind, ahead } = search;
  const time = rangeByTime(search);
  // The rows that the cursor could not name are before the named row, and rows that have arrived may be among them.
  const gaps = ahead.fingerprints.slice(0, after?.offset).filter((name) => name === NO_KEY).length;
  let place = gaps > 0 && direction === -1 ? Math.min(to - gaps, stood) : to - gaps;
  // Unknown ties that arrivals do not explain were after the cursor's row.
  while (behind.complete && place > stood + came && isTieAt(search, place - 1)) place--;
  // Rows without ids just after the last named row are those that the cursor names there.
  const isUnnamed = () => rowAt(snapshot, distanceAt(search, from))?.row.key === NO_KEY;
  for (let nth = -2 - (before?.offset ?? 0); behind.fingerprints[nth] === NO_KEY; nth--) {
    if (isUnnamed()) from++;
  }
  // The most arrivals possible beside the named row: the growth there, and one in place of each row that is gone.
  const [byName, arrivals] =
    before === undefined
      ? [Math.max(place, from), to - stood + behind.fingerprints.length]
      : [from, growth + stood + 1 - from + ahead.fingerprints.length];
  const most = isSure(search) ? snapshot.total : arrivals;
  const byTime = clamp(byName, time);
  const isTold = hasTime(search) && time.from <= to && time.to >= from;
  const rank = isTold && Math.abs(byTime - byName) <= most ? byTime : byName;
  return found(distanceAt(search, rank), 'neighbour');
}

/** The place that createdAt and the fewest changes imply, or the expiry. `isSure` decides which takes precedence. */
function withoutNamed(search: Search, sides: Range): Place {
  const { snapshot, cursor, direction } = search;
  if (cursor.key === NO_KEY) return { kind: 'expired', reason: 'noId' };
  const isTold = hasTime(search);
  const time = isTold ? rangeByTime(search, sideOfUnnamed) : { from: 0, to: snapshot.total };
  const fewest = rangeByFewest(search);
  const [range, bounds] = isSure(search) ? [fewest, time] : [time, fewest];
  const within = (rank: number) => clamp(clamp(rank, bounds), sides);
  const [from, to] = [within(range.from), within(range.to)];
  const at = (rank: number) => found(distanceAt(search, rank), 'createdAt');
  if (from === to) return at(from);
  if (isTold) return { kind: 'expired', reason: halfway(search) === undefined ? 'ties' : 'tooFar' };
  // Without a usable createdAt, arrivals are assumed to be at the head, unless an unread page may have the row.
  const isGone = !fewest.grown || nearest(search, 0, sides) !== undefined;
  return isGone ? { kind: 'expired', reason: 'gone' } : at(direction === 1 ? to : from);
}

/** If more than this many changes are certain, the place that implies the fewest changes is no longer likely. */
const fewChanges = 4;

/** Whether createdAt takes precedence over the number of changes. */
function isSure(search: Search): boolean {
  const { behind, ahead, growth } = search;
  const named = new Set(search.named.map(({ offset }) => offset)).size;
  const missing = 1 + behind.fingerprints.length + ahead.fingerprints.length - named;
  return 2 * Math.max(missing, -growth) + growth > fewChanges || isOrderKnown(search);
}

/** The range of places that imply the fewest arrivals and removals, including removals of named rows. */
function rangeByFewest(search: Search): Range & { readonly grown: boolean } {
  const { growth, stood, behind, ahead } = search;
  const one = Math.max(stood - behind.fingerprints.length, 0);
  const other = Math.max(stood + growth + 1 + ahead.fingerprints.length, 0);
  return { from: Math.min(one, other), to: Math.max(one, other), grown: other > one };
}

function isTieAt(search: Search, rank: number): boolean {
  const row = rowAt(search.snapshot, distanceAt(search, rank));
  return row !== undefined && sideOf(search, row) === 0;
}

function clamp(rank: number, { from, to }: Range): number {
  return Math.min(Math.max(rank, from), to);
}

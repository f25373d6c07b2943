// Where a cursor's row stood, if it is not among the rows seen: what to read, and what to conclude. Pure.
import { NO_KEY } from '../upstream/shape/row-key.ts';
import {
  distanceAt,
  found,
  isSorted,
  mayReadMore,
  namedRows,
  rankOf,
  readAt,
  sideOf,
  type NamedRow,
  type Place,
  type Search,
} from './search.ts';
import { isCovered, rowAt, seenRows } from './snapshot.ts';

/** A place as its rank: at least, and at most, so many rows lie before it. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** Where a place can be by the named rows that were seen: after the last one before it, before the first one after it. */
interface NamedRange extends Range {
  readonly before: NamedRow | undefined;
  readonly after: NamedRow | undefined;
}

/** The place of a row that was not seen, or the page on which it may stand. */
export function placeOfLost(search: Search): Place {
  const named = rangeByNames(search);
  const unread = nextToRead(search, named);
  if (unread !== undefined) return readAt(search, distanceAt(search, unread));
  if (named.before !== undefined || named.after !== undefined) return besideNamed(search, named);
  return withoutNamed(search);
}

function rangeByNames(search: Search): NamedRange {
  const { total } = search.snapshot;
  let [before, after]: (NamedRow | undefined)[] = [];
  let [from, to] = [0, total];
  for (const one of namedRows(search)) {
    const rank = rankOf(search, one.distance);
    if (one.offset < 0 && rank >= from) [before, from] = [one, rank + 1];
    if (one.offset > 0 && rank < to) [after, to] = [one, rank];
  }
  return { from, to: Math.max(from, to), before, after };
}

/**
 * The rank of a row to read: where the cursor's row stands if all changes were newer, or older, than it; as many places
 * beside named rows as stood between, and a page more if rows can have come there; without named rows halfway between
 * newer and older ones.
 */
function nextToRead(search: Search, named: NamedRange): number | undefined {
  const { snapshot, direction, stood, growth } = search;
  const isUnread = (rank: number) =>
    rank >= named.from && rank < named.to && !isCovered(snapshot, distanceAt(search, rank));
  const likely = direction === 1 ? [stood + growth, stood] : [stood, stood + growth];
  const one = likely.find(isUnread);
  if (one !== undefined) return one;
  const { before, after, from, to } = named;
  if (before === undefined && after === undefined) {
    const isTold = isSorted(snapshot) && (mayReadMore(snapshot) || !rangeByTime(search).hasTies);
    return isTold ? halfway(search) : undefined;
  }
  if (!mayReadMore(snapshot)) return undefined;
  const more = growth < 0 ? 0 : snapshot.size;
  const behind = before === undefined ? 0 : more - before.offset;
  for (let rank = from; rank < from + behind; rank++) if (isUnread(rank)) return rank;
  const ahead = after === undefined ? 0 : more + after.offset;
  for (let rank = to - 1; rank >= to - ahead; rank--) if (isUnread(rank)) return rank;
  return growth >= 0 && before?.isTie === true ? behindTies(search, from - 1) : undefined;
}

/** The first unread rank behind ties: its row may have changed places with them. */
function behindTies(search: Search, from: number): number | undefined {
  for (let rank = from; rank >= 0; rank--) {
    const row = rowAt(search.snapshot, distanceAt(search, rank));
    if (row === undefined) return rank;
    if (sideOf(search, row) !== 0) return undefined;
  }
  return undefined;
}

/**
 * The unread place in the middle of the range by createdAt. Ties cannot be halved: among them the one nearest the old place,
 * first where the row stands if no other has gone.
 */
function halfway(search: Search): number | undefined {
  const { stood, growth } = search;
  const { from, to, hasTies } = rangeByTime(search);
  if (!hasTies) return nearest(search, (from + to) >> 1, from, to);
  const [least, most] = [Math.max(from, stood), Math.min(to, stood + growth + 1)];
  return nearest(search, least, least, most) ?? nearest(search, stood, from, to);
}

/** The unread rank nearest to one, from one rank up to another. */
function nearest(search: Search, one: number, from: number, to: number): number | undefined {
  const target = clamp(one, { from, to: to - 1 });
  for (let away = 0; target - away >= from || target + away < to; away++) {
    for (const rank of [target + away, target - away]) {
      const isOpen = rank >= from && rank < to;
      if (isOpen && !isCovered(search.snapshot, distanceAt(search, rank))) return rank;
    }
  }
  return undefined;
}

/** Between the nearest strictly newer and strictly older row. */
function rangeByTime(search: Search): Range & { readonly hasTies: boolean } {
  let [from, to, hasTies] = [0, search.snapshot.total, false];
  for (const seen of seenRows(search.snapshot)) {
    const [side, rank] = [sideOf(search, seen), rankOf(search, seen.distance)];
    if (side < 0) from = Math.max(from, rank + 1);
    if (side > 0) to = Math.min(to, rank);
    hasTies ||= side === 0;
  }
  return { from, to, hasTies };
}

/**
 * After the named row before it, or at the one after it; by createdAt, rows beside these came since, unless the total
 * has fallen.
 */
function besideNamed(search: Search, { from, to, before }: NamedRange): Place {
  const time = rangeByTime(search);
  const isTold =
    search.growth >= 0 && isSorted(search.snapshot) && time.from <= to && time.to >= from;
  const rank =
    before === undefined
      ? Math.min(to, isTold ? time.to : to)
      : Math.max(from, isTold ? time.from : from);
  return found(distanceAt(search, rank), 'neighbour');
}

/** By createdAt if the rows seen keep its order; of what that leaves open, by the fewest rows that came or went. */
function withoutNamed(search: Search): Place {
  const { snapshot, cursor, direction, behind, ahead } = search;
  if (cursor.key === NO_KEY) return { kind: 'expired', reason: 'noId' };
  const isTold = isSorted(snapshot) && cursor.createdAtMs !== null;
  const time = isTold ? rangeByTime(search) : { from: 0, to: snapshot.total };
  if (isTold && halfway(search) !== undefined) return { kind: 'expired', reason: 'tooFar' };
  const fewest = rangeByFewest(search);
  const [from, to] = [clamp(fewest.from, time), clamp(fewest.to, time)];
  const at = (rank: number) => found(distanceAt(search, rank), 'createdAt');
  if (from === to || (isTold && behind.complete)) return at(from);
  if (isTold) return ahead.complete ? at(to) : { kind: 'expired', reason: 'ties' };
  // In an order that is not by createdAt, rows come at the head.
  if (fewest.grown) return at(direction === 1 ? to : from);
  return { kind: 'expired', reason: 'gone' };
}

/** The places for which the fewest rows came or went, those included that the cursor names. */
function rangeByFewest({ snapshot, cursor, stood, behind, ahead }: Search): Range & {
  readonly grown: boolean;
} {
  const before = stood - behind.fingerprints.length;
  const after = cursor.total - 1 - stood - ahead.fingerprints.length;
  const [one, other] = [Math.max(before, 0), Math.max(snapshot.total - after, 0)];
  return { from: Math.min(one, other), to: Math.max(one, other), grown: other > one };
}

function clamp(rank: number, { from, to }: Range): number {
  return Math.min(Math.max(rank, from), to);
}

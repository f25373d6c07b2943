// Where a cursor stands now, in the part of its statement that was seen. Pure; README.md tells the rules.
import { fingerprintOf, NO_KEY } from '../upstream/shape/row-key.ts';
import { MAX_BEHIND } from './cursor.ts';
import { placeByTime } from './search-by-time.ts';
import {
  found,
  mayReadMore,
  namedRows,
  readAt,
  sideOf,
  type FoundPlace,
  type NamedRow,
  type Place,
  type Search,
} from './search.ts';
import { distanceOf, isCovered, isInside, rowAt, seenRows } from './snapshot.ts';
import { settleIfReordered } from './tie-order.ts';

/**
 * Finds the first row after a cursor (before it, walking from older to newer), or the page to read next in order to. In
 * this order: its row; the place beside the page that was read, if nothing speaks against it; a row that the cursor
 * names; the pages where its row stands if rows came or went on one side of it only; createdAt.
 */
export function locate(search: Search): Place {
  const own = findOwn(search);
  const reordered = settleIfReordered(search, own);
  if (reordered !== undefined) return reordered;
  if (own !== undefined) return afterOwn(search, own);
  return whereItWas(search) ?? besideNamed(search) ?? whereItCanBe(search) ?? placeByTime(search);
}

/** A row without an id is recognised by its createdAt, and by its place if several have the same or it had none. */
function findOwn(search: Search): number | undefined {
  const { snapshot, cursor, expected } = search;
  if (cursor.key !== NO_KEY) return distanceOf(snapshot, cursor.key);
  const places = new Set<number>();
  for (const { key, row, distance } of seenRows(snapshot)) {
    if (key === NO_KEY && row.createdAtMs === cursor.createdAtMs) places.add(distance);
  }
  const beside = namedRows(search).find(
    ({ offset, distance }) =>
      Math.abs(offset) === 1 && places.has(distance + search.direction * offset),
  );
  if (beside !== undefined) return beside.distance + search.direction * beside.offset;
  const [only] = places.size === 1 && cursor.createdAtMs !== null ? places : [];
  return places.has(expected) ? expected : only;
}

function afterOwn(search: Search, own: number): Place {
  const { snapshot, cursor, direction, expected } = search;
  const shift = Math.abs(own - expected);
  // A shift by whole pages under the same total is what a wrong UPSTREAM_PAGE_BASE looks like: the page where the row
  // ought to be is read too, and the snapshot notices if it is the same.
  const byPages = snapshot.total === cursor.total && shift > 0 && shift % snapshot.size === 0;
  if (byPages && !isCovered(snapshot, expected)) return readAt(search, expected);
  return found(own - direction, 'row');
}

/**
 * The page that was read begins just beyond the cursor's row, and nothing on it speaks against the row standing where it
 * stood: the total is the same, no row that came before it is there, and its neighbour, if the cursor names one, is.
 * Walking from older to newer a neighbour must be named: rows that left its side of the page show in no other way.
 */
function whereItWas(search: Search): FoundPlace | undefined {
  const { snapshot, cursor, direction, expected, ahead } = search;
  const first = expected - direction;
  const next = rowAt(snapshot, first);
  if (snapshot.total !== cursor.total || next === undefined || isCovered(snapshot, expected)) {
    return undefined;
  }
  const [name = NO_KEY] = ahead.fingerprints;
  const fits = name === NO_KEY ? direction === 1 : name === fingerprintOf(next.key);
  const hasPassed = sideOf(search, next) < 0 || namedRows(search).some(({ offset }) => offset < 0);
  return fits && !hasPassed ? found(first, 'position') : undefined;
}

/**
 * The cursor's row is gone, if it does not stand between the nearest rows that the cursor names. They must be seen, and
 * as many rows beside them as stood between.
 */
function besideNamed(search: Search): Place | undefined {
  const { snapshot, cursor } = search;
  const named = namedRows(search);
  const before = nearest(named.filter(({ offset }) => offset < 0));
  const after = nearest(named.filter(({ offset }) => offset > 0));
  const one = before ?? after;
  if (one === undefined) return undefined;
  // If the total has not fallen, its row may only have changed places with its ties.
  const isFewer = snapshot.total < cursor.total;
  const unseen = isFewer
    ? unseenBeside(search, one, after, false)
    : (whereItCanBe(search) ??
      unseenBeside(search, one, after, true) ??
      unseenBeside(search, { ...one, offset: -one.offset }, undefined, true));
  if (unseen !== undefined) return unseen;
  return before === undefined
    ? found(one.distance, 'neighbour')
    : found(firstAfter(search, before, after), 'neighbour');
}

/**
 * The page to read if not all places beside a named row were seen where the cursor's row would have to stand; or might,
 * had it changed places with its ties.
 */
function unseenBeside(
  search: Search,
  one: NamedRow,
  end: NamedRow | undefined,
  mayBeAmongTies: boolean,
): Place | undefined {
  const { snapshot, direction } = search;
  const away = one.offset < 0 ? -direction : direction;
  const between = Math.abs(one.offset);
  // Rows may have come in between: then those that it names on the other side lie a little further.
  const others = one.offset < 0 ? search.ahead : search.behind;
  const reach = between + (others.fingerprints.length > 0 ? snapshot.size : 0);
  for (let step = 1; step <= MAX_BEHIND; step++) {
    const distance = one.distance + away * step;
    if (distance === end?.distance || !isInside(snapshot, distance)) return undefined;
    const seen = rowAt(snapshot, distance);
    if (seen === undefined) {
      return step <= between || mayReadMore(snapshot) ? readAt(search, distance) : undefined;
    }
    if (step >= reach && !(mayBeAmongTies && sideOf(search, seen) === 0)) return undefined;
  }
  return undefined;
}

/**
 * The place after a named row and, if it was not a tie of the cursor's row, after those that share its createdAt: these
 * are named as rows before the cursor's, or came since by an order of createdAt, unless the total has fallen.
 */
function firstAfter(search: Search, one: NamedRow, after: NamedRow | undefined): number {
  const { snapshot, cursor, direction } = search;
  let first = one.distance - direction;
  if (one.isTie || one.row.createdAtMs === null) return first;
  const mayHaveCome = snapshot.total >= cursor.total && sideOf(search, one) < 0;
  const passed = new Set(namedRows(search).map(({ offset, key }) => (offset < 0 ? key : NO_KEY)));
  while (first !== after?.distance) {
    const next = rowAt(snapshot, first);
    if (next?.row.createdAtMs !== one.row.createdAtMs) break;
    if (!mayHaveCome && (next.key === NO_KEY || !passed.has(next.key))) break;
    first -= direction;
  }
  return first;
}

function nearest(named: readonly NamedRow[]): NamedRow | undefined {
  let nearest: NamedRow | undefined;
  for (const one of named) {
    if (nearest === undefined || Math.abs(one.offset) < Math.abs(nearest.offset)) nearest = one;
  }
  return nearest;
}

/** The pages where the row stands if all that came or went is newer than it, or older. */
function whereItCanBe(search: Search): Place | undefined {
  const { snapshot, cursor, expected } = search;
  const places = [expected, expected + snapshot.total - cursor.total];
  const unseen = places.find((at) => isInside(snapshot, at) && !isCovered(snapshot, at));
  return unseen === undefined ? undefined : readAt(search, unseen);
}

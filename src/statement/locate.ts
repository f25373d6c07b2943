// Where a cursor stands now, in the part of its statement that was seen. Pure; README.md tells the rules.
import { fingerprintOf, NO_KEY } from '../upstream/shape/row-key.ts';
import { placeOfLost } from './lost-row.ts';
import {
  found,
  isSorted,
  namedRows,
  readAt,
  sideOf,
  type FoundPlace,
  type Place,
  type Search,
} from './search.ts';
import { distanceOf, isCovered, rowAt, seenRows } from './snapshot.ts';
import { settleIfReordered } from './tie-order.ts';

/**
 * Finds the first row after a cursor (before it, walking from older to newer), or the page to read next in order to. In
 * this order: its row; the place beside the page that was read, if nothing speaks against it; what lost-row.ts tells.
 */
export function locate(search: Search): Place {
  const own = findOwn(search);
  const reordered = settleIfReordered(search, own);
  if (reordered !== undefined) return reordered;
  if (own !== undefined) return afterOwn(search, own);
  return whereItWas(search) ?? placeOfLost(search);
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
  const hasPassed =
    (sideOf(search, next) < 0 && isSorted(snapshot)) ||
    namedRows(search).some(({ offset }) => offset < 0);
  return fits && !hasPassed ? found(first, 'position') : undefined;
}

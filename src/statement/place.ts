// Where a cursor stands now, in what is known of its statement. Pure; docs/paging.md tells it with pictures.
import type { Cursor } from './cursor.ts';
import { narrowDown } from './gone.ts';
import { distanceOf, isCovered, observed, pageOf, rowAt, type Known } from './known.ts';
import { NO_KEY, printOf } from '../upstream/row-key.ts';
import {
  found,
  isInside,
  neighbourAhead,
  neighbourBehind,
  sideOf,
  type Direction,
  type Place,
  type Search,
} from './search.ts';
import { amongTies, haveTiesMoved, isAheadOf } from './ties.ts';

/**
 * Finds the first row after a cursor (before it, walking from older to newer), or the page to read next in order to.
 * In this order: its row; on a still statement the place beside the page that was read; the row next to it; the
 * neighbourhood by createdAt, halving what is left.
 */
export function placeOf(known: Known, cursor: Cursor, direction: Direction, count: number): Place {
  const expected = cursor.total - 1 - cursor.index;
  const search: Search = { known, cursor, direction, count, expected };
  const own = findOwn(search);
  if (own !== undefined) {
    return afterOwn(search, own);
  }
  return besideStill(search) ?? atNextRow(search) ?? narrowDown(search);
}

/** A row without an id is recognised by its createdAt, and by its place where it has none or several have the same. */
function findOwn({ known, cursor, expected }: Search): number | undefined {
  if (cursor.key !== NO_KEY) {
    return distanceOf(known, cursor.key);
  }
  const places = new Set<number>();
  for (const { key, row, distance } of observed(known)) {
    if (key === NO_KEY && row.createdAtMs === cursor.createdAtMs) {
      places.add(distance);
    }
  }
  const [only] = places.size === 1 && cursor.createdAtMs !== null ? places : [];
  return places.has(expected) ? expected : only;
}

function afterOwn(search: Search, own: number): Place {
  const { known, direction, expected } = search;
  if (hasMovedByPages(search, own) && !isCovered(known, expected)) {
    return { kind: 'read', pages: [pageOf(known, expected)] };
  }
  const unseen = own === expected ? undefined : unseenBehind(search, own);
  if (unseen !== undefined) {
    return { kind: 'read', pages: [pageOf(known, unseen)] };
  }
  return haveTiesMoved(search, own) ? amongTies(search) : found(own - direction, own);
}

/**
 * A shift by whole pages while the total stays the same is what a wrong UPSTREAM_PAGE_BASE looks like: the page where
 * the row ought to be is read too, and `know` notices when it is the same.
 */
function hasMovedByPages({ known, cursor, expected }: Search, own: number): boolean {
  const shift = Math.abs(own - expected);
  return known.total === cursor.total && shift > 0 && shift % known.size === 0;
}

/**
 * A row that stands elsewhere has been shifted, or has only changed places with its ties: the rows before it tell, back
 * to where another createdAt begins. The nearest of them that was not seen.
 */
function unseenBehind({ known, cursor, direction }: Search, own: number): number | undefined {
  if (cursor.createdAtMs === null) {
    return undefined;
  }
  let distance = own + direction;
  while (rowAt(known, distance)?.row.createdAtMs === cursor.createdAtMs) {
    distance += direction;
  }
  return isInside(known, distance) && !isCovered(known, distance) ? distance : undefined;
}

/**
 * The page that was read begins just beyond the cursor's row, and nothing on it speaks against the row standing where it
 * stood: the total is the same, no row that came before it is there, and its neighbour, where known, is. Walking from
 * older to newer the neighbour must be known: rows that left its side of the page show in no other way.
 */
function besideStill(search: Search): Place | undefined {
  const { known, cursor, direction, expected } = search;
  const first = expected - direction;
  const next = rowAt(known, first);
  if (known.total !== cursor.total || next === undefined || isCovered(known, expected)) {
    return undefined;
  }
  const neighbour = neighbourAhead(search);
  const fits = neighbour === null ? direction === 1 : neighbour === printOf(next.key);
  return fits && !showsRowsBehind(search) ? found(first, null) : undefined;
}

/** Whether a row that came before the cursor's, by time or by name, is seen after the place where it stood. */
function showsRowsBehind(search: Search): boolean {
  const { known, cursor, direction, expected } = search;
  const isAhead = isAheadOf(cursor, direction);
  const neighbour = neighbourBehind(search);
  return observed(known).some((one) => {
    const standsAhead = direction * (expected - one.distance) > 0;
    const side = sideOf(search, one);
    const isNeighbour = one.key !== NO_KEY && printOf(one.key) === neighbour;
    return standsAhead && (side < 0 || (side === 0 && !isAhead(one.key)) || isNeighbour);
  });
}

/** The cursor's row and its ties are gone from before the one that followed them: the walk goes on with that one. */
function atNextRow(search: Search): Place | undefined {
  const { known, direction } = search;
  const neighbour = neighbourAhead(search);
  const next = observed(known).find(
    (one) => one.key !== NO_KEY && printOf(one.key) === neighbour && sideOf(search, one) > 0,
  );
  if (next === undefined) {
    return undefined;
  }
  const behind = rowAt(known, next.distance + direction);
  const isNext = behind !== undefined && sideOf(search, behind) < 0;
  return isNext ? found(next.distance, next.distance + direction) : undefined;
}

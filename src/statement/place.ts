// Where a cursor stands now, in what is known of its statement. Pure; docs/paging.md tells it with pictures.
import type { Cursor } from './cursor.ts';
import {
  distanceOf,
  isCovered,
  observed,
  pageOf,
  rowAt,
  type Known,
  type Observed,
} from './known.ts';
import { NO_KEY, printOf } from './row-key.ts';
import { haveTiesMoved, isAheadOf, settleTies, type Settled } from './ties.ts';

/** 1 walks from newer to older (`first`/`after`), -1 from older to newer (`last`/`before`). */
export type Direction = 1 | -1;

/** The answer of `placeOf`. */
export type Place =
  | {
      readonly kind: 'found';
      /** Distance of the first row to give; one beyond the statement's end where nothing follows. */
      readonly first: number;
      /** A row just before it that was seen, against which a gap would show. */
      readonly anchor: number | null;
      /** The rows to give from `first` on where their order had to be settled; else those that stand there. */
      readonly settled: readonly Observed[];
    }
  | { readonly kind: 'read'; readonly pages: readonly number[] }
  | { readonly kind: 'expired' };

/** How a cursor is looked for. */
interface Search {
  readonly known: Known;
  readonly cursor: Cursor;
  readonly direction: Direction;
  /** Rows wanted. */
  readonly count: number;
  /** The distance at which its row stands if there were only arrivals at the head since. */
  readonly expected: number;
}

/** The rows between which the cursor's row must stand, by their createdAt: strictly newer and strictly older ones. */
interface Bounds {
  /** Distance of the nearest row that comes before it in the direction of the walk, or the edge. */
  readonly behind: number;
  /** Distance of the nearest row that comes after it, or the edge. */
  readonly ahead: number;
}

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

/** A row without an id is recognised by its place alone. */
function findOwn({ known, cursor, expected }: Search): number | undefined {
  if (cursor.key !== NO_KEY) {
    return distanceOf(known, cursor.key);
  }
  return rowAt(known, expected)?.key === NO_KEY ? expected : undefined;
}

function afterOwn(search: Search, own: number): Place {
  const { known, cursor, direction, expected } = search;
  if (hasMovedByPages(search, own) && !isCovered(known, expected)) {
    return { kind: 'read', pages: [pageOf(known, expected)] };
  }
  const unseen = own === expected ? undefined : unseenBehind(search, own);
  if (unseen !== undefined) {
    return { kind: 'read', pages: [pageOf(known, unseen)] };
  }
  if (haveTiesMoved(known, cursor, own, direction)) {
    return amongTies(search);
  }
  return found(own - direction, own);
}

/**
 * A row that stands elsewhere has been shifted, or has only changed places with its ties: the rows before it tell, back
 * to where another createdAt begins. The nearest of them that was not seen.
 */
function unseenBehind({ known, cursor, direction }: Search, own: number): number | undefined {
  let distance = own + direction;
  while (rowAt(known, distance)?.row.createdAtMs === cursor.createdAtMs) {
    distance += direction;
  }
  return isInside(known, distance) && !isCovered(known, distance) ? distance : undefined;
}

/**
 * A shift by whole pages while the total stays the same is what a wrong UPSTREAM_PAGE_BASE looks like: the page where
 * the row ought to be is read too, and `know` notices when it is the same.
 */
function hasMovedByPages({ known, cursor, expected }: Search, own: number): boolean {
  const shift = Math.abs(own - expected);
  return known.total === cursor.total && shift > 0 && shift % known.size === 0;
}

function found(first: number, anchor: number | null): Place {
  return { kind: 'found', first, anchor, settled: [] };
}

/** The ties of the cursor's row have changed places: what is still to come is a set, not a stretch. */
function amongTies({ known, cursor, direction, count, expected }: Search): Place {
  if (!cursor.ties.complete) {
    return { kind: 'expired' };
  }
  return toPlace(
    settleTies({
      known,
      direction,
      createdAtMs: cursor.createdAtMs,
      isAhead: isAheadOf(cursor, direction),
      from: expected,
      given: cursor.ties.prints.length + 1,
      total: cursor.total,
      count,
    }),
  );
}

/** A settled group as a place: its rows are given whatever stands there. */
export function toPlace(settled: Settled): Place {
  return settled.kind === 'read'
    ? settled
    : { kind: 'found', first: settled.first, anchor: null, settled: settled.rows };
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

function neighbourAhead({ cursor, direction }: Search): number | null {
  return direction === 1 ? cursor.older : cursor.newer;
}

function neighbourBehind({ cursor, direction }: Search): number | null {
  return direction === 1 ? cursor.newer : cursor.older;
}

/** Whether a row that came before the cursor's, by time or by name, is seen after the place where it stood. */
function showsRowsBehind(search: Search): boolean {
  const { known, cursor, direction, expected } = search;
  const isAhead = isAheadOf(cursor, direction);
  const neighbour = neighbourBehind(search);
  for (const one of observed(known)) {
    if (direction * (expected - one.distance) <= 0) {
      continue;
    }
    const isTie = one.row.createdAtMs === cursor.createdAtMs;
    if (
      sideOf(search, one) < 0 ||
      (isTie && !isAhead(one.key)) ||
      (one.key !== NO_KEY && printOf(one.key) === neighbour)
    ) {
      return true;
    }
  }
  return false;
}

/** Negative for a row that comes before the cursor's by createdAt, positive after, 0 for a tie, NaN where unknown. */
function sideOf(
  { cursor, direction }: Pick<Search, 'cursor' | 'direction'>,
  { row }: Observed,
): number {
  if (row.createdAtMs === null || cursor.createdAtMs === null) {
    return NaN;
  }
  return direction * (cursor.createdAtMs - row.createdAtMs);
}

/** The cursor's row and its ties are gone from before the one that followed them: the walk goes on with that one. */
function atNextRow(search: Search): Place | undefined {
  const { known, direction } = search;
  const neighbour = neighbourAhead(search);
  for (const one of observed(known)) {
    if (one.key !== NO_KEY && printOf(one.key) === neighbour && sideOf(search, one) > 0) {
      const behind = rowAt(known, one.distance + direction);
      const isNext = behind !== undefined && sideOf(search, behind) < 0;
      return isNext ? found(one.distance, one.distance + direction) : undefined;
    }
  }
  return undefined;
}

/** Reads on between the bounds until the row is found or the place where it stood lies open. */
function narrowDown(search: Search): Place {
  const { known, expected, direction } = search;
  const bounds = boundsOf(search);
  const [low, high] = [bounds.ahead, bounds.behind].sort((a, b) => a - b) as [number, number];
  const isInverted = direction * (bounds.behind - bounds.ahead) <= 0;
  if (isInverted) {
    // The service's order is not by createdAt here: only the place itself can be looked at.
    return isInside(known, expected) && !isCovered(known, expected)
      ? { kind: 'read', pages: [pageOf(known, expected)] }
      : { kind: 'expired' };
  }
  const target = isNearExpected(search, low, high)
    ? clamp(expected, low + 1, high - 1)
    : (low + high) >> 1;
  const unseen = nearestUnseen(known, target, low, high);
  if (unseen === undefined) {
    return whereItStood(search, bounds);
  }
  return isTooFar(search) ? { kind: 'expired' } : { kind: 'read', pages: [pageOf(known, unseen)] };
}

/** Ties cannot be halved: past as many pages of them as halving would take, the row counts as gone without a trace. */
function isTooFar(search: Search): boolean {
  const { sights, total, size } = search.known;
  const pages = sights.filter(({ rows }) =>
    rows.some(({ createdAtMs }) => createdAtMs === search.cursor.createdAtMs),
  );
  return pages.length > 4 + Math.ceil(Math.log2(1 + total / size));
}

function isInside({ total }: Known, distance: number): boolean {
  return distance >= 0 && distance < total;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

/**
 * Where to look: at the expected place if it was not seen; most rows move by less than a page, so the second look is
 * beside it; ties cannot be halved, so among them it stays near as well.
 */
function isNearExpected(
  { known, expected, ...search }: Search,
  low: number,
  high: number,
): boolean {
  return (
    (expected > low && expected < high && !isCovered(known, expected)) ||
    known.sights.length <= 2 ||
    observed(known).some((one) => sideOf(search, one) === 0)
  );
}

function boundsOf(search: Search): Bounds {
  const { known, direction } = search;
  let [behind, ahead] = direction === 1 ? [known.total, -1] : [-1, known.total];
  for (const one of observed(known)) {
    const side = sideOf(search, one);
    if (side < 0 && direction * (behind - one.distance) > 0) {
      behind = one.distance;
    } else if (side > 0 && direction * (one.distance - ahead) > 0) {
      ahead = one.distance;
    }
  }
  return { behind, ahead };
}

/** The unseen place nearest to `target`, strictly between `low` and `high`. */
function nearestUnseen(
  known: Known,
  target: number,
  low: number,
  high: number,
): number | undefined {
  const isUnseen = (distance: number): boolean =>
    distance > low && distance < high && !isCovered(known, distance);
  for (let away = 0; target - away > low || target + away < high; away++) {
    if (isUnseen(target - away)) {
      return target - away;
    }
    if (isUnseen(target + away)) {
      return target + away;
    }
  }
  return undefined;
}

/**
 * The row is gone, and all that stands where it could is in sight. Without ties the place lies between the bounds; among
 * ties the row before it tells, or the ties themselves, if as many rows follow as did when the cursor was issued.
 */
function whereItStood(search: Search, { behind, ahead }: Bounds): Place {
  const { known, cursor, direction } = search;
  const between: (Observed & { distance: number })[] = [];
  for (let distance = behind - direction; distance !== ahead; distance -= direction) {
    const one = rowAt(known, distance);
    if (one !== undefined) {
      between.push({ ...one, distance });
    }
  }
  if (between.length === 0) {
    return found(ahead, isInside(known, behind) ? behind : null);
  }
  const isAhead = isAheadOf(cursor, direction);
  if (isShownTwice(between) || (cursor.ties.complete && areMixed(between, isAhead))) {
    return amongTies(search);
  }
  const beside = besideNeighbour(search, between);
  if (!cursor.ties.complete) {
    return beside === undefined ? { kind: 'expired' } : found(beside, null);
  }
  const first = ahead + direction * between.filter(({ key }) => isAhead(key)).length;
  return beside !== undefined || remaining(search, first) === remainingThen(search)
    ? found(first, null)
    : { kind: 'expired' };
}

/** The place next to the row that came before the cursor's, or else that of the one that followed it. */
function besideNeighbour(
  search: Search,
  ties: readonly (Observed & { distance: number })[],
): number | undefined {
  const named = (print: number | null) =>
    ties.find(({ key }) => key !== NO_KEY && printOf(key) === print)?.distance;
  const behind = named(neighbourBehind(search));
  return behind === undefined ? named(neighbourAhead(search)) : behind - search.direction;
}

/** Whether a row was seen at two places, so that another was not seen at all. */
function isShownTwice(rows: readonly Observed[]): boolean {
  return new Set(rows.map(({ key }) => key)).size < rows.length;
}

/** Whether a row that is to come stands before one that was given. */
function areMixed(ties: readonly Observed[], isAhead: (key: number) => boolean): boolean {
  const firstAhead = ties.findIndex(({ key }) => isAhead(key));
  return firstAhead >= 0 && ties.slice(firstAhead).some(({ key }) => !isAhead(key));
}

/** How many rows there are from `first` on, in the direction of the walk. */
function remaining({ known, direction }: Search, first: number): number {
  return direction === 1 ? first + 1 : known.total - first;
}

function remainingThen({ cursor, direction, expected }: Search): number {
  return direction === 1 ? expected : cursor.index;
}

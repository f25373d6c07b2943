// Where a cursor's row stood, once it is not where it was: what is read to find it, or the place that it left. Pure.
import type { StatementRow } from '../upstream/shapes.ts';
import { isCovered, observed, pageOf, rowAt, type Observed } from './known.ts';
import { NO_KEY, printOf } from '../upstream/row-key.ts';
import {
  found,
  isInside,
  neighbourAhead,
  neighbourBehind,
  sideOf,
  type Place,
  type Search,
} from './search.ts';
import { amongTies, isAheadOf } from './ties.ts';

/** The rows between which the cursor's row must stand, by their createdAt: strictly newer and strictly older ones. */
interface Bounds {
  /** Distance of the nearest row that comes before it in the direction of the walk, or just beyond the edge. */
  readonly behind: number;
  /** Distance of the nearest row that comes after it, or just beyond the edge. */
  readonly ahead: number;
}

/** Reads on between the bounds until the row is found or the place where it stood lies open. */
export function narrowDown(search: Search): Place {
  const { known, expected, direction } = search;
  const bounds = boundsOf(search);
  if (direction * (bounds.behind - bounds.ahead) <= 0) {
    // The service's order is not by createdAt here: only the place itself can be looked at.
    return isInside(known, expected) && !isCovered(known, expected)
      ? { kind: 'read', pages: [pageOf(known, expected)] }
      : { kind: 'expired' };
  }
  const unseen = nextToLookAt(search, bounds);
  if (unseen === undefined) {
    return whereItStood(search, bounds);
  }
  return isTooFar(search) ? { kind: 'expired' } : { kind: 'read', pages: [pageOf(known, unseen)] };
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

/** The next unseen distance between the bounds: near the expected one, or halfway. */
function nextToLookAt(search: Search, { behind, ahead }: Bounds): number | undefined {
  const { known, expected } = search;
  const [low, high] = [Math.min(behind, ahead), Math.max(behind, ahead)];
  const isOpen = (distance: number): boolean =>
    distance > low && distance < high && !isCovered(known, distance);
  const target = isNearExpected(search, isOpen)
    ? clamp(expected, low + 1, high - 1)
    : (low + high) >> 1;
  for (let away = 0; target - away > low || target + away < high; away++) {
    const near = [target - away, target + away].find(isOpen);
    if (near !== undefined) {
      return near;
    }
  }
  return undefined;
}

/**
 * Whether to look at the expected place, or as near to it as was not seen: first of all; twice more, because most rows
 * move by little; and among ties, which cannot be halved.
 */
function isNearExpected(search: Search, isOpen: (distance: number) => boolean): boolean {
  const { known, expected } = search;
  return (
    isOpen(expected) ||
    known.sights.length <= 2 ||
    observed(known).some((one) => sideOf(search, one) === 0)
  );
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

/**
 * Ties cannot be halved, nor can rows whose createdAt is not known: past as many pages of them as halving would take, the
 * row counts as gone without a trace.
 */
function isTooFar(search: Search): boolean {
  const { sights, total, size } = search.known;
  const isOnASide = (row: StatementRow): boolean => Math.abs(sideOf(search, { row })) > 0;
  const pages = sights.filter(({ rows }) => !rows.every(isOnASide));
  return pages.length > 4 + Math.ceil(Math.log2(1 + total / size));
}

/** The row is gone, and all that stands where it could is in sight: without ties the place lies between the bounds. */
function whereItStood(search: Search, bounds: Bounds): Place {
  const { behind, ahead } = bounds;
  const candidates = seenFrom(search, behind - search.direction, ahead + search.direction);
  if (candidates.length === 0) {
    return found(ahead, isInside(search.known, behind) ? behind : null);
  }
  if (search.cursor.key === NO_KEY && candidates.some(({ key }) => key === NO_KEY)) {
    return { kind: 'expired' }; // Its row may be any of them.
  }
  const areTies = candidates.every((one) => sideOf(search, one) === 0);
  if (areTies && (isShownTwice(candidates) || areMixed(search, candidates))) {
    return amongTies(search);
  }
  const beside = besideNeighbour(search, bounds);
  if (areTies && search.cursor.ties.complete) {
    return whereTiesPart(search, bounds, candidates, beside !== undefined);
  }
  return beside === undefined ? { kind: 'expired' } : found(beside, null);
}

/** The rows seen from one distance to another, both included, in the order of the walk. */
function seenFrom({ known, direction }: Search, from: number, to: number): Observed[] {
  const seen: Observed[] = [];
  for (let distance = from; direction * (distance - to) >= 0; distance -= direction) {
    const one = rowAt(known, distance);
    if (one !== undefined) {
      seen.push(one);
    }
  }
  return seen;
}

/**
 * Between the ties that were given and those to come, which the cursor tells apart. That it can is certain where one of
 * its row's neighbours is left, or where as many rows follow as did when it was issued.
 */
function whereTiesPart(
  search: Search,
  { ahead }: Bounds,
  ties: readonly Observed[],
  isNeighbourLeft: boolean,
): Place {
  const isAhead = isAheadOf(search.cursor, search.direction);
  const first = ahead + search.direction * ties.filter(({ key }) => isAhead(key)).length;
  return isNeighbourLeft || remaining(search, first) === remainingThen(search)
    ? found(first, null)
    : { kind: 'expired' };
}

/** The place next to the row that came before the cursor's, or else that of the one that followed it. */
function besideNeighbour(search: Search, { behind, ahead }: Bounds): number | undefined {
  const around = seenFrom(search, behind, ahead);
  const named = (print: number | null) =>
    around.find(({ key }) => key !== NO_KEY && printOf(key) === print)?.distance;
  const before = named(neighbourBehind(search));
  return before === undefined ? named(neighbourAhead(search)) : before - search.direction;
}

/** Whether a row was seen at two places, so that another was not seen at all. */
function isShownTwice(rows: readonly Observed[]): boolean {
  const keys = rows.map(({ key }) => key).filter((key) => key !== NO_KEY);
  return new Set(keys).size < keys.length;
}

/** Whether a tie that is to come stands before one that was given, as far as the cursor tells them apart. */
function areMixed({ cursor, direction }: Search, ties: readonly Observed[]): boolean {
  const isAhead = isAheadOf(cursor, direction);
  const firstAhead = ties.findIndex(({ key }) => isAhead(key));
  const isMixed = firstAhead >= 0 && ties.slice(firstAhead).some(({ key }) => !isAhead(key));
  return cursor.ties.complete && isMixed;
}

/** How many rows there are from `first` on, in the direction of the walk. */
function remaining({ known, direction }: Search, first: number): number {
  return direction === 1 ? first + 1 : known.total - first;
}

function remainingThen({ cursor, direction, expected }: Search): number {
  return direction === 1 ? expected : cursor.index;
}

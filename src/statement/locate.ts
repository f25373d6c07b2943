// Finds the current place of a cursor in the part of its statement that was read. Pure; README.md has the rules.
import { fingerprintOf } from './row-key.ts';
import { NO_KEY } from '../upstream/shape/shapes.ts';
import { placeOfLost } from './lost-row.ts';
import { found, readAt, sideOf, type Place, type Search } from './search.ts';
import { isInside, rowAt, seenRows } from './snapshot.ts';
import { settleIfReordered } from './tie-order.ts';

/** Returns the place of the first row after a cursor on the walk, a page to read, or the reason for expiry. */
export function locate(search: Search): Place {
  const own = findOwn(search);
  if (own === undefined && isOnlySided(search))
    return found(search.expected - search.direction, 'position');
  const row = rowAt(search.snapshot, own ?? NaN);
  // A row with another createdAt has moved because of it, so its old place counts.
  if (row && sideOf(search, row)) return placeOfLost(search);
  const reordered = settleIfReordered(search, own);
  if (own !== undefined) return reordered ?? afterOwn(search, own);
  return reordered ?? whereItWas(search) ?? placeOfLost(search);
}

/** Whether the slice has no rows, and no removal can change whether rows are on either side of its place. */
function isOnlySided({ snapshot, direction, count, expected, growth }: Search): boolean {
  const least = Math.max(expected + Math.min(growth, 0), direction === 1 ? 0 : -1);
  const isSame = (step: number) =>
    isInside(snapshot, expected + step) === isInside(snapshot, least + step);
  return count === 0 && isSame(0) && isSame(-direction);
}

/** The distance of the cursor's row if seen. Without an id, createdAt, neighbours or the old place identify the row. */
function findOwn(search: Search): number | undefined {
  const { snapshot, cursor, direction, expected, named } = search;
  if (cursor.key !== NO_KEY) return search.own;
  const places = new Set<number>();
  for (const { row, distance } of seenRows(snapshot)) {
    const isTie = cursor.createdAtMs === null || row.createdAtMs === cursor.createdAtMs;
    // The row is on the right side of each row that the cursor names.
    const isBetween = named.every((one) => direction * (one.distance - distance) * one.offset < 0);
    if (row.key === NO_KEY && isTie && isBetween) places.add(distance);
  }
  const neighbours = named.filter(({ offset }) => Math.abs(offset) === 1);
  const beside = neighbours.map(({ offset, distance }) => distance + direction * offset);
  const [only] = places.size === 1 && cursor.createdAtMs !== null ? places : [];
  return [...beside, expected].find((distance) => places.has(distance)) ?? only;
}

function afterOwn(search: Search, own: number): Place {
  const { snapshot, cursor, direction, expected } = search;
  const shift = Math.abs(own - expected);
  // Whole pages: UPSTREAM_PAGE_BASE may be wrong. Without an id, another row may be meant. The expected page shows it.
  const unit = cursor.key === NO_KEY ? 1 : snapshot.size;
  const byPages = snapshot.total === cursor.total && shift > 0 && shift % unit === 0;
  if (byPages && rowAt(snapshot, expected) === undefined) return readAt(search, expected);
  return found(own - direction, 'row');
}

/** If rows seem not to have moved, returns the place after the cursor's old position, or a page to read first. */
function whereItWas(search: Search): Place | undefined {
  const { snapshot, direction, count, expected, growth, came, behind, ahead } = search;
  const first = expected - direction;
  const next = rowAt(snapshot, first);
  if (growth !== 0 || came > 0 || !next || rowAt(snapshot, expected)) return undefined;
  const [name = NO_KEY] = ahead.fingerprints;
  // A walk to newer rows needs the name of the next row: otherwise, removals at the older end would go unnoticed.
  const fits = name === NO_KEY ? direction === 1 : name === fingerprintOf(next.row.key);
  const hasPassed = sideOf(search, next) < 0 || search.named.some(({ offset }) => offset < 0);
  if (!fits || hasPassed) return undefined;
  // The next row may be a tie that moved here, or a tie may have arrived before it. If `count` is a multiple of the page
  // size, no call is left for a check.
  const isLatest = snapshot.readsSince === snapshot.own.length;
  const mayReadBefore = isLatest && direction === 1 && count % snapshot.size !== 0;
  const mayHaveTies = sideOf(search, next) === 0 || (behind.ties > 0 && !ahead.complete);
  return mayReadBefore && mayHaveTies ? readAt(search, expected) : found(first, 'position');
}

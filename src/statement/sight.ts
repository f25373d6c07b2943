// One page of a statement as it was read, in coordinates that arrivals at the head do not change. Pure.
import type { StatementPage, StatementRow } from '../upstream/shapes.ts';
import { NO_KEY } from '../upstream/row-key.ts';

/**
 * A page as read. A row's **distance** is how many rows are older: 0 for the oldest, `total - 1` for the newest.
 * New transactions at the head leave every distance as it was, which is why everything here is counted so; a row's
 * **index**, as the service's pages count, is `total - 1 - distance`.
 */
export interface Sight {
  /** Zero-based number of the page. */
  readonly page: number;
  readonly total: number;
  readonly size: number;
  readonly rows: readonly StatementRow[];
  /** Distance of the first row. */
  readonly newest: number;
  /** Goes up from answer to answer of a request: which of two pages is the later one. */
  readonly order: number;
}

/** `rows` is what the page holds; empty where the page lies beyond the statement's end, whatever was answered. */
export function createSight(
  page: number,
  { totalItems, itemsPerPage, rows }: Omit<StatementPage, 'currentPage'>,
): Sight {
  return {
    page,
    total: totalItems,
    size: itemsPerPage,
    rows,
    newest: totalItems - 1 - page * itemsPerPage,
    order: 0,
  };
}

/** Whether the page has as many rows as its own totals say. */
export function isWhole({ page, total, size, rows }: Sight): boolean {
  return rows.length === Math.min(Math.max(total - page * size, 0), size);
}

export function covers(sight: Sight, distance: number): boolean {
  return distance <= sight.newest && distance > sight.newest - sight.rows.length;
}

/** Distance of the row with that key, if the page has it. */
export function findKey(sight: Sight, key: number): number | undefined {
  const offset = key === NO_KEY ? -1 : sight.rows.findIndex((row) => row.key === key);
  return offset < 0 ? undefined : sight.newest - offset;
}

/** Two page numbers with the very same rows: the service counts its pages differently, or ignores `page`. */
export function areSamePage(one: Sight, other: Sight): boolean {
  return (
    one.total === other.total &&
    one.page !== other.page &&
    one.newest !== other.newest &&
    one.rows.length > 0 &&
    one.rows.length === other.rows.length &&
    one.rows.every(({ key }, offset) => key !== NO_KEY && key === other.rows[offset]?.key)
  );
}

/** What the rows of all pages read tell, which single pages do not. */
export interface RowsRead {
  /** Whether any row was read more than once. */
  readonly repeats: boolean;
  /** Whether a row shares its createdAt with another one. */
  readonly isTied: (row: StatementRow) => boolean;
}

/**
 * Whether two pages can be of statements that differ by arrivals at the head only, so that both may be believed:
 * where they overlap they show the same rows, and no row stands in two places; rows that share their createdAt with
 * another one may have changed places among themselves (ties.ts). Where the total has fallen in between
 * (`onlyArrivals` is false), nothing says how far rows have moved, so they must overlap.
 */
export function fitTogether(
  older: Sight,
  newer: Sight,
  onlyArrivals: boolean,
  read: RowsRead,
): boolean {
  const oldest = Math.max(oldestOf(older), oldestOf(newer));
  const newest = Math.min(older.newest, newer.newest);
  for (let distance = newest; distance >= oldest; distance--) {
    if (!isSameOrTied(older, newer, distance)) return false;
  }
  return (onlyArrivals || newest >= oldest) && !standInTwoPlaces(older, newer, read);
}

function oldestOf({ newest, rows }: Sight): number {
  return newest - rows.length + 1;
}

function isSameOrTied(one: Sight, other: Sight, distance: number): boolean {
  const [row, otherRow] = [one.rows[one.newest - distance], other.rows[other.newest - distance]];
  const createdAtMs = row?.createdAtMs ?? null;
  return (
    row?.key === otherRow?.key ||
    row?.key === NO_KEY ||
    otherRow?.key === NO_KEY ||
    (createdAtMs !== null && createdAtMs === otherRow?.createdAtMs)
  );
}

/** Whether a row of the one page stands elsewhere on the other, ties aside. */
function standInTwoPlaces(one: Sight, other: Sight, { repeats, isTied }: RowsRead): boolean {
  const stands = (row: StatementRow, offset: number): boolean => {
    const distance = one.newest - offset;
    const elsewhere = findKey(other, row.key) ?? distance;
    return elsewhere !== distance && !isTied(row);
  };
  // Looking up each row of each page on each other one would take longer than all else that a still statement needs.
  return repeats && one.rows.some(stands);
}

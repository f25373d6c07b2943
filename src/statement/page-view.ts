// One page as it was read, in coordinates that arrivals at the head do not change. Pure.
import { NO_KEY } from '../upstream/shape/row-key.ts';
import type { StatementPage, StatementRow } from '../upstream/shape/shapes.ts';

/**
 * A page as read. A row's **distance** is how many rows are older: 0 for the oldest, `total - 1` for the newest.
 * New transactions at the head leave every distance as it was, which is why the planner counts in distances. A row's
 * **index**, as the service's pages count, is `total - 1 - distance`.
 */
export interface PageView {
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

/** `rows` are the page's rows; empty if the page lies beyond the statement's end, whatever was answered. */
export function createPageView(
  page: number,
  { totalItems, itemsPerPage, rows }: Omit<StatementPage, 'currentPage'>,
): PageView {
  const newest = totalItems - 1 - page * itemsPerPage;
  return { page, total: totalItems, size: itemsPerPage, rows, newest, order: 0 };
}

/** Whether the page has as many rows as its own totals say. */
export function isWhole({ page, total, size, rows }: PageView): boolean {
  return rows.length === Math.min(Math.max(total - page * size, 0), size);
}

export function oldestOf({ newest, rows }: PageView): number {
  return newest - rows.length + 1;
}

export function covers(view: PageView, distance: number): boolean {
  return distance <= view.newest && distance >= oldestOf(view);
}

/** Distance of the row with that key, if the page has it. */
export function findKey(view: PageView, key: number): number | undefined {
  const offset = key === NO_KEY ? -1 : view.rows.findIndex((row) => row.key === key);
  return offset < 0 ? undefined : view.newest - offset;
}

/**
 * Two page numbers with the very same rows: the service counts its pages differently, or ignores `page`. A single row may
 * have moved from one page to the next.
 */
export function areSamePage(one: PageView, other: PageView): boolean {
  return (
    one.total === other.total &&
    one.page !== other.page &&
    one.newest !== other.newest &&
    one.rows.length > 1 &&
    one.rows.length === other.rows.length &&
    one.rows.every(({ key }, offset) => key !== NO_KEY && key === other.rows[offset]?.key)
  );
}

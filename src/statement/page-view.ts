// A page as it was read, with its rows counted from the oldest end. Pure.
import type { StatementPage, StatementRow } from '../upstream/shape/shapes.ts';

/** When a page was read. */
export interface PageRead {
  /** Sequence number among the answers of one `Pages`, in the order in which they were accepted. */
  readonly order: number;
  /** The `order` of the last answer before the page was asked for. */
  readonly since: number;
  /** The number of calls that it took. */
  readonly calls: number;
}

/** The distance of a row (README.md) is `total - 1 - index`; the service counts pages by the index. */
export interface PageView extends PageRead {
  /** Zero-based number of the page. */
  readonly page: number;
  readonly total: number;
  readonly size: number;
  readonly rows: readonly StatementRow[];
  /** Distance of the first row. */
  readonly newest: number;
}

/** Creates the view of a page. `rows` must be empty beyond the end of the statement, even if the service sent rows. */
export function createPageView(
  page: number,
  total: number,
  size: number,
  rows: PageView['rows'],
  read: PageRead = { order: 0, since: -1, calls: 1 },
): PageView {
  return { page, total, size, rows, newest: total - 1 - page * size, ...read };
}

/**
 * The number of places of a page; 0 if itemsPerPage is not usable. Some services state the number of rows of the page as
 * itemsPerPage: then totalPages contradicts it on the last page, and the rows of the other pages are counted.
 */
export function sizeOf(page: number, answer: StatementPage): number {
  const { totalItems, itemsPerPage, totalPages, rows } = answer;
  if (itemsPerPage === null || itemsPerPage === 0) return 0;
  const size = Math.max(itemsPerPage, rows.length);
  const isLast = page > 0 && totalPages === page + 1 && rows.length > 0;
  const others = (totalItems - rows.length) / page;
  const isMisstated = isLast && Math.ceil(totalItems / size) !== totalPages;
  return isMisstated && Number.isInteger(others) && others >= size ? others : size;
}

export function oldestOf({ newest, rows }: PageView): number {
  return newest - rows.length + 1;
}

/** The row at a distance, if it is on the page. */
export function rowOn(view: PageView, distance: number): StatementRow | undefined {
  // This check saves time: reading an array out of range takes far longer.
  const isOn = distance <= view.newest && distance >= oldestOf(view);
  return isOn ? view.rows[view.newest - distance] : undefined;
}

/** Whether the place is on the page, even if the page shows no row there. */
export const covers = ({ newest, size }: PageView, distance: number): boolean =>
  distance <= newest && distance > newest - size;

/**
 * Whether the page has the total of the moment in which its rows were read, also if a service counts in another query:
 * the total has not changed since the reads before it, nor before the reads after it, or one of these has the same
 * total. `wrong` limits the question to totals that would be too low or too high.
 */
export function isCounted(
  { total, order, since }: PageView,
  reads: readonly PageView[],
  wrong?: 'low' | 'high',
): boolean {
  const sides = [
    reads.filter((one) => one.order <= since),
    reads.filter((one) => one.since >= order),
  ];
  const speaksAgainst = (one: PageView) =>
    (wrong !== 'high' && one.total > total) || (wrong !== 'low' && one.total < total);
  return sides.every(
    (others) => others.some((one) => one.total === total) || !others.some(speaksAgainst),
  );
}

/** Whether two rows, or a cursor's row and another row, have the same createdAt. */
export function areTied(one: Pick<StatementRow, 'createdAtMs'>, other: typeof one): boolean {
  return one.createdAtMs !== null && one.createdAtMs === other.createdAtMs;
}

/** The number of pages with fewer rows than their totals count: services may hide rows after paging. */
export const countShort = (reads: readonly PageView[]) =>
  reads.filter(({ rows, size, newest }) => rows.length < Math.min(size, newest + 1)).length;

export const countRereads = (reads: readonly PageView[]) =>
  reads.length - new Set(reads.map(({ page }) => page)).size;

// A page as it was read, with its rows counted from the oldest end. Pure.
import { NO_KEY, type StatementPage, type StatementRow } from '../upstream/shape/shapes.ts';

/** The distance of a row (README.md) is `total - 1 - index`; the service counts pages by the index. */
export interface PageView {
  /** Zero-based number of the page. */
  readonly page: number;
  readonly total: number;
  readonly size: number;
  readonly rows: readonly StatementRow[];
  /** Distance of the first row. */
  readonly newest: number;
  /** Sequence number among the answers of one `Pages`, in the order in which they were accepted. */
  readonly order: number;
}

/** Creates the view of a page. `rows` must be empty beyond the end of the statement, even if the service sent rows. */
export function createPageView(
  page: number,
  { totalItems, itemsPerPage, rows }: Omit<StatementPage, 'currentPage'>,
  order = 0,
): PageView {
  const newest = totalItems - 1 - page * itemsPerPage;
  return { page, total: totalItems, size: itemsPerPage, rows, newest, order };
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

/** By createdAt, the key of its row; NaN for ties. Kept: to look through all rows for each row takes quadratic time. */
const keysByTime = new WeakMap<PageView['rows'], Map<number | null, number>>();

/** Whether another row of the page is a tie of this row. */
export function hasTie({ rows }: PageView, { key, createdAtMs }: StatementRow): boolean {
  const keys = keysByTime.get(rows) ?? new Map<number | null, number>();
  for (const row of keys.size === 0 ? rows : []) {
    const same = (keys.get(row.createdAtMs) ?? row.key) === row.key;
    keys.set(row.createdAtMs, same ? row.key : NaN);
  }
  keysByTime.set(rows, keys);
  return createdAtMs !== null && (keys.get(createdAtMs) ?? key) !== key;
}

/** Whether two rows, or a cursor's row and another row, have the same createdAt. */
export function areTied(one: Pick<StatementRow, 'createdAtMs'>, other: typeof one): boolean {
  return one.createdAtMs !== null && one.createdAtMs === other.createdAtMs;
}

/** Whether two page numbers returned the same total and rows; false for a single row, which may have moved. */
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

// Small statements as text, and their rows, pages, sheets and cursors. The text lists the newest row first: `a9` is row
// "a" created at 9, `-9` has no id, and `b-` has no createdAt.
import type { Cursor, NamedRows } from '../../../src/statement/cursor.ts';
import { hashOf } from '../../../src/json/text-hash.ts';
import { createPageView, type PageView } from '../../../src/statement/page-view.ts';
import { fingerprintOf } from '../../../src/statement/row-key.ts';
import { layOut, type Sheet } from '../../../src/statement/sheet.ts';
import { NO_KEY, type StatementRow } from '../../../src/upstream/shape/shapes.ts';
import { rowOf, rowId } from '../../support/statement-model.ts';

export function rowsOf(statement: string): StatementRow[] {
  const words = statement.split(' ').filter((word) => word !== '');
  return words.map((word) => {
    const [id, createdAt] = [word.slice(0, 1), word.slice(1)];
    const createdAtMs = createdAt === '-' ? null : Number(createdAt);
    return rowOf({ id: id === '-' ? null : id, createdAtMs });
  });
}

/** A page of a statement, by default of three rows. */
export function pageOf(statement: string, page: number, size = 3): PageView {
  const rows = rowsOf(statement);
  return createPageView(page, rows.length, size, rows.slice(page * size, (page + 1) * size));
}

/** The sheet of these reads. */
export const sheetOf = (...reads: readonly PageView[]): Sheet => layOut(reads, false);

export const fingerprint = (id: string): number => fingerprintOf(hashOf(id));

interface CursorOptions extends Partial<Cursor> {
  /**
   * The least number of rows that the cursor names on each side, 2 by default. If there are more ties, all ties are
   * named. With 0, no row is named.
   */
  readonly names?: number;
}

/** A cursor of the row with this id or index, as issued by a slice that has read the whole statement. */
export function cursorOf(statement: string, at: string | number, options?: CursorOptions): Cursor {
  const { names = 2, ...changes } = options ?? {};
  const rows = rowsOf(statement);
  const index = typeof at === 'number' ? at : rows.findIndex((row) => rowId(row) === at);
  const createdAtMs = rows[index]?.createdAtMs ?? null;
  const side = (beside: readonly StatementRow[]): NamedRows => {
    const tied = beside.findIndex((row) => createdAtMs === null || row.createdAtMs !== createdAtMs);
    const ties = tied < 0 ? beside.length : tied;
    const named = beside.slice(0, Math.max(names, names === 0 ? 0 : ties));
    return {
      fingerprints: named.map(({ key }) => (key === NO_KEY ? NO_KEY : fingerprintOf(key))),
      ties: names === 0 ? 0 : ties,
      complete: names > 0,
    };
  };
  return {
    key: rows[index]?.key ?? NO_KEY,
    ...{ index, total: rows.length, size: 3, createdAtMs },
    newer: side(rows.slice(0, index).reverse()),
    older: side(rows.slice(index + 1)),
    isReordered: false,
    ...changes,
  };
}

// Small statements written as words, newest first: `a9` is row "a" made at 9; `-9` has no id, `b-` no createdAt.
import type { Cursor } from '../../../src/statement/cursor.ts';
import { know, type Known } from '../../../src/statement/known.ts';
import { NO_KEY, printOf, rowKey } from '../../../src/upstream/row-key.ts';
import type { Direction, Place, Search } from '../../../src/statement/search.ts';
import { createSight, type Sight } from '../../../src/statement/sight.ts';
import type { StatementRow } from '../../../src/upstream/shapes.ts';
import { rowOf } from '../../support/statement-model.ts';

export function rowsOf(statement: string): StatementRow[] {
  const words = statement.split(' ').filter((word) => word !== '');
  return words.map((word) => {
    const [id, createdAt] = [word.slice(0, 1), word.slice(1)];
    const createdAtMs = createdAt === '-' ? null : Number(createdAt);
    return rowOf({ id: id === '-' ? null : id, createdAtMs });
  });
}

/** A page of a statement, three rows unless said otherwise. */
export function pageOf(statement: string, page: number, size = 3): Sight {
  const rows = rowsOf(statement);
  return createSight(page, {
    totalItems: rows.length,
    itemsPerPage: size,
    rows: rows.slice(page * size, (page + 1) * size),
  });
}

/** What is known after reading pages of one statement. */
export function knownOf(statement: string, ...pages: number[]): Known {
  return know(pages.map((page) => pageOf(statement, page)));
}

export const print = (id: string): number => printOf(rowKey(id));

interface CursorOptions extends Partial<Cursor> {
  /** The side on which the walk came to the row; newer unless said otherwise. */
  readonly from?: 'newer' | 'older';
}

/** A cursor of the row with that id (or index), as a walk issues it that has seen all around it. */
export function cursorOf(statement: string, at: string | number, options?: CursorOptions): Cursor {
  const { from = 'newer', ...changes } = options ?? {};
  const rows = rowsOf(statement);
  const index = typeof at === 'number' ? at : rows.findIndex(({ id }) => id === at);
  const createdAtMs = rows[index]?.createdAtMs ?? null;
  const cameBy = from === 'newer' ? rows.slice(0, index) : rows.slice(index + 1).reverse();
  const ties = cameBy.filter((row) => createdAtMs !== null && row.createdAtMs === createdAtMs);
  return {
    key: rowKey(rows[index]?.id ?? null),
    index,
    total: rows.length,
    size: 3,
    createdAtMs,
    newer: printAt(rows, index - 1),
    older: printAt(rows, index + 1),
    ties: { side: from, complete: true, prints: ties.map(({ id }) => printOf(rowKey(id))) },
    ...changes,
  };
}

function printAt(rows: readonly StatementRow[], index: number): number | null {
  const key = rowKey(rows[index]?.id ?? null);
  return key === NO_KEY ? null : printOf(key);
}

export function searchOf(known: Known, cursor: Cursor, direction: Direction = 1): Search {
  const expected = cursor.total - 1 - cursor.index;
  return { known, cursor, direction, count: 3, expected };
}

/** A place in short: its first row's distance, the pages to read next, or "expired". */
export function shortOf(place: Place): number | string {
  if (place.kind === 'found') return place.first;
  return place.kind === 'read' ? `read ${place.pages.join()}` : place.kind;
}

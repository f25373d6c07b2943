// Tests when a wrong slice has a twin, which is another history with the same answers.
import { expect, test } from 'vitest';
import { describeTwin, findTwin, type Call } from './other-history.ts';
import { post, remove, statementOf, swap, type Statement } from './statement.ts';

const start = statementOf('lastLast', [1, 1, 1, 1, 1, 1], 2);

/** A call that reads these pages and answers with these rows. */
function call(
  cursor: number | null,
  pages: readonly number[],
  reads: readonly Statement[],
  serials: readonly number[],
): Call {
  const total = reads[0]?.live.length ?? 0;
  const given = new Set(start.live.slice(0, cursor ?? 0).map(({ serial }) => serial));
  const walk = { direction: 1, cursor, count: 2, given, due: null, mark: null } as const;
  const info = { hasNext: true, hasPrevious: cursor !== null, total };
  const answer = { serials, keys: [], ...info, startCursor: null, endCursor: null };
  return { walk, pages, reads: pages.map((_, nth) => reads[nth] ?? start), answer };
}

const first = call(null, [0], [start], [1, 2]);

/**
 * Reads these pages of the statement `now`, and answers with the rows `serials`. Returns the rows of the twin of this
 * slice; null if the slice has no twin.
 */
function twinAfter(pages: readonly number[], now: Statement, serials: readonly number[]) {
  const reads = pages.map(() => now);
  const twin = findTwin(first, call(2, pages, reads, serials));
  return twin === null ? null : describeTwin(twin);
}

// A returned row vanishes, and a row is posted last: the total is the same, and page 1 begins one row later.
const balanced = post(remove(start, 1), 7, 1);

test('a wrong slice has a twin in which rows that were not read are other rows', () => {
  expect(twinAfter([1], balanced, [4, 5])).toBe('?1 1 (2) 4 5 ?2');
});

test('a wrong slice has a twin in which a tie that was not read has arrived and another one has vanished', () => {
  // Rows 2 and 3 change places. The cursor of row 2 does not name row 3.
  expect(twinAfter([0, 1, 2], swap(start, 1), [4, 5])).toBe('1 3 2 4 5 6');
});

test('a wrong slice has no twin if the call has read the row that it leaves out, or returns a row twice', () => {
  expect(twinAfter([0, 1], balanced, [4, 5])).toBeNull();
  expect(twinAfter([0, 1], balanced, [2, 3])).toBeNull();
});

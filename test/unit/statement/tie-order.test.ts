// Ties whose order changes between reads: how the new order is detected, and which ties a walk still has to return.
import { describe, expect, it } from 'vitest';
import { createPageView, type PageView } from '../../../src/statement/page-view.ts';
import type { Place } from '../../../src/statement/search.ts';
import { settleIfReordered, settleTies } from '../../../src/statement/tie-order.ts';
import { distanceOf } from '../../../src/statement/snapshot.ts';
import { cursorOf, latestOf, pageOf, rowsOf, searchIn } from './parts.ts';
import { rowId } from '../../support/statement-model.ts';

/** Five ties: the last two rows of the first page and the whole second page. */
const tied = 'a9 b5 c5 d5 e5 f5 g3 h2 i1';
const cursor = cursorOf(tied, 'd', { older: { fingerprints: [], ties: 0, complete: false } });

/**
 * A place in short form: the sorted ids of the rows to return; `read` with the pages to read first; `expired` with the
 * reason; or `kept` if nothing shows a change of the order.
 */
function shortOf(place: Place | undefined): string {
  if (place === undefined) return 'kept';
  if (place.kind === 'read') return `read ${place.pages.join()}`;
  if (place.kind === 'expired') return `expired: ${place.reason}`;
  const ids = place.settled.map(({ row }) => rowId(row));
  return ids.sort().join('');
}

function after(from: typeof cursor, count: number, ...reads: PageView[]): string {
  const search = searchIn(reads, from, 1, count);
  return shortOf(settleIfReordered(search, distanceOf(search.snapshot, from.key)));
}

const pagesOf = (now: string, ...pages: number[]) => pages.map((page) => pageOf(now, page));

describe('the order of ties', () => {
  it.each([
    ['the ties have not moved', tied],
    ['the ties have moved down together', `z10 ${tied.slice(0, -3)}`],
    ['unknown ties are among them and the total has grown', 'a9 b5 x5 c5 d5 e5 f5 g3 h2 i1'],
    ['the ties before the row are gone', 'a9 d5 e5 f5 g3 h2 i1'],
    ['the rows have no createdAt', tied.replaceAll('5', '-')],
  ])('counts as kept if %s', (_what, now) => {
    expect(after(cursor, 3, ...pagesOf(now, 0, 1))).toBe('kept');
  });

  it('counts as changed if a named tie is on the other side of the row', () => {
    expect(after(cursor, 3, ...pagesOf('a9 e5 b5 d5 f5 c5 g3 h2 i1', 0, 1, 2))).toBe('ef');
  });

  it('counts as changed if the cursor states that ties change their order, and another tie was seen', () => {
    const reordered = { ...cursor, isReordered: true };
    expect(after(reordered, 3, ...pagesOf(tied, 0, 1, 2))).toBe('ef');
    expect(
      after({ ...cursorOf('a9 b8 c7', 'b'), isReordered: true }, 3, pageOf('a9 b8 c7', 0)),
    ).toBe('kept');
    const untimed = { ...reordered, createdAtMs: null };
    expect(after(untimed, 3, ...pagesOf(tied.replaceAll('5', '-'), 0, 1, 2))).toBe('kept');
  });

  it('counts as changed if a tie was seen at two places', () => {
    const hiding = pageOf('a9 c5 f5 d5 e5 b5 g3 h2 i1', 1);
    expect(after(cursor, 9, pageOf(tied, 0), hiding, pageOf(tied, 2))).toBe('read 0');
  });

  it('counts as changed if ties that were to follow the row are now before it', () => {
    const moved = 'a9 e5 b5 c5 d5 f5 g3 h2 i1';
    expect(after(cursor, 3, ...pagesOf(moved, 0, 1))).toBe('read 2');
    expect(after(cursor, 3, ...pagesOf(moved, 0, 1, 2))).toBe('ef');
  });

  it('is checked by a second read of a page with four or more ties', () => {
    const large = (now: string) => pageOf(now, 0, 9);
    const moved = 'a9 e5 b5 c5 d5 f5 g3 h2 i1';
    expect(after(cursor, 3, large(moved))).toBe('read 0');
    expect(after(cursor, 3, large(moved), large(moved))).toBe('kept');
    expect(after(cursor, 3, large(moved), large('a9 f5 b5 d5 c5 e5 g3 h2 i1'))).toBe('ef');
  });

  it('counts as changed if just one more tie is before the row, directly, unless ties may have arrived at the head', () => {
    const swapped = 'a9 b5 c5 e5 d5 f5 g3 h2 i1';
    expect(after(cursor, 3, pageOf(swapped, 0, 9))).toBe('ef');
    const atHead = { ...cursor, index: cursor.index - 1, total: cursor.total - 1 };
    expect(after(atHead, 3, pageOf(swapped.slice(3), 0, 9))).toBe('read 0');
  });

  it('counts as kept if four named ties are in order, unless one more tie is just before the row', () => {
    const atHead = cursorOf('a5 b5 c5 d5 e5 f5 g3 h2 i1', 'e', { older: cursor.older });
    expect(after(atHead, 3, ...pagesOf('x5 a5 b5 c5 d5 e5 f5 g3', 0, 1))).toBe('kept');
    expect(after(atHead, 3, ...pagesOf('a5 b5 c5 d5 x5 e5 f5 g3', 0, 1, 2))).toBe('fx');
  });

  it('counts as changed if an earlier state had no room beside the row for a named tie that is left', () => {
    const reads = [pageOf('a5 b5', 0, 1), pageOf('a5 x5 b5', 2, 1)];
    const search = searchIn(reads, cursorOf('b5 a5', 'a'), -1, 1);
    expect(shortOf(settleIfReordered(search, undefined))).toBe('read 1');
  });

  it('counts as changed if an earlier state had more ties before the row than arrivals explain', () => {
    const first = cursorOf('a5 b5 c5', 'a', {
      older: { fingerprints: [], ties: 0, complete: false },
    });
    expect(after(first, 1, pageOf('b5 a5 c5', 0), pageOf('b5 c5', 0))).toBe('b');
  });

  it('counts as changed if ties were before the row although rows have only vanished', () => {
    const first = cursorOf('a5 b5 c5', 'a', {
      older: { fingerprints: [], ties: 0, complete: false },
    });
    expect(after(first, 3, pageOf('b5 a5', 0))).toBe('b');
  });

  it('counts as kept if the row has another createdAt now', () => {
    const changed = { ...cursorOf('a9 b8 c7 d6', 'c'), createdAtMs: 5 };
    expect(after(changed, 3, ...pagesOf('a9 c7 b8 d6', 0, 1))).toBe('kept');
  });

  it('counts as kept if no ties were to follow the row', () => {
    const last = cursorOf(tied, 'f', { older: { ...cursor.older, complete: true } });
    expect(after(last, 3, pageOf('a9 x5 b5 c5 d5 e5 f5 g3 h2', 2))).toBe('kept');
  });

  it('makes a cursor expire if it has changed and the cursor lists the ties of neither side completely', () => {
    const newer = { ...cursor.newer, complete: false };
    const now = pagesOf('a9 e5 b5 d5 f5 c5 g3 h2 i1', 0, 1, 2);
    expect(after({ ...cursor, newer }, 3, ...now)).toBe('expired: tieOrder');
  });
});

describe('ties in a changed order', () => {
  const mixed = 'a9 e5 b5 d5 f5 c5 g3 h2 i1';

  it('are read up to the last tie first, and then up to the first tie', () => {
    expect(after(cursor, 3, ...pagesOf(mixed, 1))).toBe('read 2');
    expect(after(cursor, 3, ...pagesOf(mixed, 1, 2))).toBe('read 0');
    expect(after(cursor, 3, ...pagesOf(mixed, 1, 2, 0))).toBe('ef');
  });

  it('are read again, beginning with the page that was read first, until each tie was seen', () => {
    const hiding = 'a9 f5 c5 d5 e5 b5 g3 h2 i1';
    const reads = [pageOf(tied, 0), pageOf(hiding, 1), pageOf(tied, 2)];
    expect(after(cursor, 3, ...reads)).toBe('read 0');
    expect(after(cursor, 3, ...reads, pageOf(tied, 0))).toBe('read 1');
    expect(after(cursor, 3, ...reads, pageOf(hiding, 0))).toBe('ef');
  });

  it('are returned as soon as enough of them were seen and it is certain that a row follows', () => {
    expect(after(cursor, 1, ...pagesOf(mixed, 1))).toBe('read 2');
    expect(after(cursor, 1, ...pagesOf(mixed, 0, 1))).toBe('f');
  });

  it('are placed at the end of the ties', () => {
    const first = cursorOf('a5 b5 c5', 'b', { older: cursor.older });
    const search = searchIn(pagesOf('d5 b5 a5 c5', 0, 1), first, 1, 1);
    expect(settleIfReordered(search, 2)).toMatchObject({ kind: 'found', first: 1 });
  });

  it('at both ends of a statement are settled without looking at every place between them', () => {
    const total = 2 ** 31 - 1;
    const ends = [0, Math.floor(total / 3)].map((page) => {
      const rows = rowsOf(page === 0 ? 'a5 b5 c5' : 'd5');
      return createPageView(page, { totalItems: total, itemsPerPage: 3, rows });
    });
    const place = settleTies({
      ...{ snapshot: latestOf(...ends), direction: 1, createdAtMs: 5, count: 6 },
      ...{ isAhead: () => true, from: total, given: null, own: NaN },
    });
    expect(place).toEqual({ kind: 'read', pages: [1] });
  });

  it('are all returned if they begin in the slice', () => {
    const other = 'a9 d5 b5 c5 e5 f5 g3 h2 i1';
    const settle = (...reads: PageView[]) =>
      shortOf(
        settleTies({
          ...{ snapshot: latestOf(...reads), direction: 1, createdAtMs: 5, count: 6 },
          ...{ isAhead: () => true, from: 8, given: 0, own: NaN },
        }),
      );
    const reads = [pageOf(tied, 1), pageOf(other, 0), pageOf(tied, 2)];
    expect(settle(...reads)).toBe('read 1');
    expect(settle(...reads, pageOf(other, 1), pageOf(tied, 0))).toBe('bcdef');
  });
});

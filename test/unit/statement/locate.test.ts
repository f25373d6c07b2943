// The place of a cursor in the pages that were read, found by its row, its index, the rows that it names, or createdAt.
import { describe, expect, it } from 'vitest';
import type { Cursor } from '../../../src/statement/cursor.ts';
import { locate } from '../../../src/statement/locate.ts';
import { cursorOf, pageOf, placeOf, searchIn, shortOf } from './parts.ts';

const nine = 'a9 b8 c7 d6 e5 f4 g3 h2 i1';

const ahead = (cursor: Cursor, now: string, ...pages: number[]) =>
  placeOf(cursor, 1, ...pages.map((page) => pageOf(now, page)));
const behind = (cursor: Cursor, now: string, ...pages: number[]) =>
  placeOf(cursor, -1, ...pages.map((page) => pageOf(now, page)));

const unknown = { fingerprints: [], ties: 0, complete: false };

describe('a cursor whose row was read', () => {
  it.each([
    ['if the statement is unchanged', nine],
    ['after arrivals', `y11 z10 ${nine}`],
    ['after removals of older rows', 'a9 b8 c7 d6 e5 f4 i1'],
    ['after balanced changes', 'z10 a9 b8 c7 d6 e5 f4 g3 h2'],
    ['if the service does not order by createdAt', 'a1 b8 c7 d6 e5 f9 g3 h2 i4'],
  ])('continues with the next row %s', (_what, now) => {
    const ids = now.split(' ').map((word) => word[0]);
    const distance = ids.length - 1 - ids.indexOf('e');
    expect(ahead(cursorOf(nine, 'e'), now, 0, 1, 2)).toBe(distance - 1);
    expect(behind(cursorOf(nine, 'e'), now, 0, 1, 2)).toBe(distance + 1);
  });

  it('continues just beyond the end if no row follows it', () => {
    expect(ahead(cursorOf(nine, 'i'), nine, 2)).toBe(-1);
    expect(behind(cursorOf(nine, 'a'), nine, 0)).toBe(9);
  });

  it('reads the page of its old place if its row moved by whole pages and the total is unchanged', () => {
    const now = 'x12 y11 z10 a9 b8 c7 d6 e5 f4';
    const cursor = cursorOf(nine, 'e', { createdAtMs: null });
    expect(ahead(cursor, now, 2)).toBe('read 1');
    expect(ahead(cursor, now, 1, 2)).toBe(0);
  });

  it('treats unknown ties before its row as arrivals', () => {
    const tied = 'a9 b9 c9 d8 e7 f6';
    expect(behind(cursorOf(tied, 'a'), `x9 y9 ${tied}`, 0)).toBe(6);
    expect(ahead(cursorOf(tied, 'b'), `a9 x9 y9 b9 c9 d8 e7 f6`, 0, 1)).toBe(3);
  });
});

describe('a cursor at the edge of a page that was read', () => {
  it('continues with that page if the total and the neighbour are unchanged', () => {
    expect(ahead(cursorOf(nine, 'c'), nine, 1)).toBe(5);
    expect(behind(cursorOf(nine, 'd'), nine, 0)).toBe(6);
  });

  it('needs a named neighbour only on a walk to newer rows', () => {
    expect(ahead(cursorOf(nine, 'c', { older: unknown }), nine, 1)).toBe(5);
    expect(behind(cursorOf(nine, 'd', { newer: unknown }), nine, 0)).toBe('read 1');
  });

  it.each([
    ['the total has changed', 'a9 b8 c7 d6 e5 f4 g3 h2', 'read 0'],
    ['the neighbour has changed', 'a9 b8 c7 x6 e5 f4 g3 h2 i1', 'read 0'],
  ])('reads the page of its row if %s', (_what, now, outcome) => {
    expect(ahead(cursorOf(nine, 'c'), now, 1)).toBe(outcome);
  });

  it('continues after its row if the row has moved onto the page and no ties follow the row', () => {
    expect(ahead(cursorOf(nine, 'c'), 'z10 a9 b8 c7 d6 e5 f4 g3 h2', 1)).toBe(4);
  });

  it('reads the page of its row if the next row has a newer createdAt than its row', () => {
    const cursor = cursorOf(nine, 'c', { older: unknown });
    const swapped = 'a9 b8 c7 x8 e5 f4 g3 h2 i1';
    expect(ahead(cursor, swapped, 1)).toBe('read 0');
    expect(ahead(cursor, swapped, 1, 0)).toBe(5);
  });
});

describe('a cursor whose row is gone', () => {
  it.each([
    ['its row', 'a9 b8 c7 d6 f4 g3 h2 i1'],
    ['its row and its neighbours', 'a9 b8 c7 g3 h2 i1'],
    ['its row and another one, and as many arrivals', 'y11 z10 a9 b8 c7 d6 f4 g3 h2'],
    ['all newer rows', 'f4 g3 h2 i1'],
    ['all older rows', 'a9 b8 c7 d6'],
    ['all rows that it names', 'a9 b8 h2 i1'],
    ['all rows', ''],
  ])('continues at its place after the removal of %s', (_what, now) => {
    const older = now.split(' ').filter((word) => 'fghi'.includes(word[0] ?? '-')).length;
    expect(ahead(cursorOf(nine, 'e'), now, 0, 1, 2)).toBe(older - 1);
    expect(behind(cursorOf(nine, 'e'), now, 0, 1, 2)).toBe(older);
  });

  const tied = 'a9 b5 c5 d5 e5 f5 g5 h5 i1';

  it.each([
    ['the row itself', 'a9 b5 c5 d5 f5 g5 h5 i1', 3],
    ['the row and the tie before it', 'a9 b5 c5 f5 g5 h5 i1', 3],
    ['the row and the tie after it', 'a9 b5 c5 d5 g5 h5 i1', 2],
    ['the row and two ties on either side', 'a9 b5 h5 i1', 1],
    ['the row and all rows that it names', 'a9 i1', 0],
  ])('continues among ties after the removal of %s', (_what, now, first) => {
    expect(ahead(cursorOf(tied, 'e'), now, 0, 1, 2)).toBe(first);
    expect(behind(cursorOf(tied, 'e'), now, 0, 1, 2)).toBe(first + 1);
  });

  it('expires among ties if it names neither the ties before its row nor the ties after its row', () => {
    const [newer, older] = [unknown, unknown];
    const cursor = cursorOf(tied, 'e', { newer, older });
    expect(ahead(cursor, 'a9 b5 c5 g5 h5 i1', 0, 1)).toBe('expired: ties');
  });

  it('expires if no named row is left and the rows are not in the order of createdAt', () => {
    const cursor = cursorOf('x5 b8 c7 d6 e5 f4 g3 h2 i1', 'e');
    expect(ahead(cursor, 'a1 b8 i9', 0)).toBe('expired: gone');
  });

  it('continues at its index if the total shows that only its row and the rows that it names are gone', () => {
    const cursor = cursorOf('x5 b8 c7 d6 e5 f4 g3 h2 i1', 'e');
    expect(ahead(cursor, 'a1 b8 h2 i9', 0, 1)).toBe(1);
    expect(behind(cursor, 'a1 b8 h2 i9', 0, 1)).toBe(2);
  });

  it('continues with a tie of the nearest newer row that it names, unless the tie is an arrival', () => {
    const cursor = cursorOf('a1 b2 c1 d0', 'b', { older: unknown });
    expect(ahead(cursor, 'a1 c1 d0', 0)).toBe(1);
    const sorted = cursorOf('a3 b2 c1 d0', 'b', { older: unknown });
    expect(ahead(sorted, 'a3 x3 c1 d0', 0, 1)).toBe(1);
    expect(ahead(cursorOf('a1 b2 c1 d0', 'b'), 'z3 a1 c1 d0', 0, 1)).toBe(1);
  });

  it('skips rows that it names as already returned, even if they have changed places', () => {
    expect(behind(cursorOf('a2 b1 c1', 'a'), 'c1 b1', 0)).toBe(2);
  });

  it('continues next to its neighbour, not by createdAt, if its neighbours are not in the order of createdAt', () => {
    expect(behind(cursorOf('a1 b2 c1', 'a'), 'd2 b2 c1', 0)).toBe(2);
  });

  it('is recognised if a page has all ties of the row but not the row, even if an arrival keeps the total unchanged', () => {
    expect(behind(cursorOf('a1 b1 c1', 'b'), 'a1 c1 d1', 0)).toBe(2);
    expect(ahead(cursorOf('a1 b1 c1', 'b'), 'd1 a1 c1', 0)).toBe(0);
  });

  it('first reads the page on the other side of the ties, unless the total has fallen', () => {
    const cursor = cursorOf('a9 b5 c5 d5 e5 f5 g1', 'e', { older: unknown });
    expect(ahead(cursor, 'a9 e5 x5 b5 c5 d5 g1', 1, 2)).toBe('read 0');
    expect(ahead(cursor, 'a9 x5 y5 b5 c5 d5', 1)).toBe(-1);
  });

  it('first reads the page between the rows that it names', () => {
    const now = 'a9 b8 c7 d6 x5 y5 z5 e5 f4 g3 h2 i1';
    expect(ahead(cursorOf(nine, 'e'), now, 1)).toBe('read 2');
    expect(ahead(cursorOf(nine, 'e'), now, 1, 2)).toBe(3);
  });
});

describe('a cursor whose nearest named row was not read', () => {
  it('reads on beyond unknown rows next to another named row, even if the total has fallen', () => {
    expect(behind(cursorOf(nine, 'c'), 'a9 x8 y8 b8 c7 d6 e5', 0)).toBe('read 1');
    expect(ahead(cursorOf(nine, 'e'), 'a9 e5 f4 x3 y3 g3 h2 i1', 1)).toBe('read 0');
  });
});

describe('a cursor of a row without id', () => {
  const spoiled = 'a9 b8 -7 d6 -5 f4 g3 h2 i1';

  it('is located at its row', () => {
    expect(ahead(cursorOf(spoiled, 2), spoiled, 0)).toBe(5);
    expect(ahead(cursorOf(spoiled, 2), `z10 ${spoiled}`, 0, 1)).toBe(5);
  });

  it('is located by the createdAt of its row if the row moved', () => {
    expect(ahead(cursorOf(spoiled, 2), 'a9 b8 -7 d6 -5 f4 i1', 0, 1, 2)).toBe(3);
    expect(behind(cursorOf(spoiled, 4), 'a9 b8 -7 d6 -5 f4 i1', 0, 1, 2)).toBe(3);
  });

  it('is located next to a row that it names', () => {
    const pair = 'a9 -7 -7 d6 e5 f4 g3 h2 i1';
    expect(ahead(cursorOf(pair, 1), pair, 0)).toBe(6);
    expect(ahead(cursorOf(pair, 1), 'a9 -7 -7 d6 e5 f4 g3', 0, 1, 2)).toBe(4);
    const blank = 'a9 b8 -- d6 e5 f4 g3 h2 i1';
    expect(ahead(cursorOf(blank, 2), 'a9 b8 -- d6 e5 f4 i1', 0, 1, 2)).toBe(3);
  });

  it('expires if its row moved and no named row is left', () => {
    const cursor = cursorOf('a9 -7 -7 d6 e5 f4', 1, { newer: unknown, older: unknown });
    expect(ahead(cursor, '-7 -7 y3 z2', 0, 1)).toBe('expired: noId');
  });
});

describe('a cursor of a row without createdAt', () => {
  const undated = 'a- b- c- d- e- f- g- h- i-';

  it('is located by the id of its row, even if the row moved', () => {
    expect(ahead(cursorOf(undated, 'e'), `y- z- ${undated}`, 2)).toBe(3);
    expect(behind(cursorOf(undated, 'e'), 'z- b- c- d- e- f- g- h-', 1)).toBe(4);
  });

  it('continues next to a neighbour if its row is gone, and expires if the neighbours are gone too', () => {
    expect(ahead(cursorOf(undated, 'e'), 'a- b- c- d- f- g- h- i-', 0, 1, 2)).toBe(3);
    expect(ahead(cursorOf(undated, 'e'), 'a- b- i-', 0)).toBe('expired: gone');
  });
});

describe('a page that begins with a tie of the cursor’s row', () => {
  const tied = 'a9 b8 c7 d7 e7 f7';
  const cursor = { ...cursorOf(tied, 'c'), older: { fingerprints: [], ties: 0, complete: false } };
  const place = (count: number, ...pages: number[]) => {
    const reads = pages.map((page) => pageOf(tied, page));
    return shortOf(locate(searchIn(reads, cursor, 1, count)));
  };

  it('is compared with the page of that row, unless the slice consists of whole pages', () => {
    expect(place(2, 1)).toBe('read 0');
    expect(place(2, 1, 0)).toBe(2);
    expect(place(3, 1)).toBe(2);
  });
});

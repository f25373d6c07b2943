// A cursor whose row and neighbours were not seen: which pages are read to find its place.
import { describe, expect, it } from 'vitest';
import type { Cursor } from '../../../src/statement/cursor.ts';
import { placeOfLost } from '../../../src/statement/lost-row.ts';
import { cursorOf, pageOf, searchIn, shortOf } from './parts.ts';

/**
 * 300 rows, created at 299, 298 … 0, with three rows per page. Page k has the rows created at 299 - 3k, 298 - 3k and
 * 297 - 3k.
 */
const names = Array.from({ length: 300 }, (_, k) => characterOf(k));
const long = names.map((name, k) => `${name}${299 - k}`).join(' ');
const tied = names.map((name) => `${name}5`).join(' ');

/** Characters with different keys. Keys ignore the bit that is the case of an ASCII letter, so it is always set here. */
function characterOf(k: number): string {
  return String.fromCharCode(0x1020 + (k % 32) + 64 * Math.floor(k / 32));
}

/** A cursor of a removed row, formerly at index 149, without names of other rows. */
const goneAt = (createdAtMs: number): Cursor => ({
  ...cursorOf(long, 149, { names: 0 }),
  ...{ key: 7, createdAtMs },
});

const placeIn = (statement: string, pages: readonly number[], cursor: Cursor) => {
  const reads = pages.map((page) => pageOf(statement, page));
  return placeOfLost(searchIn(reads, cursor, 1, 3));
};

/**
 * Reads page 49, then the pages that are requested next, until the place is found or the cursor expires. Returns the
 * place in short form, and the pages that were read.
 */
function search(statement: string, cursor: Cursor) {
  const reads = [49];
  let place = placeIn(statement, reads, cursor);
  while (place.kind === 'read') {
    reads.push(...place.pages);
    place = placeIn(statement, reads, cursor);
  }
  return { place: shortOf(place), reads };
}

describe('the search for a place by createdAt', () => {
  it('is a binary search in the pages between newer and older rows', () => {
    expect(shortOf(placeIn(long, [49], goneAt(100.5)))).toBe('read 75');
    expect(shortOf(placeIn(long, [49, 75], goneAt(100.5)))).toBe('read 62');
  });

  it.each([-1, 0.5, 1.5, 37.5, 149.5, 222.5, 297.5, 299.5])(
    'takes at most 3 + log2(pages) reads, rounded up, for createdAt %d',
    (createdAtMs) => {
      const { place, reads } = search(long, goneAt(createdAtMs));
      expect(place).toBe(Math.floor(createdAtMs));
      expect(reads.length).toBeLessThanOrEqual(3 + Math.ceil(Math.log2(100)));
    },
  );

  it('begins with the pages from the old index to that index plus the number of arrivals if the rows are ties', () => {
    const { reads } = search(tied, { ...goneAt(5), total: 285, index: 147 });
    expect(reads.slice(0, 6).sort()).toEqual([49, 50, 51, 52, 53, 54]);
  });

  it('makes the cursor expire if the ties fill more pages than may be read', () => {
    const { place, reads } = search(tied, { ...goneAt(5), total: 300 });
    expect(place).toBe('expired: tooFar');
    expect(reads).toHaveLength(2 + Math.ceil(Math.log2(101)));
  });

  it('is used instead of the place that implies the fewest changes if all named rows are gone, even if the seen rows have only seven values of createdAt', () => {
    const reads = [pageOf('n19 o18 p17 q16 r15 s14 t13', 0, 7)];
    const cursor = cursorOf('a9 b8 c7 d6 e5 f4 g3', 'c');
    expect(shortOf(placeOfLost(searchIn(reads, cursor, 1, 3)))).toBe(-1);
  });

  it('is used instead of the place that implies the fewest changes if the total has fallen by five', () => {
    const reads = [pageOf('y22 x21 a20 b19 c18 k10', 0, 7)];
    const cursor = cursorOf('a20 b19 c18 d17 e16 f15 g14 h13 i12 j11 k10', 'f', { names: 1 });
    expect(shortOf(placeOfLost(searchIn(reads, cursor, 1, 3)))).toBe(0);
  });
});

describe('the search for a place without createdAt', () => {
  const untimed = names.map((name) => `${name}-`).join(' ');
  const reads = [49, 50, 48, 51, 47, 52, 46, 53, 45];

  it('reads the pages nearest to the old place', () => {
    const { place, reads: asked } = search(untimed, { ...goneAt(5), createdAtMs: null });
    expect(asked).toEqual(reads);
    expect(place).toBe('expired: gone');
  });

  it('is the same if the rows seen are not in createdAt order', () => {
    const unsorted = names.map((name, k) => `${name}${(k * 7) % 300}`).join(' ');
    expect(search(unsorted, goneAt(5))).toEqual({ place: 'expired: gone', reads });
  });
});

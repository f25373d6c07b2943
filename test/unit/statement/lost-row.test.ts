// A cursor whose row and neighbours are gone: what is read to find the place by createdAt.
import { describe, expect, it } from 'vitest';
import type { Cursor } from '../../../src/statement/cursor.ts';
import { placeOfLost } from '../../../src/statement/lost-row.ts';
import { searchOf } from '../../../src/statement/search.ts';
import { cursorOf, latestOf, pageOf, shortOf } from './parts.ts';

/** 300 rows by three, each made at its distance: page k has those of 299 - 3k, 298 - 3k and 297 - 3k. */
const names = Array.from({ length: 300 }, (_, k) => String.fromCharCode(200 + k));
const long = names.map((name, k) => `${name}${299 - k}`).join(' ');
const tied = names.map((name) => `${name}5`).join(' ');

/** A cursor of a row that is gone, which stood at index 149; it names none that is left. */
const goneAt = (createdAtMs: number): Cursor => ({
  ...cursorOf(long, 149, { names: 0 }),
  ...{ key: 7, createdAtMs },
});

const placeIn = (statement: string, pages: readonly number[], cursor: Cursor) => {
  const snapshot = latestOf(...pages.map((page) => pageOf(statement, page)));
  return placeOfLost(searchOf(snapshot, cursor, 1, 3));
};

/** Reads on from page 49 until there is a place. */
function search(statement: string, cursor: Cursor) {
  const reads = [49];
  let place = placeIn(statement, reads, cursor);
  while (place.kind === 'read') {
    reads.push(...place.pages);
    place = placeIn(statement, reads, cursor);
  }
  return { place: shortOf(place), reads };
}

describe('a place by createdAt', () => {
  it('is looked for halfway between what is newer and what is older', () => {
    expect(shortOf(placeIn(long, [49], goneAt(100.5)))).toBe('read 75');
    expect(shortOf(placeIn(long, [49, 75], goneAt(100.5)))).toBe('read 62');
  });

  it.each([-1, 0.5, 1.5, 37.5, 149.5, 222.5, 297.5, 299.5])(
    'is found in at most 2 + log2(pages) reads and that of its page, wherever it has gone to: %d',
    (createdAtMs) => {
      const { place, reads } = search(long, goneAt(createdAtMs));
      expect(place).toBe(Math.floor(createdAtMs));
      expect(reads.length).toBeLessThanOrEqual(3 + Math.ceil(Math.log2(100)));
    },
  );

  it('is looked for among ties first where the row stands if only others came', () => {
    const { reads } = search(tied, { ...goneAt(5), total: 285, index: 147 });
    expect(reads.slice(0, 6).sort()).toEqual([49, 50, 51, 52, 53, 54]);
  });

  it('is given up among more pages of ties than halving would take', () => {
    const { place, reads } = search(tied, { ...goneAt(5), total: 300 });
    expect(place).toBe('expired: tooFar');
    expect(reads).toHaveLength(2 + Math.ceil(Math.log2(101)));
  });
});

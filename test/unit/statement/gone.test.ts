// A cursor whose row is not seen: what is read to find it, and where the walk goes on once it is gone.
import { describe, expect, it } from 'vitest';
import type { Cursor } from '../../../src/statement/cursor.ts';
import { narrowDown } from '../../../src/statement/gone.ts';
import { know } from '../../../src/statement/known.ts';
import { cursorOf, knownOf, pageOf, searchOf, shortOf } from './parts.ts';

const nine = 'a9 b8 c7 d6 e5 f4 g3 h2 i1';

const ahead = (cursor: Cursor, now: string, ...pages: number[]) =>
  shortOf(narrowDown(searchOf(knownOf(now, ...pages), cursor)));
const behind = (cursor: Cursor, now: string, ...pages: number[]) =>
  shortOf(narrowDown(searchOf(knownOf(now, ...pages), cursor, -1)));

/** 300 rows by three, each made at its distance: page k has those of 299 - 3k, 298 - 3k and 297 - 3k. */
const names = Array.from({ length: 300 }, (_, k) => String.fromCharCode(200 + k));
const long = names.map((name, k) => `${name}${299 - k}`).join(' ');
const pagesOfLong = (...pages: number[]) => know(pages.map((page) => pageOf(long, page)));

/** A cursor of a row that is gone, which stood at index 149. */
const goneAt = (createdAtMs: number): Cursor => ({ ...cursorOf(long, 149), key: 7, createdAtMs });

describe('where to look for a row', () => {
  it.each([
    ['where it ought to be', [0], 150.5, 'read 49'],
    ['beside what was seen there, as most rows move by little', [49], 148.5, 'read 50'],
    ['and likewise on the newer side', [49], 155.5, 'read 48'],
    ['once more beside it', [49, 50], 100.5, 'read 51'],
    ['then halfway between what is newer and what is older', [49, 50, 51], 100.5, 'read 76'],
    ['and halfway again', [49, 50, 51, 76], 100.5, 'read 64'],
  ])('%s', (_what, seen, createdAtMs, read) => {
    const search = searchOf(pagesOfLong(...seen), goneAt(createdAtMs));
    expect(shortOf(narrowDown(search))).toBe(read);
  });

  it.each([-1, 0.5, 1.5, 37.5, 149.5, 222.5, 297.5, 299.5])(
    'comes to the place in at most 2 + log2(pages) reads, wherever that has gone to: %d',
    (createdAtMs) => {
      const reads = [49];
      let place = narrowDown(searchOf(pagesOfLong(...reads), goneAt(createdAtMs)));
      while (place.kind === 'read') {
        reads.push(...place.pages);
        place = narrowDown(searchOf(pagesOfLong(...reads), goneAt(createdAtMs)));
      }
      expect(shortOf(place)).toBe(Math.floor(createdAtMs));
      expect(reads.length).toBeLessThanOrEqual(2 + Math.ceil(Math.log2(100)));
    },
  );

  it('gives up among more pages of ties than halving would take', () => {
    const tied = names.map((name) => `${name}5`).join(' ');
    const cursor = { ...cursorOf(tied, 149), key: 7 };
    const reads = [49];
    const next = () => narrowDown(searchOf(know(reads.map((n) => pageOf(tied, n))), cursor));
    let place = next();
    while (place.kind === 'read') {
      reads.push(...place.pages);
      place = next();
    }
    expect(place.kind).toBe('expired');
    expect(reads).toHaveLength(4 + Math.ceil(Math.log2(101)) + 1);
  });

  it('looks at the place alone where the order is not by createdAt', () => {
    const mixed = 'a1 b8 c7 d6 e5 f4 g3 h2 i9';
    const cursor = cursorOf('x5 b8 c7 d6 e5 f4 g3 h2 i1', 'e', { key: 7 });
    expect(ahead(cursor, mixed, 0, 2)).toBe('read 1');
    expect(ahead(cursor, mixed, 0, 1, 2)).toBe('expired');
  });
});

describe('the walk goes on where the row stood', () => {
  it.each([
    ['its row', 'a9 b8 c7 d6 f4 g3 h2 i1'],
    ['its row and its neighbours', 'a9 b8 c7 g3 h2 i1'],
    ['its row, while as many came', 'y11 z10 a9 b8 c7 d6 f4 g3 h2'],
    ['all that is newer', 'f4 g3 h2 i1'],
    ['all that is older', 'a9 b8 c7 d6'],
    ['everything', ''],
  ])('without %s', (_what, now) => {
    const older = now.split(' ').filter((word) => 'fghi'.includes(word[0] ?? '-')).length;
    expect(ahead(cursorOf(nine, 'e'), now, 0, 1, 2)).toBe(older - 1);
    expect(behind(cursorOf(nine, 'e'), now, 0, 1, 2)).toBe(older);
  });
});

describe('among ties, with the row gone, the walk', () => {
  const tied = 'a9 b5 c5 d5 e5 f5 g3 h2 i1';

  it.each([
    ['the row itself', 'a9 b5 c5 e5 f5 g3 h2 i1', 4],
    ['the row and the one before', 'a9 b5 e5 f5 g3 h2 i1', 4],
    ['the row and the one after', 'a9 b5 c5 f5 g3 h2 i1', 3],
    ['the row and both, while none came', 'a9 b5 f5 g3 h2 i1', 'expired'],
    ['the row and both, while one came', 'a9 b5 f5 x4 g3 h2 i1', 4],
    ['all of them', 'a9 g3 h2 i1', 2],
  ])('goes on without %s, else it has expired', (_what, now, outcome) => {
    expect(ahead(cursorOf(tied, 'd'), now, 0, 1, 2)).toBe(outcome);
  });

  it.each([
    ['the row itself', 'a9 b5 c5 e5 f5 g3 h2 i1', 5],
    ['the row and the one before', 'a9 b5 c5 f5 g3 h2 i1', 4],
    ['the row and the one after', 'a9 b5 e5 f5 g3 h2 i1', 5],
    ['the row and both', 'a9 b5 f5 g3 h2', 'expired'],
  ])('goes on without %s likewise from older to newer', (_what, now, outcome) => {
    expect(behind(cursorOf(tied, 'd', { from: 'older' }), now, 0, 1, 2)).toBe(outcome);
  });

  it('tells given ties from those to come by name, where their order has changed', () => {
    expect(ahead(cursorOf(tied, 'd'), 'a9 f5 c5 e5 b5 g3 h2 i1', 0, 1, 2)).toBe(4);
  });

  it('goes by its neighbours where the cursor does not list all ties', () => {
    const ties = { side: 'newer', complete: false, prints: [] } as const;
    const cursor = cursorOf(tied, 'd', { ties });
    expect(ahead(cursor, 'a9 b5 c5 e5 f5 g3 h2 i1', 0, 1, 2)).toBe(4);
    expect(ahead(cursor, 'a9 b5 e5 f5 g3 h2 i1', 0, 1, 2)).toBe(4);
    expect(ahead(cursor, 'a9 b5 f5 g3 h2 i1', 0, 1, 2)).toBe('expired');
  });

  it('is not misled by one that came after: its neighbour of another createdAt is still there', () => {
    expect(ahead(cursorOf(nine, 'a'), 'z9 b8 c7 d6 e5 f4 g3 h2 i1', 0, 1, 2)).toBe(8);
    expect(behind(cursorOf(nine, 'i', { from: 'older' }), 'a9 b8 c7 d6 e5 f4 g3 h2 z1', 2)).toBe(0);
  });
});

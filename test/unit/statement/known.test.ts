// Which pages of a call are believed, and what they then say.
import { describe, expect, it } from 'vitest';
import {
  answeredTotal,
  areSideBySide,
  distanceOf,
  isCovered,
  know,
  observed,
  pageOf as pageOfDistance,
  rowAt,
} from '../../../src/statement/known.ts';
import { rowKey } from '../../../src/upstream/row-key.ts';
import type { Sight } from '../../../src/statement/sight.ts';
import { knownOf, pageOf } from './parts.ts';

const eight = 'a8 b7 c6 d5 e4 f3 g2 h1';
const grown = `y10 z9 ${eight}`;

/** The pages that are believed, by their numbers and totals, the latest first. */
const kept = (...reads: Sight[]): string[] =>
  know(reads).sights.map(({ page, total }) => `${page}/${total}`);

describe('know', () => {
  it('believes pages of one state, and those between which rows arrived at the head', () => {
    expect(kept(pageOf(eight, 0), pageOf(eight, 1))).toEqual(['1/8', '0/8']);
    expect(kept(pageOf(eight, 0), pageOf(grown, 1))).toEqual(['1/10', '0/8']);
  });

  it('drops the older of two pages that contradict each other', () => {
    expect(kept(pageOf(eight, 0), pageOf('a8 b7 c6 d5 e4 x4 f3 g2 h1', 0))).toEqual(['0/9']);
  });

  it('drops the older of two pages that show one row at two places', () => {
    expect(kept(pageOf(eight, 0), pageOf('x9 a8 b7 c6 d5 e4 f3 g2', 1))).toEqual(['1/8']);
  });

  it('keeps pages that show one row at two places where it may have changed them with a tie', () => {
    const [before, after] = ['a8 b6 c6 d6 e5 f4', 'a8 d6 b6 c6 e5 f4'];
    expect(kept(pageOf(before, 0), pageOf(after, 1))).toEqual(['1/6', '0/6']);
  });

  it('drops pages from before a removal that it cannot place', () => {
    expect(kept(pageOf(eight, 0), pageOf('a8 b7 c6 d5 e4 f3 g2', 2))).toEqual(['2/7']);
  });

  it('keeps a page from before a removal that overlaps: the rows moved elsewhere', () => {
    const removed = 'b7 c6 d5 e4 f3 g2 h1';
    expect(kept(pageOf(eight, 1), pageOf(removed, 1))).toEqual(['1/7', '1/8']);
  });

  it('says that the page base is wrong where two page numbers are one page', () => {
    const again = { ...pageOf(eight, 0), page: 1, newest: 4 };
    expect(() => know([pageOf(eight, 0), again])).toThrow(/UPSTREAM_PAGE_BASE/);
  });

  it('takes the same row under two page sizes for what it is', () => {
    const seven = 'a7 b6 c5 d4 e3 f2 g1';
    expect(kept(pageOf(seven, 2), pageOf(seven, 1, 6))).toEqual(['1/7', '2/7']);
  });

  it('says whether any row was read more than once, at whatever place', () => {
    expect(knownOf(eight, 0, 1).repeats).toBe(false);
    expect(knownOf(eight, 0, 1, 0).repeats).toBe(true);
    expect(knownOf('a8 b7 c6 a5 d4', 0, 1).repeats).toBe(true);
    expect(knownOf('-8 -7 -6 -5', 0, 1).repeats).toBe(false);
  });

  it('counts by the latest page', () => {
    const known = know([pageOf(eight, 0), pageOf(grown, 1, 4)]);
    expect(known).toMatchObject({ total: 10, size: 4 });
  });
});

describe('what is known', () => {
  const known = know([pageOf(eight, 1), pageOf(grown, 1), pageOf(grown, 2)]);

  it('has a row at each distance that was seen, by the latest page', () => {
    const ids = [0, 1, 2, 3, 4, 5, 6, 7].map((distance) => rowAt(known, distance)?.row.id ?? null);
    expect(ids).toEqual([null, 'g', 'f', 'e', 'd', 'c', 'b', null]);
    expect([1, 6, 0, 7].map((distance) => isCovered(known, distance))).toEqual([
      ...[true, true],
      ...[false, false],
    ]);
  });

  it('finds a row by its key', () => {
    expect(distanceOf(known, rowKey('c'))).toBe(5);
    expect(distanceOf(known, rowKey('h'))).toBeUndefined();
  });

  it('tells on which page a distance is by now', () => {
    expect([9, 7, 6, 0].map((distance) => pageOfDistance(known, distance))).toEqual([0, 0, 1, 3]);
  });

  it('lists what was seen, the latest page first', () => {
    const ids = observed(known).map(({ row, distance }) => `${row.id ?? ''}${distance}`);
    expect(ids.toArray().join(' ')).toBe('e3 f2 g1 b6 c5 d4 d4 e3 f2');
  });

  it('is of the state of its first page for a slice that reaches it, else of the latest', () => {
    expect(answeredTotal(known, 9)).toBe(10);
    expect(answeredTotal(know([pageOf(eight, 0), pageOf(grown, 1)]), 4)).toBe(10);
    expect(answeredTotal(know([pageOf(eight, 0), pageOf(grown, 1)]), 7)).toBe(8);
    expect(answeredTotal(know([pageOf(grown, 1), pageOf(eight, 0)]), 7)).toBe(8);
  });
});

describe('areSideBySide', () => {
  it('is so on one page, and on two pages of one state', () => {
    expect(areSideBySide(knownOf(eight, 0), 7, 6)).toBe(true);
    expect(areSideBySide(knownOf(eight, 0, 1), 5, 4)).toBe(true);
  });

  it('is not so on two pages of different states: a row may have come or gone between', () => {
    const known = know([pageOf(eight, 0), pageOf(grown, 2)]);
    expect(areSideBySide(known, 5, 3)).toBe(false);
  });

  it('is not so after the total went up and down again', () => {
    const reads = [pageOf(eight, 0), pageOf(`z9 ${eight}`, 2), pageOf(eight, 1)];
    const known = know(reads);
    expect(areSideBySide(known, 5, 4)).toBe(false);
  });
});

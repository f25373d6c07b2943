// One page in distances from the oldest row, and when two pages can both be believed.
import { describe, expect, it } from 'vitest';
import { NO_KEY, rowKey } from '../../../src/upstream/row-key.ts';
import {
  areSamePage,
  covers,
  createSight,
  findKey,
  fitTogether,
  isWhole,
} from '../../../src/statement/sight.ts';
import { pageOf, rowsOf } from './parts.ts';

const eight = 'a8 b7 c6 d5 e4 f3 g2 h1';

describe('a page', () => {
  it.each([
    [0, [7, 6, 5]],
    [1, [4, 3, 2]],
    [2, [1, 0]],
    [3, []],
  ])('%i of eight rows by three covers the distances %j', (page, distances) => {
    const sight = pageOf(eight, page);
    const covered = [-1, 0, 1, 2, 3, 4, 5, 6, 7, 8].filter((distance) => covers(sight, distance));
    expect(covered.reverse()).toEqual(distances);
  });

  it('knows its rows by id, in any spelling, and nothing by no id', () => {
    const sight = pageOf('a8 b7 -6', 0);
    expect(findKey(sight, rowKey('B'))).toBe(1);
    expect(findKey(sight, rowKey('x'))).toBeUndefined();
    expect(findKey(sight, NO_KEY)).toBeUndefined();
  });

  it.each([
    [0, 3, true],
    [0, 2, false],
    [0, 4, false],
    [1, 2, true],
    [1, 3, false],
    [2, 0, true],
    [2, 1, false],
  ])('%i of five rows by three with %i rows: whole is %s', (page, length, whole) => {
    const rows = rowsOf('a5 b4 c3 d2').slice(0, length);
    expect(isWhole(createSight(page, { totalItems: 5, itemsPerPage: 3, rows }))).toBe(whole);
  });
});

describe('areSamePage', () => {
  const rows = rowsOf('a5 b4');
  const of = (page: number, size = 2, totalItems = 9, with_ = rows) =>
    createSight(page, { totalItems, itemsPerPage: size, rows: with_ });

  it.each([
    ['the same rows under two numbers', of(0), of(1), true],
    ['a page read twice', of(1), of(1), false],
    ['other rows', of(0), of(1, 2, 9, rowsOf('a5 c3')), false],
    ['as many rows less one', of(0), of(1, 2, 9, rowsOf('a5')), false],
    ['another total: they have moved', of(0), of(1, 2, 11), false],
    ['one place under two page sizes', of(1, 4), of(2, 2), false],
    ['nothing', of(0, 2, 9, []), of(1, 2, 9, []), false],
    ['rows without ids', of(0, 2, 9, rowsOf('-5 -4')), of(1, 2, 9, rowsOf('-5 -4')), false],
  ])('for %s', (_what, one, other, same) => {
    expect(areSamePage(one, other)).toBe(same);
  });
});

describe('fitTogether', () => {
  /** Rows of which some were read twice; whether they share their createdAt with others is said. */
  const rowsThat = (areTied: boolean) => ({ repeats: true, isTied: () => areTied });
  const untied = rowsThat(false);

  it.each([
    ['pages of one statement', pageOf(eight, 0), pageOf(eight, 1)],
    ['a page read twice', pageOf(eight, 1), pageOf(eight, 1)],
    ['pages between which rows arrived', pageOf(eight, 0), pageOf(`y10 z9 ${eight}`, 1)],
    ['pages that do not overlap', pageOf(eight, 2), pageOf(`z9 ${eight}`, 0)],
    ['an id that was spoiled in one', pageOf(eight, 0), pageOf('a8 -7 c6 d5 e4 f3 g2 h1', 0)],
  ])('%s do', (_what, older, newer) => {
    expect(fitTogether(older, newer, true, untied)).toBe(true);
  });

  it.each([
    ['a row stands in two places', pageOf(eight, 0), pageOf('a8 c6 d5 e4 f3 g2 h1 i0', 0)],
    ['two rows stand in one place', pageOf('a8 b7 c5', 0), pageOf('a8 x6 c5', 0)],
    ['an older row was removed', pageOf(eight, 0), pageOf('a8 b7 c6 d5 e4 f3 h1', 0)],
  ])('pages do not where %s', (_what, older, newer) => {
    expect(fitTogether(older, newer, true, untied)).toBe(false);
  });

  it('takes ties that changed places for the same', () => {
    const [older, newer] = [pageOf('a8 b7 c7 d7', 0, 4), pageOf('a8 d7 b7 c7', 0, 4)];
    expect(fitTogether(older, newer, true, rowsThat(true))).toBe(true);
    expect(fitTogether(older, newer, true, untied)).toBe(false);
  });

  it('takes rows without createdAt for no ties', () => {
    const [older, newer] = [pageOf('a- b-', 0), pageOf('x- b-', 0)];
    expect(fitTogether(older, newer, true, untied)).toBe(false);
  });

  it('needs an overlap once the total has fallen, as nothing else tells how far rows moved', () => {
    const shrunk = 'a8 b7 c6 d5 e4 f3 g2';
    expect(fitTogether(pageOf(eight, 2), pageOf(shrunk, 0), false, untied)).toBe(false);
    const [older, newer] = [pageOf('z9 a8 b7', 0), pageOf('a8 b7', 0)];
    expect(fitTogether(older, newer, false, untied)).toBe(true);
  });
});

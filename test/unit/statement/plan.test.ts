// What a slice still needs, given what was read: pages, or nothing more.
import { describe, expect, it } from 'vitest';
import { planSlice, type PlannedSlice, type Wanted } from '../../../src/statement/plan.ts';
import type { PageView } from '../../../src/statement/page-view.ts';
import { cursorOf, pageOf } from './parts.ts';

const nine = 'a9 b8 c7 d6 e5 f4 g3 h2 i1';

const first = (count: number, changes: Partial<Wanted> = {}): Wanted => ({
  ...{ direction: 1, count, cursor: null, totalOnly: false },
  ...changes,
});
const last = (count: number, changes: Partial<Wanted> = {}): Wanted =>
  first(count, { direction: -1, ...changes });
const after = (id: string, count: number): Wanted => first(count, { cursor: cursorOf(nine, id) });
const before = (id: string, count: number): Wanted => last(count, { cursor: cursorOf(nine, id) });

/** The next step in short: pages to read, the rows of the slice in the direction of the walk, or its kind. */
function shortOf(wanted: Wanted, ...reads: PageView[]): string {
  const step = planSlice(wanted, reads);
  if (step.kind === 'read') return `read ${step.pages.join()}`;
  return step.kind === 'slice' ? step.slice.rows.map(({ row }) => row.id).join('') : step.kind;
}

function sliceOf(wanted: Wanted, ...reads: PageView[]): PlannedSlice {
  const step = planSlice(wanted, reads);
  expect(step.kind).toBe('slice');
  return (step as { slice: PlannedSlice }).slice;
}

describe('the first page that is read', () => {
  it.each([
    ['the head, from the newest row', first(3), 0],
    ['the head too, from the oldest row, as it tells how long the statement is', last(3), 0],
    ['that of the row after the cursor', after('d', 3), 1],
    ['the next one, where the cursor is the last of its page', after('c', 3), 1],
    ['its own, where nothing follows', after('i', 3), 2],
    ['that of the row before the cursor', before('e', 3), 1],
    ['the one before, where the cursor is the first of its page', before('d', 3), 0],
    ['the head, where nothing is newer', before('a', 3), 0],
  ])('is %s', (_what, wanted, page) => {
    expect(shortOf(wanted)).toBe(`read ${page}`);
  });

  it('is counted by the page size that the cursor was issued under', () => {
    const cursor = cursorOf(nine, 'h', { size: 2 });
    expect(shortOf(first(3, { cursor }))).toBe('read 4');
  });
});

describe('on a still statement', () => {
  it.each([
    ['the first three', first(3), [0], 'abc'],
    ['the first five', first(5), [0], 'read 1'],
    ['all nine: what is missing is read at the same time', first(9), [0], 'read 1,2'],
    ['all nine, by then', first(20), [0, 2, 1], 'abcdefghi'],
    ['the last two', last(2), [0], 'read 2'],
    ['the last two, by then', last(2), [0, 2], 'ih'],
    ['the last five', last(5), [0], 'read 2,1'],
    ['none', first(0), [0], ''],
    ['three beside the page that was read', after('c', 3), [1], 'def'],
    ['three within two pages', after('d', 3), [1], 'read 2'],
    ['three within two pages, by then', after('d', 3), [1, 2], 'efg'],
    ['none after the oldest', after('i', 3), [2], ''],
    ['three towards the newest', before('d', 3), [0], 'cba'],
    ['none before the newest', before('a', 3), [0], ''],
  ])('%s', (_what, wanted, pages, outcome) => {
    expect(shortOf(wanted, ...pages.map((page) => pageOf(nine, page)))).toBe(outcome);
  });

  it('one page tells the total, wherever the slice lies', () => {
    const wanted = first(3, { cursor: cursorOf(nine, 'd'), totalOnly: true });
    expect(sliceOf(wanted, pageOf(nine, 1))).toMatchObject({ rows: [], total: 9 });
  });
});

describe('what a slice says of its surroundings', () => {
  it.each([
    ['the head', first(3), [0], { hasMore: true, hasBehind: false }],
    ['nothing of the head', first(0), [0], { hasMore: true, hasBehind: false }],
    ['the middle', after('c', 3), [1], { hasMore: true, hasBehind: true }],
    ['the end', after('f', 3), [2], { hasMore: false, hasBehind: true }],
    ['beyond the end', after('i', 3), [2], { hasMore: false, hasBehind: true }],
    ['all', first(9), [0, 1, 2], { hasMore: false, hasBehind: false }],
    ['the oldest', last(2), [0, 2], { hasMore: true, hasBehind: false }],
    ['the newest', before('d', 3), [0], { hasMore: false, hasBehind: true }],
  ])('%s', (_what, wanted, pages, flags) => {
    expect(sliceOf(wanted, ...pages.map((page) => pageOf(nine, page)))).toMatchObject(flags);
  });
});

describe('if rows arrive between two reads', () => {
  const grown = `z10 ${nine}`;

  it('one answer is one state: that of the first page, in which the older rows stand as well', () => {
    const slice = sliceOf(first(5), pageOf(nine, 0), pageOf(grown, 1));
    expect(slice.rows.map(({ row }) => row.id).join('')).toBe('abcde');
    expect(slice).toMatchObject({ total: 9, hasBehind: false, hasMore: true });
  });

  it('the missing rows are read where they stand now', () => {
    const later = `x12 y11 ${grown}`;
    expect(shortOf(first(5), pageOf(nine, 0), pageOf(later, 1))).toBe('read 2');
    expect(shortOf(first(5), pageOf(nine, 0), pageOf(later, 1), pageOf(later, 2))).toBe('abcde');
  });

  it('nothing newer than the head as it was is owed to a walk towards it', () => {
    const slice = sliceOf(last(9), pageOf(nine, 0), ...[3, 2, 1].map((n) => pageOf(grown, n)));
    expect(slice.rows.map(({ row }) => row.id).join('')).toBe('ihgfedcba');
    expect(slice).toMatchObject({ total: 9, hasMore: false });
  });

  it('a row that posts late makes more to come, not less', () => {
    const late = 'a9 b8 c7 x7 y7 d6 e5 f4 g3 h2 i1';
    const reads = [pageOf(nine, 2), pageOf(nine, 1), pageOf(late, 1), pageOf(late, 0)];
    const slice = sliceOf(last(9, { cursor: cursorOf(nine, 'h') }), ...reads);
    expect(slice.rows.map(({ row }) => row.id).join('')).toBe('gfedyxcba');
    expect(slice).toMatchObject({ total: 11, hasMore: false });
  });
});

describe('if older rows go between two reads', () => {
  it('the page at the edge is read again, and those before it stand', () => {
    const fewer = 'a9 b8 c7 d6 e5 f4 g3 h2';
    const reads = [pageOf(nine, 0), pageOf(nine, 1), pageOf(fewer, 2)];
    expect(shortOf(first(8), ...reads)).toBe('read 1');
    const slice = sliceOf(first(8), ...reads, pageOf(fewer, 1));
    expect(slice.rows.map(({ row }) => row.id).join('')).toBe('abcdefgh');
    expect(slice).toMatchObject({ total: 8, hasMore: false });
  });
});

describe('ties that changed places between two reads of one state', () => {
  it('are read again if one of them stands at two places, which hides another', () => {
    const pair = 'a9 b8 c7 d7 e6 f5 g4 h3 i2';
    const other = 'a9 b8 d7 c7 e6 f5 g4 h3 i2';
    const reads = [pageOf(pair, 0), pageOf(other, 1)];
    expect(shortOf(first(5), ...reads)).toBe('read 0');
    expect(shortOf(first(5), ...reads, pageOf(other, 0))).toBe('abdce');
  });
});

describe('pages that never fit', () => {
  /** Nine rows and more, none of which was there before. */
  const another = (n: number) =>
    Array.from({ length: 9 + n }, (_, k) => `${String.fromCharCode(300 + 40 * n + k)}9`).join(' ');
  const reads = Array.from({ length: 60 }, (_, n) => pageOf(another(n), 0));

  it('end in a misfit from the start, and in an expired cursor from one', () => {
    expect(shortOf(last(6), ...reads)).toBe('misfit');
    expect(shortOf(first(6, { cursor: cursorOf(another(59), 1) }), ...reads)).toBe('expired');
  });
});

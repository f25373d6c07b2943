// The plan of a slice: the pages to read next, or the rows of the slice and the flags for its pageInfo.
import { describe, expect, it } from 'vitest';
import { planSlice, type PlannedSlice, type Wanted } from '../../../src/statement/plan.ts';
import type { PageView } from '../../../src/statement/page-view.ts';
import { cursorOf, pageOf } from './parts.ts';
import { rowId } from '../../support/statement-model.ts';

const nine = 'a9 b8 c7 d6 e5 f4 g3 h2 i1';

const first = (count: number, changes: Partial<Wanted> = {}): Wanted => ({
  ...{ direction: 1, count, cursor: null, totalOnly: false },
  ...changes,
});
const last = (count: number, changes: Partial<Wanted> = {}): Wanted =>
  first(count, { direction: -1, ...changes });
const after = (id: string, count: number): Wanted => first(count, { cursor: cursorOf(nine, id) });
const before = (id: string, count: number): Wanted => last(count, { cursor: cursorOf(nine, id) });

/**
 * The next step in short form: the pages to read, the rows of the slice in the direction of the walk, or the kind of
 * the step.
 */
function shortOf(wanted: Wanted, ...reads: PageView[]): string {
  const step = planSlice(wanted, reads);
  if (step.kind === 'read') return `read ${step.pages.join()}`;
  return step.kind === 'slice' ? step.slice.rows.map(({ row }) => rowId(row)).join('') : step.kind;
}

function sliceOf(wanted: Wanted, ...reads: PageView[]): PlannedSlice {
  const step = planSlice(wanted, reads);
  expect(step.kind).toBe('slice');
  return (step as { slice: PlannedSlice }).slice;
}

describe('the first page to read', () => {
  it.each([
    ['the head for a walk from the newest row', first(3), 0],
    ['the head for a walk from the oldest row, because it has the total', last(3), 0],
    ['the page of the row after the cursor', after('d', 3), 1],
    ['the next page if the cursor is the last row of its page', after('c', 3), 1],
    ['the page of the cursor if no row follows', after('i', 3), 2],
    ['the page of the row before the cursor', before('e', 3), 1],
    ['the previous page if the cursor is the first row of its page', before('d', 3), 0],
    ['the head if no row is newer', before('a', 3), 0],
  ])('is %s', (_what, wanted, page) => {
    expect(shortOf(wanted)).toBe(`read ${page}`);
  });

  it('is computed with the page size at which the cursor was issued', () => {
    const cursor = cursorOf(nine, 'h', { size: 2 });
    expect(shortOf(first(3, { cursor }))).toBe('read 4');
  });
});

describe('rows that are not in createdAt order', () => {
  const tied = 'a9 b5 c5 d5 e5 f5 g3 h2 i1';
  const moved = 'a9 e5 b5 c5 d5 f5 g3 h2 i8';
  const pages = [0, 1, 2].map((page) => pageOf(moved, page));

  it('are returned without createdAt, so their cursors omit it', () => {
    for (const wanted of [first(2), last(2)]) {
      const { rows } = sliceOf(wanted, ...pages);
      expect(rows.map(({ row }) => row.createdAtMs)).toEqual([null, null]);
    }
  });

  it('show no new order of ties, because such a service does not reorder them', () => {
    expect(shortOf(first(3, { cursor: cursorOf(tied, 'd') }), ...pages)).toBe('fgh');
  });

  it('belong to another state if one of them is at two places, although all have one createdAt', () => {
    const cursor = cursorOf('a5 b5 c5 d5', 'd', { createdAtMs: null });
    const reads = [pageOf('e5 a5 b5 c5 d5 z5', 0), pageOf('y5 e5 a5 b5 c5 d5', 1)];
    expect(shortOf(last(3, { cursor }), ...reads)).toBe('read 0');
  });
});

describe('a slice of an unchanged statement', () => {
  it.each([
    ['no other page for the first three rows', first(3), [0], 'abc'],
    ['the next page for the first five rows', first(5), [0], 'read 1'],
    ['the missing pages together for all nine rows', first(9), [0], 'read 1,2'],
    ['no other page for all nine rows once all pages are read', first(20), [0, 2, 1], 'abcdefghi'],
    ['the last page for the last two rows', last(2), [0], 'read 2'],
    ['no other page for the last two rows once the last page is read', last(2), [0, 2], 'ih'],
    ['the last two pages for the last five rows', last(5), [0], 'read 2,1'],
    ['no other page for no rows', first(0), [0], ''],
    ['no other page for the three rows of the page that was read', after('c', 3), [1], 'def'],
    ['the second page for three rows on two pages', after('d', 3), [1], 'read 2'],
    [
      'no other page for three rows on two pages once both pages are read',
      after('d', 3),
      [1, 2],
      'efg',
    ],
    ['no other page after the oldest row', after('i', 3), [2], ''],
    ['no other page for the three newest rows', before('d', 3), [0], 'cba'],
    ['no other page before the newest row', before('a', 3), [0], ''],
  ])('needs %s', (_what, wanted, pages, outcome) => {
    expect(shortOf(wanted, ...pages.map((page) => pageOf(nine, page)))).toBe(outcome);
  });

  it('needs only the first page for the total, even after a cursor', () => {
    const wanted = first(3, { cursor: cursorOf(nine, 'g'), totalOnly: true });
    expect(shortOf(wanted)).toBe('read 0');
    expect(sliceOf(wanted, pageOf(nine, 1))).toMatchObject({ rows: [], snapshot: { total: 9 } });
  });
});

describe('hasMore and hasBehind', () => {
  it.each([
    ['at the head', first(3), [0], { hasMore: true, hasBehind: false }],
    ['of no rows at the head', first(0), [0], { hasMore: true, hasBehind: false }],
    ['in the middle', after('c', 3), [1], { hasMore: true, hasBehind: true }],
    ['at the end', after('f', 3), [2], { hasMore: false, hasBehind: true }],
    ['beyond the end', after('i', 3), [2], { hasMore: false, hasBehind: true }],
    ['of all rows', first(9), [0, 1, 2], { hasMore: false, hasBehind: false }],
    ['of the oldest rows', last(2), [0, 2], { hasMore: true, hasBehind: false }],
    ['of the newest rows', before('d', 3), [0], { hasMore: false, hasBehind: true }],
  ])('are correct for a slice %s', (_what, wanted, pages, flags) => {
    expect(sliceOf(wanted, ...pages.map((page) => pageOf(nine, page)))).toMatchObject(flags);
  });
});

describe('a slice with arrivals between its reads', () => {
  const grown = `z10 ${nine}`;

  it('shows the state of its first page, even if its older rows come from a later read', () => {
    const slice = sliceOf(first(5), pageOf(nine, 0), pageOf(grown, 1));
    expect(slice.rows.map(({ row }) => rowId(row)).join('')).toBe('abcde');
    expect(slice).toMatchObject({ snapshot: { total: 9 }, hasBehind: false, hasMore: true });
  });

  it('reads missing rows at their new place', () => {
    const later = `x12 y11 ${grown}`;
    expect(shortOf(first(5), pageOf(nine, 0), pageOf(later, 1))).toBe('read 2');
    expect(shortOf(first(5), pageOf(nine, 0), pageOf(later, 1), pageOf(later, 2))).toBe('abcde');
  });

  it('ends a walk to newer rows at the head of its first read', () => {
    const slice = sliceOf(last(9), pageOf(nine, 0), ...[3, 2, 1].map((n) => pageOf(grown, n)));
    expect(slice.rows.map(({ row }) => rowId(row)).join('')).toBe('ihgfedcba');
    expect(slice).toMatchObject({ snapshot: { total: 9 }, hasMore: false });
  });

  it('includes late postings on a walk to newer rows', () => {
    const late = 'a9 b8 c7 x7 y7 d6 e5 f4 g3 h2 i1';
    const reads = [pageOf(nine, 2), pageOf(nine, 1), pageOf(late, 1), pageOf(late, 0)];
    const slice = sliceOf(last(9, { cursor: cursorOf(nine, 'h') }), ...reads);
    expect(slice.rows.map(({ row }) => rowId(row)).join('')).toBe('gfedyxcba');
    expect(slice).toMatchObject({ snapshot: { total: 11 }, hasMore: false });
  });
});

describe('a slice with removals of older rows between its reads', () => {
  it('reads again the last page that was read in the earlier state, and keeps the pages before that page', () => {
    const fewer = 'a9 b8 c7 d6 e5 f4 g3 h2';
    const reads = [pageOf(nine, 0), pageOf(nine, 1), pageOf(fewer, 2)];
    expect(shortOf(first(8), ...reads)).toBe('read 1');
    const slice = sliceOf(first(8), ...reads, pageOf(fewer, 1));
    expect(slice.rows.map(({ row }) => rowId(row)).join('')).toBe('abcdefgh');
    expect(slice).toMatchObject({ snapshot: { total: 8 }, hasMore: false });
  });
});

describe('ties that changed places between two reads of one state', () => {
  it('are read again if one of them was seen at two places, because another is then missing', () => {
    const pair = 'a9 b8 c7 d7 e6 f5 g4 h3 i2';
    const other = 'a9 b8 d7 c7 e6 f5 g4 h3 i2';
    const reads = [pageOf(pair, 0), pageOf(other, 1)];
    expect(shortOf(first(5), ...reads)).toBe('read 0');
    expect(shortOf(first(5), ...reads, pageOf(other, 0))).toBe('abdce');
  });
});

it('an empty slice before the oldest row states that no row is older, even if that row has been removed', () => {
  const wanted = last(0, { cursor: cursorOf('s3 r2 q1', 'q') });
  expect(sliceOf(wanted, pageOf('s3 r2', 0))).toMatchObject({ hasBehind: false, hasMore: true });
});

describe('two transactions with one id', () => {
  it('are a misfit at once if they have the same createdAt and are on one page of the slice', () => {
    const legs = 'a9 b8 b8 c7 d6';
    expect(shortOf(first(2), pageOf(legs, 0))).toBe('ab');
    expect(shortOf(first(3), pageOf(legs, 0))).toBe('misfit');
  });

  it('do not lead a cursor of one of them to the other', () => {
    const legs = 'a9 b8 c7 b6';
    const wanted = last(1, { cursor: cursorOf(legs, 3) });
    expect(shortOf(wanted, pageOf(legs, 0, 20))).toBe('c');
  });
});

describe('pages that contradict each other at every read', () => {
  /** A statement of 9 + n rows. The first pages for different n share no row. */
  const another = (n: number) =>
    Array.from({ length: 9 + n }, (_, k) => `${String.fromCharCode(300 + 40 * n + k)}9`).join(' ');
  const reads = Array.from({ length: 60 }, (_, n) => pageOf(another(n), 0));

  it('cause the step "expired" if the slice has a cursor, and "misfit" otherwise', () => {
    expect(shortOf(last(6), ...reads)).toBe('misfit');
    expect(shortOf(first(6, { cursor: cursorOf(another(59), 1) }), ...reads)).toBe('expired');
  });
});

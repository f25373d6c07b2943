// The states that an operation has read: the reads that belong to each state, and the rows of other states that are
// still valid in that state.
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/sandbox/random.ts';
import { createPageView, type PageView } from '../../../src/statement/page-view.ts';
import { rowAt, type Snapshot } from '../../../src/statement/snapshot.ts';
import { States } from '../../../src/statement/states.ts';
import { pageOf } from './parts.ts';
import { rowId, rowOf } from '../../support/statement-model.ts';

const nine = 'a9 b8 c7 d6 e5 f4 g3 h2 i1';

/** The ids of the rows of a state, newest first, with `.` for each unknown row. */
function textOf(snapshot: Snapshot): string {
  const distances = Array.from({ length: snapshot.total }, (_, k) => snapshot.total - 1 - k);
  const seen = distances.map((distance) => rowAt(snapshot, distance));
  return seen.map((one) => (one === undefined ? '.' : (rowId(one.row) ?? '.'))).join('');
}

const statesOf = (...reads: PageView[]) => new States().of(reads).map(textOf);

describe('reads with the same total', () => {
  it('belong to one state if the reads do not contradict each other', () => {
    expect(statesOf(pageOf(nine, 0), pageOf(nine, 2))).toEqual(['abc...ghi']);
  });

  it('belong to two states if a row was seen at two places', () => {
    const now = 'z10 a9 b8 c7 d6 e5 f4 g3 h2';
    expect(statesOf(pageOf(nine, 0), pageOf(now, 1))).toEqual(['...cde...', 'abc......']);
  });

  it('belong to one state if only ties changed places', () => {
    const tied = 'a9 b5 c5 d5 e5 f4';
    expect(statesOf(pageOf(tied, 0), pageOf('a9 b5 d5 c5 e5 f4', 1))).toEqual(['abccef']);
  });

  it('cause a violation if two page numbers return the same page', () => {
    const twice = { ...pageOf(nine, 0), page: 1, newest: 5 };
    expect(() => new States().of([pageOf(nine, 0), twice])).toThrow('UPSTREAM_PAGE_BASE');
  });
});

describe('two pages of one row each', () => {
  it('belong to two states if a row has moved from one page to the other', () => {
    expect(statesOf(pageOf('a9 b8 c7', 0, 1), pageOf('z10 a9 b8', 1, 1))).toEqual(['.a.', 'a..']);
    expect(statesOf(pageOf('a9 b9', 0, 1), pageOf('b9 a9', 1, 1))).toEqual(['.a', 'a.']);
  });
});

describe('rows that were read with another total', () => {
  it('belong to the states before and after arrivals if they follow a row with an unchanged distance from the oldest row', () => {
    const grown = `y11 z10 ${nine}`;
    expect(statesOf(pageOf(nine, 1), pageOf(grown, 1))).toEqual(['...bcdef...', '...def...']);
    expect(statesOf(pageOf(grown, 1), pageOf(`x12 ${grown}`, 2))).toEqual([
      '......def...',
      '...bcdef...',
    ]);
  });

  it('belong to a state after removals of older rows if they precede a row with an unchanged index', () => {
    const fewer = 'a9 b8 c7 d6 e5 f4 g3 i1';
    expect(statesOf(pageOf(nine, 0), pageOf(nine, 1), pageOf(fewer, 1))).toEqual([
      'abcdef..',
      'abcdef...',
    ]);
  });

  it('belong to the state with more rows if other rows were seen at all places but one', () => {
    const fewer = 'a9 b8 c7 d6 e5 f4 h2 i1';
    const [newest, oldest] = [pageOf(fewer, 0), pageOf(fewer, 2)];
    const [middle, end] = [pageOf(nine, 1), pageOf(nine, 2)];
    expect(statesOf(middle, end, newest, oldest)).toEqual(['abc...hi', 'abcdefghi']);
    expect(statesOf(newest, oldest, middle, end)).toEqual(['abcdefghi', 'abc...hi']);
    // Two places are left for "c".
    expect(statesOf(end, newest, oldest)).toEqual(['abc...hi', '......ghi']);
    // No row was seen in both states.
    expect(statesOf(middle, newest)).toEqual(['abc.....', '...def...']);
  });

  it.each([
    [50, 'bc'],
    [51, '..'],
  ])(
    'belong to the state with more rows if they have moved by at most 50 places: %d',
    (most, end) => {
      const others = Array.from({ length: most }, (_, k) => String.fromCharCode(0x100 + k));
      const more = `a99 ${others.map((id, k) => `${id}${98 - k}`).join(' ')} b2 c1`;
      const reads = [pageOf('a99 b2 c1', 0, most + 1), pageOf(more, 0, most + 1)];
      expect(statesOf(...reads)[0]).toBe(`a${others.join('')}${end}`);
    },
  );

  it('belong to a state if they have the same place in the previous and in the next state', () => {
    const [fewer, fewest] = ['a9 b8 c7 d6 e5 f4 g3 h2', 'a9 b8 c7 d6 e5 f4 g3'];
    const [, middle] = statesOf(pageOf(nine, 0), pageOf(fewer, 1), pageOf(fewest, 0));
    expect(middle).toBe('abcdef..');
  });

  it('belong to a state if they are between two rows that have moved by the same number of places', () => {
    const fewer = 'b8 c7 d6 e5 f4 h2 i1';
    const ends = [pageOf(fewer, 0, 2), pageOf(fewer, 2, 2)];
    expect(statesOf(pageOf(nine, 0, 6), ...ends)[0]).toBe('bcdefh.');
  });

  it('belong to a state if they are known to have been in the state before it', () => {
    const [fewer, fewest] = ['a9 b8 c7 d6 e5 f4 g3 h2', 'b8 c7 d6 e5 f4 g3 h2'];
    const before = [0, 1, 2].map((page) => pageOf(nine, page));
    const reads = [...before, pageOf(fewer, 2), pageOf(fewest, 0)];
    expect(statesOf(...reads)[0]).toBe('bcdefgh');
  });

  it('belong to a state if only a later state shows that they are in the states between', () => {
    const reads = [pageOf(nine, 0), pageOf(`z10 ${nine}`, 2), pageOf(`y11 z10 ${nine}`, 1)];
    expect(statesOf(...reads)).toEqual(['...bcd.fgh.', '..bcd.fgh.', 'abcd.fgh.']);
  });

  it('may have no ids', () => {
    const rows = 'a9 -8 c7 -6 e5 -4';
    expect(statesOf(pageOf(rows, 0), pageOf(`z10 ${rows}`, 0))).toEqual(['za.c...', 'a.c...']);
  });

  it('belong to a state only if the two reads share a row', () => {
    expect(statesOf(pageOf(nine, 0), pageOf(`z10 ${nine}`, 2))).toEqual([
      '......fgh.',
      'abc......',
    ]);
  });

  it('do not belong to a state if rows arrived on one side of a row and were removed on the other', () => {
    const moved = 'z10 a9 b8 c7 d6 f4 g3';
    expect(statesOf(pageOf(nine, 0), pageOf(moved, 0))).toEqual(['zab....', 'abc......']);
  });
});

describe('the shift of an earlier state', () => {
  it('is the number of rows that have arrived since', () => {
    const grown = `x12 y11 z10 ${nine}`;
    const [, earlier] = new States().of([pageOf(nine, 0), pageOf(grown, 1)]);
    expect(earlier?.movedBy).toBe(3);
  });
});

it('the time for each step is limited, even if ties change their order and rows arrive at each read', () => {
  const random = createRandom('ties');
  const reads = Array.from({ length: 11 }, (_, k) => {
    const rows = Array.from({ length: 160 + k }, (_row, nth) => {
      // Groups of 24 ties; the rows that arrived are newer.
      const createdAtMs = nth < 160 ? Math.floor(nth / 24) : 1000 + nth;
      return { row: rowOf({ id: `row ${nth}`, createdAtMs }), createdAtMs, order: random.next() };
    }).sort((one, other) => other.createdAtMs - one.createdAtMs || one.order - other.order);
    const page = random.integer(0, 7);
    const shown = rows.slice(page * 20, (page + 1) * 20).map(({ row }) => row);
    return createPageView(page, { totalItems: rows.length, itemsPerPage: 20, rows: shown }, k);
  });
  const states = new States();
  const steps = reads.map((_, k) => states.of(reads.slice(0, k + 1)));
  const parts = steps.map((step) => step.map(({ pages, own }) => pages.length - own.length));
  // The largest state has 153 parts. It would have 1,067 if the number of compared parts were not limited to 500.
  expect(Math.max(...parts.flat())).toBeLessThan(300);
});

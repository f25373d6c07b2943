// The slice for planned rows: the order of its edges, the content of each cursor, and pageInfo.
import { describe, expect, it } from 'vitest';
import { decodeCursor, MAX_AHEAD, MAX_BEHIND, type Cursor } from '../../../src/statement/cursor.ts';
import type { PlannedSlice, Wanted } from '../../../src/statement/plan.ts';
import { NO_KEY } from '../../../src/upstream/shape/shapes.ts';
import { hashOf } from '../../../src/json/text-hash.ts';
import { Slice } from '../../../src/statement/slice.ts';
import type { SeenRow } from '../../../src/statement/sheet.ts';
import { cursorOf, fingerprint, pageOf, rowsOf, sheetOf } from './parts.ts';
import { rowId } from '../../support/statement-model.ts';

const nine = 'a9 b8 c7 d6 e5 f4 g3 h2 i1';
const scope = 'scope';

const first: Wanted = { direction: 1, count: 3, cursor: null, totalOnly: false };
const last: Wanted = { ...first, direction: -1 };

/** A plan with the rows from one index to another. `seen` is the number of known rows on either side of these rows. */
function planned(
  statement: string,
  from: number,
  to: number,
  { seen = 0, ...changes }: Partial<PlannedSlice> & { readonly seen?: number } = {},
) {
  const all = rowsOf(statement).map((row, index, { length }): SeenRow => ({
    row,
    distance: length - 1 - index,
  }));
  const [start, end] = [Math.min(from, to), Math.max(from, to)];
  const rows = all.slice(start, end + 1);
  const [first, last] = [Math.max(start - seen, 0), end + seen];
  const page = pageOf(statement, 0, all.length);
  const view = { ...page, rows: page.rows.slice(first, last + 1), newest: all.length - 1 - first };
  const slice: PlannedSlice = {
    rows: from <= to ? rows : rows.reverse(),
    sheet: { ...sheetOf(view), latest: { ...view, size: 3 } },
    total: all.length,
    ...{ hasMore: true, hasBehind: true, behind: -1, by: 'position' },
    ...changes,
  };
  return slice;
}

function cursorsOf(wanted: Wanted, slice: PlannedSlice): Cursor[] {
  return new Slice(wanted, slice, scope).edges.map(({ cursor }) => decodeCursor(cursor, scope));
}

const idsOf = (wanted: Wanted, slice: PlannedSlice) =>
  new Slice(wanted, slice, scope).edges.map(rowId);

it('the cursors have the createdAt of their rows', () => {
  const timesOf = (statement: string, wanted: Wanted, from: number, to: number) =>
    cursorsOf(wanted, planned(statement, from, to)).map(({ createdAtMs }) => createdAtMs);
  expect(timesOf('a9 b8 c7', first, 0, 2)).toEqual([9, 8, 7]);
  expect(timesOf('a9 b7 c7 d-', last, 3, 0)).toEqual([9, 7, 7, null]);
});

it('the cursors also name the row of the previous cursor if it was not seen before the slice', () => {
  const cursor = cursorOf('a9 x8 c7 d6', 'x');
  const [next] = cursorsOf({ ...first, cursor }, planned('z9 a9 c7 d6 e5', 2, 3, { seen: 2 }));
  expect(next?.newer.fingerprints).toEqual(['x', 'a'].map(fingerprint));
  const [seen] = cursorsOf({ ...first, cursor }, planned('a9 x8 c7 d6 e5', 2, 3, { seen: 2 }));
  expect(seen?.newer.fingerprints).toEqual(['x', 'a'].map(fingerprint));
});

describe('cursors state that ties change their order', () => {
  const statesIt = (wanted: Wanted, slice: PlannedSlice) => [
    ...new Set(cursorsOf(wanted, slice).map(({ isReordered }) => isReordered)),
  ];
  const slice = planned('a9 b5 c5', 0, 2);

  it('if the order of ties had to be settled for their slice', () => {
    expect(statesIt(first, slice)).toEqual([false]);
    expect(statesIt(first, { ...slice, by: 'tieOrder' })).toEqual([true]);
  });

  it('if a tie was seen at two places', () => {
    const reads = [pageOf('a9 b5 c5 d5', 0, 2), pageOf('a9 c5 b5 d5', 1, 2)];
    const sheet = sheetOf(...reads, ...reads);
    expect(statesIt(first, { ...slice, sheet })).toEqual([true]);
  });

  it('if the cursor of their slice states it', () => {
    const cursor = cursorOf('a9 b5 c5', 'a');
    expect(statesIt({ ...first, cursor }, slice)).toEqual([false]);
    expect(statesIt({ ...first, cursor: { ...cursor, isReordered: true } }, slice)).toEqual([true]);
  });
});

describe('edges', () => {
  it('are in the order of the service, whatever the direction of the walk', () => {
    expect(idsOf(first, planned(nine, 2, 4))).toEqual(['c', 'd', 'e']);
    expect(idsOf(last, planned(nine, 4, 2))).toEqual(['c', 'd', 'e']);
  });

  it('are empty for a slice without rows, and its startCursor and endCursor are null', () => {
    const slice = { ...planned(nine, 0, 0, { hasMore: false, hasBehind: false }), rows: [] };
    expect(new Slice(first, slice, scope)).toMatchObject({
      ...{ edges: [], nodes: [], totalCount: 9 },
      pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
    });
  });
});

describe('pageInfo', () => {
  const flags = { hasMore: true, hasBehind: false };

  it('describes the statement, not the direction of the walk', () => {
    expect(new Slice(first, planned(nine, 0, 2, flags), scope).pageInfo).toMatchObject({
      ...{ hasNextPage: true, hasPreviousPage: false },
    });
    expect(new Slice(last, planned(nine, 8, 6, flags), scope).pageInfo).toMatchObject({
      ...{ hasNextPage: false, hasPreviousPage: true },
    });
  });

  it('has the cursors of the newest and the oldest edge', () => {
    for (const slice of [
      new Slice(first, planned(nine, 2, 4), scope),
      new Slice(last, planned(nine, 4, 2), scope),
    ]) {
      expect(slice.pageInfo.startCursor).toBe(slice.edges[0]?.cursor);
      expect(slice.pageInfo.endCursor).toBe(slice.edges[2]?.cursor);
    }
  });
});

describe('a cursor', () => {
  it('contains the key and the index of its row, the total, the page size and createdAt', () => {
    expect(cursorsOf(first, planned(nine, 2, 4))[1]).toMatchObject({
      ...{ key: hashOf('d'), index: 3, total: 9, size: 3, createdAtMs: 6 },
    });
  });

  const names = (wanted: Wanted, slice: PlannedSlice) =>
    cursorsOf(wanted, slice).map(({ newer, older }) => [newer.fingerprints, older.fingerprints]);
  const named = (...sides: string[]) => sides.map((ids) => ids.split('').map(fingerprint));

  it('names up to two rows on either side, if these rows were seen', () => {
    expect(names(first, planned(nine, 2, 4))).toEqual([
      named('', 'de'),
      named('c', 'e'),
      named('dc', ''),
    ]);
    expect(names(last, planned(nine, 3, 3, { seen: 3 }))).toEqual([named('cb', 'ef')]);
  });

  it('names the row of the previous cursor and the nearest row that the previous cursor named', () => {
    const wanted = { ...first, cursor: cursorOf(nine, 'c') };
    expect(names(wanted, planned(nine, 3, 3))).toEqual([named('cb', 'e')]);
  });

  it('names the next row but one if only that row was read, and so do the cursors that follow', () => {
    const slice = {
      ...planned(nine, 8, 8),
      sheet: sheetOf(pageOf(nine, 6, 1), pageOf(nine, 8, 1)),
    };
    const [own] = cursorsOf(last, slice);
    expect(own?.newer).toEqual({
      ...{ fingerprints: [NO_KEY, fingerprint('g')], ties: 0, complete: false },
    });
    const next = { ...last, cursor: own ?? null };
    expect(names(next, planned(nine, 7, 7))).toEqual([named('g', 'i')]);
  });

  it('contains an empty name for a neighbour without id', () => {
    const [, middle, end] = cursorsOf(first, planned('a9 -8 c7', 0, 2));
    expect(middle?.key).toBe(NO_KEY);
    expect(end?.newer.fingerprints).toEqual([NO_KEY, fingerprint('a')]);
  });
});

describe('the ties in a cursor', () => {
  const tied = 'a9 b5 c5 d5 e5 f5 g3 h2';
  const ties = (wanted: Wanted, slice: PlannedSlice, side: 'newer' | 'older') =>
    cursorsOf(wanted, slice).map((cursor) => {
      const { ties: count, complete } = cursor[side];
      return `${count}${complete ? '' : '+'}`;
    });

  it('are counted on either side, and are complete once a row with another createdAt was seen', () => {
    const slice = planned(tied, 0, 3, { hasBehind: false });
    expect(ties(first, slice, 'newer')).toEqual(['0', '0', '1', '2']);
    expect(ties(first, slice, 'older')).toEqual(['0', '2+', '1+', '0+']);
    expect(ties(last, planned(tied, 6, 3), 'older')).toEqual(['2', '1', '0', '0+']);
  });

  it('include the ties and the row of the previous cursor', () => {
    const wanted = { ...first, cursor: cursorOf(tied, 'c') };
    expect(ties(wanted, planned(tied, 3, 4), 'newer')).toEqual(['2', '3']);
  });

  it('are incomplete if the walk began among them', () => {
    expect(ties(first, planned(tied, 2, 3), 'newer')).toEqual(['0+', '1+']);
    expect(ties(first, planned(tied, 2, 6), 'newer')).toEqual(['0+', '1+', '2+', '3+', '0']);
  });

  it('are incomplete if there are more than the cursor can name', () => {
    const names = Array.from({ length: 40 }, (_, k) => `${String.fromCharCode(200 + k)}5`);
    const slice = planned(names.join(' '), 0, 39, { hasBehind: false, hasMore: false });
    const cursors = cursorsOf(first, slice);
    expect(cursors[MAX_BEHIND]?.newer).toMatchObject({ ties: MAX_BEHIND, complete: true });
    expect(cursors[35]?.newer).toMatchObject({ ties: MAX_BEHIND, complete: false });
    expect(cursors[35]?.newer.fingerprints).toHaveLength(MAX_BEHIND);
    expect(cursors[0]?.older).toMatchObject({ ties: MAX_AHEAD, complete: false });
    expect(cursors[39 - MAX_AHEAD]?.older).toMatchObject({ ties: MAX_AHEAD, complete: true });
  });

  it('are not named beyond the slice if they have no fixed order', () => {
    const slice = planned(tied, 1, 2, { seen: 3, by: 'tieOrder' });
    expect(ties(first, slice, 'older')).toEqual(['1+', '0+']);
  });

  it('are counted as zero for a row without createdAt', () => {
    const slice = planned('a- b- c-', 0, 2, { hasBehind: false, hasMore: false });
    expect(ties(first, slice, 'newer')).toEqual(['0', '0', '0']);
  });
});

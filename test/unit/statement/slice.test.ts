// Planned rows become edges: their order, what each cursor carries, and pageInfo.
import { describe, expect, it } from 'vitest';
import { decodeCursor, MAX_TIES, type Cursor } from '../../../src/statement/cursor.ts';
import type { PlannedRow, PlannedSlice, Wanted } from '../../../src/statement/plan.ts';
import { NO_KEY, rowKey } from '../../../src/upstream/row-key.ts';
import { toSlice } from '../../../src/statement/slice.ts';
import { cursorOf, print, rowsOf } from './parts.ts';

const nine = 'a9 b8 c7 d6 e5 f4 g3 h2 i1';
const scope = 'scope';

const first: Wanted = { direction: 1, count: 3, cursor: null, totalOnly: false };
const last: Wanted = { ...first, direction: -1 };

/** The rows of a statement from one index to another, as a plan that saw nothing around them. */
function planned(statement: string, from: number, to: number, changes: Partial<PlannedSlice> = {}) {
  const all = rowsOf(statement).map((row, index, { length }): PlannedRow => ({
    ...{ row, key: rowKey(row.id), distance: length - 1 - index },
  }));
  const step = from <= to ? 1 : -1;
  const rows = all.slice(Math.min(from, to), Math.max(from, to) + 1);
  const slice: PlannedSlice = {
    ...{ rows: step === 1 ? rows : rows.reverse(), total: all.length, size: 3 },
    ...{ hasMore: false, hasBehind: false, before: undefined, after: undefined },
    ...changes,
  };
  return slice;
}

function cursorsOf(wanted: Wanted, slice: PlannedSlice): Cursor[] {
  return toSlice(wanted, slice, scope).edges.map(({ cursor }) => decodeCursor(cursor, scope));
}

const idsOf = (wanted: Wanted, slice: PlannedSlice) =>
  toSlice(wanted, slice, scope).edges.map(({ row }) => row.id);

describe('edges', () => {
  it('stand in the order of the service, whichever way they were walked', () => {
    expect(idsOf(first, planned(nine, 2, 4))).toEqual(['c', 'd', 'e']);
    expect(idsOf(last, planned(nine, 4, 2))).toEqual(['c', 'd', 'e']);
  });

  it('are none in a slice of none, which then has no cursors', () => {
    const slice = { ...planned(nine, 0, 0), rows: [] };
    expect(toSlice(first, slice, scope)).toEqual({
      ...{ edges: [], totalCount: 9 },
      pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
    });
  });
});

describe('pageInfo', () => {
  const flags = { hasMore: true, hasBehind: false };

  it('speaks of the statement, not of the walk', () => {
    expect(toSlice(first, planned(nine, 0, 2, flags), scope).pageInfo).toMatchObject({
      ...{ hasNextPage: true, hasPreviousPage: false },
    });
    expect(toSlice(last, planned(nine, 8, 6, flags), scope).pageInfo).toMatchObject({
      ...{ hasNextPage: false, hasPreviousPage: true },
    });
  });

  it('names the newest and the oldest edge', () => {
    for (const slice of [
      toSlice(first, planned(nine, 2, 4), scope),
      toSlice(last, planned(nine, 4, 2), scope),
    ]) {
      expect(slice.pageInfo.startCursor).toBe(slice.edges[0]?.cursor);
      expect(slice.pageInfo.endCursor).toBe(slice.edges[2]?.cursor);
    }
  });
});

describe('a cursor carries', () => {
  it('its row, its place, the total, the page size and its createdAt', () => {
    expect(cursorsOf(first, planned(nine, 2, 4))[1]).toMatchObject({
      ...{ key: rowKey('d'), index: 3, total: 9, size: 3, createdAtMs: 6 },
    });
  });

  it('the rows beside it, so far as they were seen', () => {
    const neighbours = (wanted: Wanted, slice: PlannedSlice) =>
      cursorsOf(wanted, slice).map(({ newer, older }) => [newer, older]);
    expect(neighbours(first, planned(nine, 2, 4))).toEqual([
      [null, print('d')],
      [print('c'), print('e')],
      [print('d'), null],
    ]);
    const [row] = rowsOf('x9');
    const outside = row === undefined ? undefined : { row, key: rowKey('x'), distance: 9 };
    expect(neighbours(last, planned(nine, 3, 3, { before: outside }))).toEqual([
      [null, print('x')],
    ]);
    expect(neighbours(last, planned(nine, 3, 3, { after: outside }))).toEqual([[print('x'), null]]);
  });

  it('the row of the cursor before it, which stood beside its first row', () => {
    const wanted = { ...first, cursor: cursorOf(nine, 'c') };
    expect(cursorsOf(wanted, planned(nine, 3, 3))[0]?.newer).toBe(print('c'));
  });

  it('no print of a neighbour without id', () => {
    const [, middle] = cursorsOf(first, planned('a9 -8 c7', 0, 2));
    expect(middle).toMatchObject({ key: NO_KEY, newer: print('a'), older: print('c') });
    expect(cursorsOf(first, planned('a9 -8 c7', 0, 2))[2]?.newer).toBeNull();
  });
});

describe('the ties in a cursor', () => {
  const tied = 'a9 b5 c5 d5 e5 f5 g3';
  const tiesOf = (wanted: Wanted, slice: PlannedSlice) =>
    cursorsOf(wanted, slice).map(({ ties }) => ties);

  it('are those that the walk has come by, on the side from which it came', () => {
    const newer = (...ids: string[]) => ({ side: 'newer', complete: true, prints: ids.map(print) });
    expect(tiesOf(first, planned(tied, 0, 3))).toEqual([
      ...[newer(), newer(), newer('b'), newer('b', 'c')],
    ]);
    const older = (...ids: string[]) => ({ side: 'older', complete: true, prints: ids.map(print) });
    expect(tiesOf(last, planned(tied, 6, 3))).toEqual([
      ...[older('f', 'e'), older('f'), older(), older()],
    ]);
  });

  it('go on from the cursor before, its own row among them', () => {
    const wanted = { ...first, cursor: cursorOf(tied, 'c') };
    expect(tiesOf(wanted, planned(tied, 3, 4))).toEqual([
      { side: 'newer', complete: true, prints: [print('b'), print('c')] },
      { side: 'newer', complete: true, prints: [print('b'), print('c'), print('d')] },
    ]);
  });

  it('are not complete after turning back among them', () => {
    const wanted = { ...last, cursor: cursorOf(tied, 'e') };
    expect(tiesOf(wanted, planned(tied, 3, 2))).toEqual([
      { side: 'older', complete: false, prints: [print('e'), print('d')] },
      { side: 'older', complete: false, prints: [print('e')] },
    ]);
  });

  it('are not complete where the walk began among them', () => {
    const [ties] = tiesOf(first, planned(tied, 2, 2, { hasBehind: true }));
    expect(ties).toEqual({ side: 'newer', complete: false, prints: [] });
  });

  it('are complete again with the next createdAt', () => {
    const ties = tiesOf(first, planned(tied, 5, 6, { hasBehind: true }));
    expect(ties[1]).toEqual({ side: 'newer', complete: true, prints: [] });
  });

  it('are at most 34, the last ones; with more of them they are not complete', () => {
    const names = Array.from({ length: 37 }, (_, k) => String.fromCharCode(200 + k));
    const ties = tiesOf(first, planned(names.map((name) => `${name}5`).join(' '), 0, 36));
    expect(ties[MAX_TIES]).toEqual({
      ...{ side: 'newer', complete: true },
      prints: names.slice(0, 34).map(print),
    });
    expect(ties[36]).toEqual({
      ...{ side: 'newer', complete: false },
      prints: names.slice(2, 36).map(print),
    });
  });

  it('are none of a row without createdAt', () => {
    const none = { side: 'newer', complete: true, prints: [] };
    expect(tiesOf(first, planned('a- b- c-', 0, 2))).toEqual([none, none, none]);
  });
});

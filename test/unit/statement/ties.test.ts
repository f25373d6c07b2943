// Rows of one createdAt as a set: which are still to come, and when enough of them were seen to say so.
import { describe, expect, it } from 'vitest';
import type { Cursor } from '../../../src/statement/cursor.ts';
import { know, type Known } from '../../../src/statement/known.ts';
import { rowKey } from '../../../src/upstream/row-key.ts';
import type { Place } from '../../../src/statement/search.ts';
import { amongTies, haveTiesMoved, isAheadOf, settleTies } from '../../../src/statement/ties.ts';
import { cursorOf, knownOf, pageOf, searchOf } from './parts.ts';

/** Five ties: two end the first page, three are the second. */
const tied = 'a9 b5 c5 d5 e5 f5 g3 h2 i1';

describe('isAheadOf', () => {
  it.each([
    ['walking on, all but the listed ones', 'newer', 1, 'efx'],
    ['turning back, just the listed ones', 'newer', -1, 'bc'],
    ['walking on to newer rows, all but the listed ones', 'older', -1, 'bcx'],
    ['turning back to older rows, just the listed ones', 'older', 1, 'ef'],
  ] as const)('%s', (_what, from, direction, ids) => {
    const isAhead = isAheadOf(cursorOf(tied, 'd', { from }), direction);
    const found = 'bcdefx'.split('').filter((id) => isAhead(rowKey(id)));
    expect(found.join('')).toBe(ids);
  });
});

describe('haveTiesMoved', () => {
  const moved = (cursor: Cursor, now: string, ...pages: number[]) => {
    const known = knownOf(now, ...pages);
    const rows = know([pageOf(now, 1)]).sights[0]?.rows ?? [];
    const own = rows.findIndex(({ key }) => key === cursor.key);
    return haveTiesMoved(searchOf(known, cursor), now.split(' ').length - 1 - 3 - own);
  };

  it.each([
    ['stand as they did', tied],
    ['stand as they did, further down', `z10 ${tied.slice(0, -3)}`],
    ['on either side changed places among themselves', 'a9 c5 b5 d5 f5 e5 g3 h2 i1'],
    ['got more at the newer end', 'a9 x5 b5 c5 d5 e5 f5 g3 h2 i1'],
  ])('is false where they %s', (_what, now) => {
    expect(moved(cursorOf(tied, 'd'), now, 0, 1)).toBe(false);
  });

  it.each([
    ['that was given is to come', 'a9 e5 c5 d5 b5 f5 g3 h2 i1'],
    ['that is to come stands before', 'a9 b5 e5 d5 x5 y5 g3 h2 i1'],
  ])('is true where one %s', (_what, now) => {
    expect(moved(cursorOf(tied, 'd'), now, 0, 1)).toBe(true);
  });

  it('is true where a tie was seen at two places', () => {
    const known = know([pageOf(tied, 0), pageOf('a9 c5 f5 d5 e5 b5 g3 h2 i1', 1)]);
    expect(haveTiesMoved(searchOf(known, cursorOf(tied, 'd')), 5)).toBe(true);
  });

  it('is false for rows without createdAt, which are no ties', () => {
    const undated = 'a- b- c- d- e- f-';
    expect(moved(cursorOf(undated, 'd'), 'a- e- b- d- c- f-', 0, 1)).toBe(false);
  });

  it('does not count rows without id, which all look the same', () => {
    const spoiled = 'a9 -5 -5 d5 -5 f5 g3';
    expect(moved(cursorOf(spoiled, 'd'), spoiled, 0, 1)).toBe(false);
  });
});

/** The ids to give, whatever their order; or the pages to read first. */
function shortOf(place: Place): string {
  if (place.kind === 'read') return `read ${place.pages.join()}`;
  const ids = place.kind === 'found' ? place.settled.map(({ row }) => row.id) : [place.kind];
  return ids.sort().join('');
}

describe('amongTies', () => {
  const cursor = cursorOf(tied, 'd');
  const after = (...reads: [statement: string, page: number][]) => {
    const known = know(reads.map(([statement, page]) => pageOf(statement, page)));
    return shortOf(amongTies(searchOf(known, cursor)));
  };

  const mixed = 'a9 e5 b5 d5 f5 c5 g3 h2 i1';

  it('gives those that were not given, once all were seen', () => {
    expect(after([mixed, 1], [mixed, 2], [mixed, 0])).toBe('ef');
  });

  it('looks to the end of the ties first, then before them', () => {
    expect(after([mixed, 1])).toBe('read 2');
    expect(after([mixed, 1], [mixed, 2])).toBe('read 0');
  });

  it('needs not see those that were given, once there is room for just as many', () => {
    expect(after(['a9 e5 d5 b5 c5 f5 g3 h2 i1', 0], [tied, 1], [tied, 2])).toBe('ef');
  });

  it('reads what it saw longest ago again while one that is to come hides behind another', () => {
    const hiding = 'a9 f5 c5 d5 e5 b5 g3 h2 i1';
    expect(after([tied, 0], [hiding, 1], [tied, 2])).toBe('read 0');
    expect(after([tied, 0], [hiding, 1], [tied, 2], [tied, 0])).toBe('read 1');
    expect(after([tied, 0], [hiding, 1], [tied, 2], [hiding, 0])).toBe('ef');
  });

  it('gives as many as are wanted without seeing the end, while none came or went', () => {
    const long = 'a9 b5 c5 d5 e5 f5 g5 h5 i5 j5 k5 l5';
    const known = know([pageOf(long, 0), pageOf(long, 1), pageOf(long, 2)]);
    const place = amongTies(searchOf(known, cursorOf(long, 'd')));
    expect(shortOf(place)).toBe('efg');
  });

  it('has expired where the cursor does not list all that were given', () => {
    const ties = { ...cursor.ties, complete: false };
    const search = searchOf(knownOf(mixed, 0, 1, 2), { ...cursor, ties });
    expect(amongTies(search)).toEqual({ kind: 'expired' });
  });
});

describe('settleTies', () => {
  it('gives all of a group that begins within the slice, each once', () => {
    const known = know([pageOf(tied, 1), pageOf('a9 d5 b5 c5 e5 f5 g3 h2 i1', 0), pageOf(tied, 2)]);
    const question = { known, direction: 1, createdAtMs: 5, isAhead: () => true } as const;
    const settle = (known: Known) =>
      shortOf(settleTies({ ...question, known, from: 8, given: 0, total: 9, count: 5 }));
    expect(settle(known)).toBe('read 1');
    const again = [pageOf('a9 d5 b5 c5 e5 f5 g3 h2 i1', 1), pageOf(tied, 0)];
    expect(settle(know([...known.sights.toReversed(), ...again]))).toBe('bcdef');
  });
});

// What one call knows of each state that it has met: its own reads, and what of the others holds in it.
import { describe, expect, it } from 'vitest';
import type { PageView } from '../../../src/statement/page-view.ts';
import { rowAt, snapshotsOf, type Snapshot } from '../../../src/statement/snapshot.ts';
import { pageOf } from './parts.ts';

const nine = 'a9 b8 c7 d6 e5 f4 g3 h2 i1';

/** The rows of a state from the newest on, `.` for each that is not known. */
function textOf(snapshot: Snapshot): string {
  const distances = Array.from({ length: snapshot.total }, (_, k) => snapshot.total - 1 - k);
  return distances.map((distance) => rowAt(snapshot, distance)?.row.id ?? '.').join('');
}

const statesOf = (...reads: PageView[]) => snapshotsOf(reads).map(textOf);

describe('reads under one total', () => {
  it('are one state', () => {
    expect(statesOf(pageOf(nine, 0), pageOf(nine, 2))).toEqual(['abc...ghi']);
  });

  it('are two if a row stands at two places', () => {
    const now = 'z10 a9 b8 c7 d6 e5 f4 g3 h2';
    expect(statesOf(pageOf(nine, 0), pageOf(now, 1))).toEqual(['...cde...', 'abc......']);
  });

  it('are one if only ties stand in another order', () => {
    const tied = 'a9 b5 c5 d5 e5 f4';
    expect(statesOf(pageOf(tied, 0), pageOf('a9 b5 d5 c5 e5 f4', 1))).toEqual(['abccef']);
  });

  it('are a violation if two page numbers are the same page', () => {
    const twice = { ...pageOf(nine, 0), page: 1, newest: 5 };
    expect(() => snapshotsOf([pageOf(nine, 0), twice])).toThrow('UPSTREAM_PAGE_BASE');
  });
});

describe('two pages of one row', () => {
  it('show the same row if it has moved from the one to the other', () => {
    expect(statesOf(pageOf('a9 b8 c7', 0, 1), pageOf('z10 a9 b8', 1, 1))).toEqual(['.a.', 'a..']);
    expect(statesOf(pageOf('a9 b9', 0, 1), pageOf('b9 a9', 1, 1))).toEqual(['.a', 'a.']);
  });
});

describe('what was read under another total holds', () => {
  it('after a row that is as far from the oldest as it was: rows arrived', () => {
    const grown = `y11 z10 ${nine}`;
    expect(statesOf(pageOf(nine, 1), pageOf(grown, 1))).toEqual(['...bcdef...', '...def...']);
    expect(statesOf(pageOf(grown, 1), pageOf(`x12 ${grown}`, 2))).toEqual([
      '......def...',
      '...bcdef...',
    ]);
  });

  it('before a row that is as far from the newest as it was: older ones went', () => {
    const fewer = 'a9 b8 c7 d6 e5 f4 g3 i1';
    expect(statesOf(pageOf(nine, 0), pageOf(nine, 1), pageOf(fewer, 1))).toEqual([
      'abcdef..',
      'abcdef...',
    ]);
  });

  it('at a place where rows stood before and after', () => {
    const [fewer, fewest] = ['a9 b8 c7 d6 e5 f4 g3 h2', 'a9 b8 c7 d6 e5 f4 g3'];
    const [, middle] = statesOf(pageOf(nine, 0), pageOf(fewer, 1), pageOf(fewest, 0));
    expect(middle).toBe('abcdef..');
  });

  it('nowhere if no row is shared', () => {
    expect(statesOf(pageOf(nine, 0), pageOf(`z10 ${nine}`, 2))).toEqual([
      '......fgh.',
      'abc......',
    ]);
  });

  it('nowhere if rows came on one side of a row and went on the other', () => {
    const moved = 'z10 a9 b8 c7 d6 f4 g3';
    expect(statesOf(pageOf(nine, 0), pageOf(moved, 0))).toEqual(['zab....', 'abc......']);
  });
});

describe('the page to read next for an earlier state', () => {
  it('is where its rows stand now', () => {
    const grown = `x12 y11 z10 ${nine}`;
    const [, earlier] = snapshotsOf([pageOf(nine, 0), pageOf(grown, 1)]);
    expect(earlier?.movedBy).toBe(3);
    const [, before] = snapshotsOf([pageOf(nine, 0), pageOf('a9 b8 c7 d6', 0)]);
    expect(before?.movedBy).toBe(0);
  });
});

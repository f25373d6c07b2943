// Whether the pages that were read show that a statement has shifted since the cursor was issued, or during the reads
// of a slice. Also the outcome of a failed slice, and the number of rereads.
import { describe, expect, test } from 'vitest';
import { badUserInput, contractViolation, GatewayError } from '../../../src/errors.ts';
import type { Cursor } from '../../../src/statement/cursor.ts';
import { planSlice, type Wanted } from '../../../src/statement/plan.ts';
import {
  CursorExpiredError,
  outcomeOfError,
  shiftOf,
  type ShiftReason,
  type SliceOutcome,
} from '../../../src/statement/shift.ts';
import { countRereads, countShort, type PageView } from '../../../src/statement/page-view.ts';
import { UpstreamStatusError } from '../../../src/upstream/client.ts';
import { cursorOf, pageOf } from './parts.ts';

/**
 * Reads a slice. Returns the reason why the slice is shifted, or '' if it is not shifted. Each read shows the next of
 * `states`; further reads show the last.
 */
function reasonOf(states: readonly string[], wanted: Partial<Wanted>): ShiftReason | '' {
  const asked: Wanted = { direction: 1, count: 2, cursor: null, totalOnly: false, ...wanted };
  const reads: PageView[] = [];
  for (;;) {
    const step = planSlice(asked, reads);
    if (step.kind === 'slice') return shiftOf(asked, step.slice, reads);
    if (step.kind !== 'read') throw new Error(step.kind);
    for (const page of step.pages) {
      const state = states[Math.min(reads.length, states.length - 1)] ?? '';
      reads.push(pageOf(state, page));
    }
  }
}

const before = 'a9 b8 c7 d6 e5 f4';
const cursor = (at: string): Cursor => cursorOf(before, at);

describe('a slice', () => {
  test.each<[string, string, Partial<Wanted>]>([
    ['from the start', before, {}],
    ['after a cursor', before, { cursor: cursor('b') }],
    ['before a cursor', before, { cursor: cursor('e'), direction: -1 }],
    ['after the last row', before, { cursor: cursor('f') }],
    ['for its total alone', before, { totalOnly: true }],
  ])('of an unchanged statement is not shifted (%s)', (_which, statement, wanted) => {
    expect(reasonOf([statement], wanted)).toBe('');
  });

  test.each<[string, ShiftReason, string, Partial<Wanted>]>([
    ['rows arrived', 'arrivals', `x10 ${before}`, { cursor: cursor('b') }],
    ['rows arrived', 'arrivals', `x10 ${before}`, { cursor: cursor('e'), direction: -1 }],
    ['an older row was removed', 'moved', 'a9 b8 c7 d6 f4', { cursor: cursor('d') }],
    ['one row arrived and one was removed', 'moved', 'x10 a9 b8 c7 d6 e5', { cursor: cursor('b') }],
    ['the row of its cursor was removed', 'neighbour', 'a9 c7 d6 e5 f4', { cursor: cursor('b') }],
    [
      'all rows that its cursor names were removed',
      'createdAt',
      'a9 y5 z4',
      { cursor: cursor('d') },
    ],
  ])('is shifted if %s, with the reason "%s"', (_what, reason, statement, wanted) => {
    expect(reasonOf([statement], wanted)).toBe(reason);
  });

  test('is shifted if its pages belong to two states, with the reason "during"', () => {
    expect(reasonOf([before, `x10 ${before}`], { count: 6 })).toBe('during');
  });

  test('is shifted if its ties are in another order, with the reason "tieOrder"', () => {
    const tied = 'a9 b5 c5 d5 e4 f3';
    const wanted = { cursor: cursorOf(tied, 'c') };
    expect(reasonOf(['a9 d5 c5 b5 e4 f3'], wanted)).toBe('tieOrder');
  });
});

test.each<[unknown, SliceOutcome]>([
  [new CursorExpiredError('gone', false), 'expired'],
  [contractViolation('pages contradict'), 'violation'],
  [new UpstreamStatusError(204, undefined, 'NOT_FOUND', 0), 'failed'],
  [new GatewayError('UPSTREAM_TIMEOUT'), 'failed'],
  [badUserInput('odd'), 'failed'],
  [new TypeError('oh'), 'failed'],
])('a slice that fails with %s counts as %s', (error, outcome) => {
  expect(outcomeOfError(error)).toBe(outcome);
});

test('a page that is read three times counts as two rereads', () => {
  const [one, other] = [pageOf(before, 0), pageOf(before, 1)];
  expect(countRereads([one, other])).toBe(0);
  expect(countRereads([one, other, one, one])).toBe(2);
});

test('a page is short if it has fewer rows than its totals count, which the last page may have', () => {
  const [one, last] = [pageOf(before, 0), pageOf(before, 1)];
  expect(countShort([one, last])).toBe(0);
  expect(countShort([one, { ...one, rows: one.rows.slice(1) }])).toBe(1);
});

// Whether a statement moved under a slice, judged by what was read for it.
import { describe, expect, test } from 'vitest';
import { badUserInput, contractViolation, GatewayError } from '../../../src/errors.ts';
import type { Cursor } from '../../../src/statement/cursor.ts';
import { planSlice, type Wanted } from '../../../src/statement/plan.ts';
import {
  countRereads,
  CursorExpiredError,
  outcomeOfError,
  shiftOf,
  type ShiftReason,
  type SliceOutcome,
} from '../../../src/statement/shift.ts';
import type { PageView } from '../../../src/statement/page-view.ts';
import { cursorOf, pageOf } from './parts.ts';

/** Reads a slice of a statement, of which each read sees the next of `states`; the last one stays. */
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
    ['after the last', before, { cursor: cursor('f') }],
    ['of a total alone', before, { totalOnly: true }],
  ])('%s of a statement that did not move has no reason', (_which, statement, wanted) => {
    expect(reasonOf([statement], wanted)).toBe('');
  });

  test.each<[string, ShiftReason, string, Partial<Wanted>]>([
    ['something arrived', 'arrivals', `x10 ${before}`, { cursor: cursor('b') }],
    ['something arrived', 'arrivals', `x10 ${before}`, { cursor: cursor('e'), direction: -1 }],
    ['something went behind it', 'moved', 'a9 b8 c7 d6 f4', { cursor: cursor('d') }],
    ['one came and one went', 'moved', 'x10 a9 b8 c7 d6 e5', { cursor: cursor('b') }],
    ['its own row went', 'neighbour', 'a9 c7 d6 e5 f4', { cursor: cursor('b') }],
    ['all that it names went', 'createdAt', 'a9 y5 z4', { cursor: cursor('d') }],
  ])('under whose cursor %s is shifted: %s', (_what, reason, statement, wanted) => {
    expect(reasonOf([statement], wanted)).toBe(reason);
  });

  test('with pages of two states is shifted', () => {
    expect(reasonOf([before, `x10 ${before}`], { count: 6 })).toBe('during');
  });

  test('of ties in another order is shifted', () => {
    const tied = 'a9 b5 c5 d5 e4 f3';
    const wanted = { cursor: cursorOf(tied, 'c') };
    expect(reasonOf(['a9 d5 c5 b5 e4 f3'], wanted)).toBe('tieOrder');
  });
});

test.each<[unknown, SliceOutcome]>([
  [new CursorExpiredError('gone', false), 'expired'],
  [contractViolation('pages contradict'), 'violation'],
  [new GatewayError('UPSTREAM_TIMEOUT'), 'failed'],
  [badUserInput('odd'), 'failed'],
  [new TypeError('oh'), 'failed'],
])('that ended with %s is %s', (error, outcome) => {
  expect(outcomeOfError(error)).toBe(outcome);
});

test('a page that was read three times was read again twice', () => {
  const [one, other] = [pageOf(before, 0), pageOf(before, 1)];
  expect(countRereads([one, other])).toBe(0);
  expect(countRereads([one, other, one, one])).toBe(2);
});

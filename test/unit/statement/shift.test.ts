// Whether a statement moved under a slice, judged by what was read for it.
import { describe, expect, test } from 'vitest';
import { badUserInput, contractViolation, GatewayError } from '../../../src/errors.ts';
import type { Cursor } from '../../../src/statement/cursor.ts';
import { planSlice, type Wanted } from '../../../src/statement/plan.ts';
import {
  countRereads,
  outcomeOfError,
  outcomeOfSlice,
  type SliceOutcome,
} from '../../../src/statement/shift.ts';
import type { Sight } from '../../../src/statement/sight.ts';
import { cursorOf, pageOf } from './parts.ts';

/** Reads a slice of a statement, of which each read sees the next of `states`; the last one stays. */
function outcomeOf(states: readonly string[], wanted: Partial<Wanted>): SliceOutcome {
  const asked: Wanted = { direction: 1, count: 2, cursor: null, totalOnly: false, ...wanted };
  const reads: Sight[] = [];
  for (;;) {
    const step = planSlice(asked, reads);
    if (step.kind === 'slice') return outcomeOfSlice(asked, step.slice, reads);
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
  ])('%s of what did not move is still', (_which, statement, wanted) => {
    expect(outcomeOf([statement], wanted)).toBe('still');
  });

  test.each<[string, string, Partial<Wanted>]>([
    ['something arrived', `x10 ${before}`, { cursor: cursor('b') }],
    ['something arrived, seen backwards', `x10 ${before}`, { cursor: cursor('e'), direction: -1 }],
    ['something went', 'a9 c7 d6 e5 f4', { cursor: cursor('d') }],
    ['one came and one went behind it', 'x10 a9 b8 c7 d6 e5', { cursor: cursor('b') }],
    ['its own row went and one came', 'x10 a9 c7 d6 e5 f4', { cursor: cursor('b') }],
  ])('under whose cursor %s is shifted', (_what, statement, wanted) => {
    expect(outcomeOf([statement], wanted)).toBe('shifted');
  });

  test('whose pages are of two states is shifted', () => {
    expect(outcomeOf([before, `x10 ${before}`], { count: 6 })).toBe('shifted');
  });
});

test.each<[unknown, SliceOutcome]>([
  [new GatewayError('CURSOR_EXPIRED'), 'expired'],
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

// Tests the judge and the bounds on calls with cases whose results are obvious.
import { describe, expect, test } from 'vitest';
import { changeBetween, mostCalls } from './bounds.ts';
import { judge, type SliceAnswer, type Walk } from './judge.ts';
import { post, remove, type Statement, statementOf, swap } from './statement.ts';

/** Six rows with the serial numbers 1 to 6. Row 6 is the newest; rows 4 and 3 share a createdAt. */
const statement = statementOf('lastFirst', [1, 2, 3, 3, 5, 6], 2);

const walk = (changes: Partial<Walk> = {}): Walk => ({
  ...{ direction: 1, cursor: null, count: 2, given: new Set(), due: null, mark: null },
  ...changes,
});

/** The walk at its second slice, after rows 6 and 5. */
const second = walk({ cursor: 5, given: new Set([6, 5]), due: new Set([6, 5, 4, 3, 2, 1]) });

const slice = (serials: number[], changes: Partial<SliceAnswer> = {}): SliceAnswer => ({
  ...{ serials, hasNext: true, hasPrevious: true, total: 6 },
  ...changes,
});

const verdictOf = (one: Walk, states: readonly Statement[], answer: SliceAnswer) => {
  const verdict = judge(one, states, answer);
  return typeof verdict === 'string' ? verdict : 'right';
};

describe('a slice of an unchanged statement', () => {
  test.each([
    ['right', slice([4, 3])],
    ['lost', slice([3, 2])],
    ['lost', slice([4, 2])],
    ['twice', slice([5, 4])],
    ['order', slice([3, 4])],
    ['count', slice([4])],
    ['count', slice([4, 3, 2])],
    ['pageInfo', slice([4, 3], { hasNext: false })],
    ['pageInfo', slice([4, 3], { hasPrevious: false })],
    ['pageInfo', slice([4, 3], { total: 7 })],
    ['unknown', slice([4, 9])],
  ])('gets the verdict %s if it is %o', (verdict, answer) => {
    expect(verdictOf(second, [statement], answer)).toBe(verdict);
  });

  test('must have the service’s order on a walk to newer rows too', () => {
    const back = walk({ direction: -1, cursor: 3 });
    expect(verdictOf(back, [statement], slice([5, 4]))).toBe('right');
    expect(verdictOf(back, [statement], slice([6, 5]))).toBe('lost');
    expect(verdictOf(back, [statement], slice([4, 5]))).toBe('order');
  });
});

describe('a slice of a changed statement', () => {
  test('must not contain a new row that is before the cursor', () => {
    const grown = post(statement, 7, 6);
    expect(verdictOf(second, [grown], slice([4, 3], { total: 7 }))).toBe('right');
    expect(verdictOf(second, [grown], slice([7, 4], { total: 7 }))).toBe('extra');
  });

  test("must continue after the place of the cursor's removed row", () => {
    const shrunk = remove(statement, 5);
    expect(verdictOf(second, [shrunk], slice([4, 3], { total: 5 }))).toBe('right');
    expect(verdictOf(second, [shrunk], slice([3, 2], { total: 5 }))).toBe('lost');
  });

  test('may contain or omit a tie that was posted at the place of the cursor’s removed row', () => {
    const afterFour = walk({ cursor: 4, given: new Set([6, 5, 4]), mark: statement });
    const posted = post(remove(remove(statement, 4), 3), 7, 3);
    expect(verdictOf(afterFour, [posted], slice([7, 2], { total: 5 }))).toBe('right');
    const without = slice([2, 1], { total: 5, hasNext: false });
    expect(verdictOf(afterFour, [posted], without)).toBe('right');
  });

  test('must contain a tie that has not been returned yet, even if it is now before the cursor', () => {
    const swapped = swap(statement, 2);
    const afterFour = walk({ cursor: 4, given: new Set([6, 5, 4]), due: new Set([4, 3, 2, 1]) });
    expect(verdictOf(afterFour, [swapped], slice([3, 2]))).toBe('right');
    expect(verdictOf(afterFour, [swapped], slice([2, 1], { hasNext: false }))).toBe('lost');
  });

  test('must show one state that was read, not a mixture of two', () => {
    const grown = post(statement, 7, 7);
    const first = walk();
    const states = [statement, grown];
    const head = { hasPrevious: false };
    expect(verdictOf(first, states, slice([6, 5], head))).toBe('right');
    expect(verdictOf(first, states, slice([7, 6], { ...head, total: 7 }))).toBe('right');
    expect(verdictOf(first, states, slice([6, 5], { ...head, total: 7 }))).not.toBe('right');
  });
});

describe('the bound on calls', () => {
  test.each([
    ['the first page', 1, walk(), slice([6, 5])],
    ['the next page', 1, second, slice([4, 3])],
    ['a page at another place', 2, walk({ cursor: 6 }), slice([5, 4])],
    ['the last rows, whose place is not known', 2, walk({ direction: -1 }), slice([2, 1])],
  ])('for %s is %i', (_what, most, one, answer) => {
    expect(mostCalls(one, statement, answer, 'still')).toBe(most);
  });

  test('allows two more calls after arrivals, even if an arrival is a tie', () => {
    const grown = post(post(statement, 7, 6), 8, 9);
    expect(changeBetween(statement, grown)).toBe('arrivals');
    expect(mostCalls(second, grown, slice([4, 3]), 'arrivals')).toBe(3);
  });

  test('allows 2 + log2(pages) more calls after changes other than arrivals', () => {
    const late = post(statement, 7, 2);
    const shrunk = remove(statement, 2);
    expect(changeBetween(statement, late)).toBe('other');
    expect(changeBetween(statement, shrunk)).toBe('other');
    expect(mostCalls(second, shrunk, slice([4, 3]), 'other')).toBe(1 + 2 + 2);
  });
});

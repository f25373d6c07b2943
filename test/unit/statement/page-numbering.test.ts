// UPSTREAM_PAGE_BASE: the page number to request, and how an answer's currentPage confirms or contradicts the setting.
import { describe, expect, it } from 'vitest';
import { PageNumbering } from '../../../src/statement/page-numbering.ts';

type Check = readonly [page: number, currentPage: number | null];
type Verdict = 'fits' | 'confirm' | 'refused';

function verdictOf(
  base: 0 | 1,
  [page, currentPage]: Check,
  before: readonly Check[] = [],
  isConfirmed = false,
): Verdict {
  const numbering = new PageNumbering(base);
  if (isConfirmed) numbering.confirm();
  before.forEach((check) => numbering.check(...check));
  try {
    return numbering.check(page, currentPage);
  } catch (error) {
    expect(error).toMatchObject({ code: 'UPSTREAM_CONTRACT_VIOLATION' });
    expect((error as Error).message).toMatch(/page \d was requested and page \d was returned/);
    return 'refused';
  }
}

describe('numberOf', () => {
  it.each([
    [0, 0, 0],
    [0, 4, 4],
    [1, 0, 1],
    [1, 4, 5],
  ] as const)('with base %i maps page %i to %i', (base, page, number) => {
    expect(new PageNumbering(base).numberOf(page)).toBe(number);
  });
});

describe('check', () => {
  it.each([
    [0, [0, 0], 'fits'],
    [0, [4, 4], 'fits'],
    [0, [0, 1], 'confirm'],
    [0, [4, 0], 'confirm'],
    [0, [0, null], 'confirm'],
    [1, [0, 0], 'confirm'],
    [1, [0, 1], 'confirm'],
    [1, [4, 4], 'confirm'],
    [1, [0, null], 'confirm'],
  ] as const)('with base %i and [page, currentPage] %j gives "%s"', (base, check, verdict) => {
    expect(verdictOf(base, check)).toBe(verdict);
  });

  it.each<[string, readonly Check[], Verdict]>([
    [
      'is the same on each page',
      [
        [0, 0],
        [2, 0],
        [4, 0],
      ],
      'fits',
    ],
    [
      'is one more than the index',
      [
        [0, 1],
        [1, 2],
        [2, 3],
      ],
      'fits',
    ],
    [
      'is missing',
      [
        [0, null],
        [1, null],
      ],
      'fits',
    ],
    [
      'is missing at times',
      [
        [0, 0],
        [1, 1],
        [2, null],
      ],
      'fits',
    ],
    [
      'has changed with the page, and states another one',
      [
        [0, 0],
        [1, 1],
        [2, 3],
      ],
      'refused',
    ],
    [
      'has changed with the page, and is the same now',
      [
        [0, 1],
        [1, 2],
        [2, 2],
      ],
      'refused',
    ],
    [
      'changes in another way',
      [
        [0, 0],
        [1, 2],
      ],
      'refused',
    ],
  ])('after the base was confirmed, if currentPage %s', (_what, checks, verdict) => {
    expect(verdictOf(0, checks.at(-1) as Check, checks.slice(0, -1), true)).toBe(verdict);
  });
});

describe('mayBeOther', () => {
  it('is true until the base is confirmed, or the other one was refused three times', () => {
    const confirmed = new PageNumbering(0);
    expect(confirmed.mayBeOther).toBe(true);
    confirmed.check(1, 1);
    expect(confirmed.mayBeOther).toBe(false);
    const refused = new PageNumbering(1);
    for (const left of [2, 1, 0]) {
      refused.recordRefusal();
      expect(refused.mayBeOther).toBe(left > 0);
    }
  });
});

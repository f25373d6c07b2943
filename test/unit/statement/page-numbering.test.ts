// UPSTREAM_PAGE_BASE: the page number to request, and how an answer's currentPage confirms or contradicts the setting.
import { describe, expect, it } from 'vitest';
import { PageNumbering } from '../../../src/statement/page-numbering.ts';

type Check = readonly [page: number, currentPage: number];
type Verdict = 'fits' | 'confirm' | 'refused';

function verdictOf(base: 0 | 1, [page, currentPage]: Check, before: readonly Check[] = []) {
  const numbering = new PageNumbering(base);
  before.forEach((check) => numbering.check(...check));
  try {
    return numbering.check(page, currentPage);
  } catch (error) {
    expect(error).toMatchObject({ code: 'UPSTREAM_CONTRACT_VIOLATION' });
    expect((error as Error).message).toContain('UPSTREAM_PAGE_BASE');
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
  it.each<[0 | 1, Check, Verdict]>([
    [0, [0, 0], 'fits'],
    [0, [4, 4], 'fits'],
    [0, [0, 1], 'refused'],
    [0, [4, 3], 'refused'],
    [0, [4, 5], 'refused'],
    [1, [0, 0], 'fits'],
    [1, [4, 4], 'fits'],
    [1, [0, 1], 'confirm'],
    [1, [4, 5], 'confirm'],
    [1, [4, 3], 'refused'],
    [1, [4, 6], 'refused'],
  ])('with base %i and [page, currentPage] %j gives "%s"', (base, check, verdict) => {
    expect(verdictOf(base, check)).toBe(verdict);
  });

  it('rejects an echoed number from a service that has reported an index', () => {
    expect(verdictOf(1, [4, 5], [[0, 0]])).toBe('refused');
  });

  it('requires confirmation of an echoed number, and then rejects an index', () => {
    const numbering = new PageNumbering(1);
    expect(numbering.check(0, 1)).toBe('confirm');
    expect(numbering.check(3, 4)).toBe('confirm');
    numbering.recordEcho(true);
    expect(numbering.check(3, 4)).toBe('fits');
    expect(() => numbering.check(3, 3)).toThrow(/page 4 was requested and page 3 was returned/);
  });
});

describe('otherBase', () => {
  it.each([
    [0, 0, 1],
    [1, 0, 0],
    [1, 1, 0],
  ] as const)(
    'is the base other than %i until an answer confirms the base, and null afterwards',
    (base, reported, other) => {
      const numbering = new PageNumbering(base);
      expect(numbering.otherBase).toBe(other);
      if (numbering.check(0, reported) === 'confirm') {
        expect(numbering.otherBase).toBe(other);
        numbering.recordEcho(true);
      }
      expect(numbering.otherBase).toBeNull();
    },
  );
});

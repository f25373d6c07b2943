// Whether any row occurs twice: the same result as with a Set of keys, for any number of rows and in repeated use.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { haveRepeats } from '../../../src/statement/repeats.ts';
import type { PageView } from '../../../src/statement/page-view.ts';
import { NO_KEY } from '../../../src/upstream/shape/row-key.ts';

const node = new GatewayError('UPSTREAM_CONTRACT_VIOLATION');

function page(keys: readonly number[]): PageView {
  const rows = keys.map((key) => ({
    id: null,
    key,
    createdAtMs: null,
    node,
  }));
  return { page: 0, total: rows.length, size: 20, rows, newest: rows.length - 1, order: 0 };
}

function saysSet(pages: readonly (readonly number[])[]): boolean {
  const keys = pages.flat().filter((key) => key !== NO_KEY);
  return new Set(keys).size < keys.length;
}

/** Keys, many of which have the same last bits and therefore the same slot. */
const key = fc.oneof(
  fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  fc.nat({ max: 40 }).map((n) => n * 2 ** 40),
);

it('haveRepeats agrees with a Set of keys for any pages', () => {
  fc.assert(
    fc.property(fc.array(fc.array(key, { maxLength: 30 }), { maxLength: 5 }), (pages) => {
      expect(haveRepeats(pages.map(page))).toBe(saysSet(pages));
    }),
    { numRuns: 2000 },
  );
});

it.each([512, 513, 5000])('haveRepeats agrees with a Set of keys for %i rows', (count) => {
  const keys = Array.from({ length: count }, (_, n) => (n + 1) * 2 ** 33 + 7);
  expect(haveRepeats([page(keys)])).toBe(false);
  expect(haveRepeats([page(keys.slice(0, -1)), page(keys.slice(0, 1))])).toBe(true);
});

it('haveRepeats treats rows without a key as different', () => {
  expect(haveRepeats([page([NO_KEY, 1, NO_KEY])])).toBe(false);
});

// Whether rows repeat is what a set of their keys says, however many they are and whatever was asked before.
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

/** Many of them with the same last bits, by which they are looked for. */
const key = fc.oneof(
  fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  fc.nat({ max: 40 }).map((n) => n * 2 ** 40),
);

it('says of some pages what a set says', () => {
  fc.assert(
    fc.property(fc.array(fc.array(key, { maxLength: 30 }), { maxLength: 5 }), (pages) => {
      expect(haveRepeats(pages.map(page))).toBe(saysSet(pages));
    }),
    { numRuns: 2000 },
  );
});

it.each([512, 513, 5000])('says of %i rows what a set says', (count) => {
  const keys = Array.from({ length: count }, (_, n) => (n + 1) * 2 ** 33 + 7);
  expect(haveRepeats([page(keys)])).toBe(false);
  expect(haveRepeats([page(keys.slice(0, -1)), page(keys.slice(0, 1))])).toBe(true);
});

it('takes rows without a key for different ones', () => {
  expect(haveRepeats([page([NO_KEY, 1, NO_KEY])])).toBe(false);
});

// The trend of a soak test's measurements, and which trends count as growth.
import { describe, expect, test } from 'vitest';
import { isFlat, trendOf } from '../../../bench/soak/trend.ts';

const measure = (count: number, value: (index: number) => number) =>
  Array.from({ length: count }, (_, index) => value(index));

/** A deviation between -`size` and `size`. The deviations of consecutive indexes have no trend. */
const noise = (index: number, size: number) => size * Math.sin(index * 12.9898);

test('trendOf returns the mean and growth of a straight line, and an error of 0', () => {
  const { mean, growth, error } = trendOf([10, 12, 14, 16]);
  expect(mean).toBe(13);
  expect(growth).toBeCloseTo(6);
  expect(error).toBeCloseTo(0);
});

describe('isFlat', () => {
  test.each([
    ['do not change', measure(60, () => 100)],
    ['fluctuate', measure(60, (index) => 100 + noise(index, 30))],
    ['fall steadily', measure(60, (index) => 100 - index)],
    ['grow by less than the tolerance', measure(60, (index) => 100 + index * 0.03)],
  ])('accepts values that %s', (_what, values) => {
    expect(isFlat(trendOf(values), 0.02)).toBe(true);
  });

  test.each([
    ['grow steadily', measure(60, (index) => 100 + index * 0.1)],
    ['grow and fluctuate', measure(60, (i) => 100 + i * 0.1 + noise(i, 3))],
    ['grow in steps', measure(60, (index) => 100 + Math.floor(index / 10))],
  ])('rejects values that %s', (_what, values) => {
    expect(isFlat(trendOf(values), 0.02)).toBe(false);
  });
});

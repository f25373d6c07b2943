// What a soak takes for growth.
import { describe, expect, test } from 'vitest';
import { isFlat, trendOf } from '../../../bench/soak/trend.ts';

const measure = (count: number, value: (index: number) => number) =>
  Array.from({ length: count }, (_, index) => value(index));

/** Up and down by so much, without a direction. */
const noise = (index: number, size: number) => size * Math.sin(index * 12.9898);

test('a straight line gains what it gains, without an error', () => {
  const { mean, growth, error } = trendOf([10, 12, 14, 16]);
  expect(mean).toBe(13);
  expect(growth).toBeCloseTo(6);
  expect(error).toBeCloseTo(0);
});

describe('flat is', () => {
  test.each([
    ['what does not change', measure(60, () => 100)],
    ['what goes up and down', measure(60, (index) => 100 + noise(index, 30))],
    ['what falls', measure(60, (index) => 100 - index)],
    ['what gains too little to matter', measure(60, (index) => 100 + index * 0.03)],
  ])('%s', (_what, values) => {
    expect(isFlat(trendOf(values), 0.02)).toBe(true);
  });
});

describe('not flat is', () => {
  test.each([
    ['what grows all the time', measure(60, (index) => 100 + index * 0.1)],
    ['what grows beneath its ups and downs', measure(60, (i) => 100 + i * 0.1 + noise(i, 3))],
    ['what grows by steps', measure(60, (index) => 100 + Math.floor(index / 10))],
  ])('%s', (_what, values) => {
    expect(isFlat(trendOf(values), 0.02)).toBe(false);
  });
});

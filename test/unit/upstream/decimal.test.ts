// Decimals are text with the digits as sent; only exponents are expanded. Also the sign of a transaction's amount.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalText, isNegative, signed } from '../../../src/upstream/shape/decimal.ts';

const nines = '9'.repeat(150);

describe('decimalText', () => {
  it.each([
    ['1523.40', '1523.40'],
    ['12345678901234567.89', '12345678901234567.89'],
    ['0.00', '0.00'],
    ['-0', '-0'],
    ['-0.00', '-0.00'],
    [`${nines}.${nines}`, `${nines}.${nines}`],
    ['1.5e3', '1500'],
    ['1.50e1', '15.0'],
    ['1.50e2', '150'],
    ['12e-3', '0.012'],
    ['-12e-3', '-0.012'],
    ['1E+2', '100'],
    ['1.5e0', '1.5'],
    ['0.5e1', '5'],
    ['0.05e1', '0.5'],
    ['0.05e3', '50'],
    ['0e5', '0'],
    ['0e-2', '0.00'],
    ['0.00e1', '0.0'],
    ['0.00e9999999999', '0'],
    ['-0e0', '-0'],
    ['1e-002', '0.01'],
    ['1e99', `1${'0'.repeat(99)}`],
    ['1e-99', `0.${'0'.repeat(98)}1`],
  ])('writes %s as %s', (source, expected) => {
    expect(decimalText(source)).toBe(expected);
  });

  it.each([
    '1e100',
    '1e-100',
    '0e-100',
    '1e999999999999',
    '1e-999999999999',
    `1e${nines}`,
    `${nines}e0`,
  ])('rejects %s', (source) => {
    expect(decimalText(source)).toBeNull();
  });

  it('keeps the value when it expands an exponent', () => {
    const mantissa = fc.tuple(
      fc.integer(),
      fc.nat(5).chain((n) =>
        fc.string({
          unit: fc.constantFrom(...'0123456789'.split('')),
          minLength: n,
          maxLength: n,
        }),
      ),
    );
    fc.assert(
      fc.property(mantissa, fc.integer({ min: -60, max: 60 }), ([whole, fraction], exponent) => {
        const source = `${whole}${fraction && `.${fraction}`}e${exponent}`;
        const text = decimalText(source) ?? '';
        expect(text).toMatch(/^-?(0|[1-9]\d*)(\.\d+)?$/);
        expect(Number(text)).toBe(Number(source));
      }),
      { numRuns: 2000 },
    );
  });
});

it.each([
  ['-1', true],
  ['-0.01', true],
  ['-0', false],
  ['-0.00', false],
  ['0.00', false],
  ['12.50', false],
])('isNegative(%s) is %s', (decimal, expected) => {
  expect(isNegative(decimal)).toBe(expected);
});

it.each([
  ['12.50', '-12.50', '12.50'],
  ['0.01', '-0.01', '0.01'],
  ['0', '0', '0'],
  ['0.00', '0.00', '0.00'],
  ['-0.00', '0.00', '0.00'],
])('the amount %s becomes %s for an outflow, and %s otherwise', (decimal, turned, bare) => {
  expect(signed(decimal, true)).toBe(turned);
  expect(signed(decimal, false)).toBe(bare);
});

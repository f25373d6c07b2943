// Exact sums in the example web app.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sumDecimals } from '../../../examples/web/src/export/decimal.ts';
import { holds } from '../../support/properties.ts';

test.each([
  [[], '0'],
  [['0.00'], '0.00'],
  [['0.1', '0.2'], '0.3'],
  [['-0.99', '0.50'], '-0.49'],
  [['-0.01', '0.01'], '0.00'],
  [['5', '-22.00', '0.125'], '-16.875'],
  [['12345678901234567.89', '0.01'], '12345678901234567.90'],
  [Array<string>(5000).fill('0.1'), '500.0'],
])('the sum of %j is %s', (decimals, sum) => {
  expect(sumDecimals(decimals)).toBe(sum);
});

test.each(['', '1e3', '1,5', '.5', '1.', '--1', '0x10', 'NaN'])(
  'sumDecimals rejects %j',
  (text) => {
    expect(() => sumDecimals(['1', text])).toThrow(RangeError);
  },
);

test('the sum depends neither on the order nor on the grouping of its terms', async () => {
  const decimal = fc
    .tuple(fc.bigInt(-(10n ** 30n), 10n ** 30n), fc.nat(12))
    .map(([units, places]) => {
      const digits = String(units < 0n ? -units : units).padStart(places + 1, '0');
      const whole = digits.slice(0, digits.length - places);
      const sign = units < 0n ? '-' : '';
      return places === 0 ? `${sign}${whole}` : `${sign}${whole}.${digits.slice(-places)}`;
    });
  await holds(fc.tuple(fc.array(decimal), fc.array(decimal)), ([some, others]) => {
    const sum = sumDecimals([...some, ...others]);
    expect(sumDecimals([...others, ...some])).toBe(sum);
    const opposite = sum.startsWith('-') ? sum.slice(1) : `-${sum}`;
    const zero = sumDecimals([sumDecimals(some), sumDecimals(others), opposite]);
    expect(zero).toMatch(/^0(?:\.0+)?$/);
    return Promise.resolve();
  });
});

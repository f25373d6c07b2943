// The example web app's way with amounts, days and documents (examples/web).
import { describe, expect, test } from 'vitest';
import { formatDay, formatTime } from '../../examples/web/src/dates.ts';
import { formatReais, isOutflow } from '../../examples/web/src/money.ts';
import { maskDocument } from '../../examples/web/src/people.ts';

describe('amounts', () => {
  test.each([
    ['0', 'R$ 0,00'],
    ['0.00', 'R$ 0,00'],
    ['5', 'R$ 5,00'],
    ['0.1', 'R$ 0,10'],
    ['1523.40', 'R$ 1.523,40'],
    ['-22.00', '-R$ 22,00'],
    ['-0.01', '-R$ 0,01'],
    ['1.005', 'R$ 1,005'],
    // As numbers these would be …568,00 and …992,00.
    ['12345678901234567.89', 'R$ 12.345.678.901.234.567,89'],
    ['-9007199254740993.01', '-R$ 9.007.199.254.740.993,01'],
    ['0.1234567890123456789', 'R$ 0,1234567890123456789'],
  ])('%s is %s', (decimal, shown) => {
    expect(formatReais(decimal).replaceAll('\u00a0', ' ')).toBe(shown);
  });

  test('which way they went is in their sign', () => {
    expect(['-0.01', '0.00', '5'].map(isOutflow)).toEqual([true, false, false]);
  });
});

test('days and times are Brazilian ones', () => {
  expect(formatDay('2026-07-01T01:30:00.000Z')).toBe('terça-feira, 30 de junho de 2026');
  expect(formatTime('2026-07-01T01:30:00.000Z')).toBe('22:30');
});

test.each([
  ['12345678909', 'CPF ***.456.789-**'],
  ['11222333000181', 'CNPJ **.222.333/0001-**'],
  ['', ''],
  ['1234', ''],
])('of the document %s the middle is shown', (document, shown) => {
  expect(maskDocument(document)).toBe(shown);
});

// How the example web app (examples/web) formats amounts, days, times, and CPF and CNPJ numbers.
import { describe, expect, test } from 'vitest';
import {
  formatDay,
  formatMonth,
  formatTime,
  parseDate,
  wallTimeOf,
  zoneOf,
} from '../../../examples/web/src/dates.ts';
import { amountText, directionOf, formatReais } from '../../../examples/web/src/money.ts';
import {
  initialsOf,
  maskDocument,
  maskEmail,
  maskNumber,
} from '../../../examples/web/src/people.ts';
import { pt } from '../../../examples/web/src/text/pt.ts';
import { wordsOf } from '../../../examples/web/src/words.ts';

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
    // As doubles, the next two amounts would end in 568,00 and 994,00.
    ['12345678901234567.89', 'R$ 12.345.678.901.234.567,89'],
    ['-9007199254740993.01', '-R$ 9.007.199.254.740.993,01'],
    ['0.1234567890123456789', 'R$ 0,1234567890123456789'],
  ])('of %s are shown as %s', (decimal, shown) => {
    expect(formatReais(decimal, 'pt-BR').replaceAll('\u00a0', ' ')).toBe(shown);
  });

  test('have a decimal point in English', () => {
    expect(formatReais('-12345678901234567.89', 'en')).toBe('-R$12,345,678,901,234,567.89');
  });

  test.each([
    [{ amount: '22.00', signedAmount: '-22.00' }, '-R$ 22,00'],
    // Without a direction there is no sign.
    [{ amount: '22.00', signedAmount: null }, 'R$ 22,00'],
    [{ amount: null, signedAmount: null }, 'Valor indisponível'],
  ])('of a transaction with %j are shown as %s', (amounts, shown) => {
    expect(amountText(amounts, pt).replaceAll('\u00a0', ' ')).toBe(shown);
  });

  test.each([
    [{ credit: true }, 'in'],
    [{ credit: false }, 'out'],
    [{ credit: null }, 'unknown'],
  ])('of a transaction with %j have the direction %s', (line, direction) => {
    expect(directionOf(line)).toBe(direction);
  });
});

describe('days and times', () => {
  const night = '2026-07-01T01:30:00.000Z';

  test('are shown in the holder’s time zone, in both languages', () => {
    const timeZone = zoneOf('SP');
    expect(formatDay(night, 'pt-BR', timeZone)).toBe('terça-feira, 30 de junho de 2026');
    expect(formatDay(night, 'en', timeZone)).toBe('Tuesday, June 30, 2026');
    expect(formatTime(night, 'pt-BR', timeZone)).toBe('22:30');
    expect(formatMonth('2026-06-30', 'pt-BR')).toBe('junho');
  });

  test.each([
    ['SP', { day: '2026-06-30', time: '22:30:00', offsetHours: -3 }],
    ['AM', { day: '2026-06-30', time: '21:30:00', offsetHours: -4 }],
    ['AC', { day: '2026-06-30', time: '20:30:00', offsetHours: -5 }],
    [null, { day: '2026-06-30', time: '22:30:00', offsetHours: -3 }],
  ])('are in the local time of the state %s, or of Brasília for null: %o', (state, wallTime) => {
    expect(wallTimeOf(night, zoneOf(state))).toEqual(wallTime);
  });

  test('have the offset of daylight saving time in the summer of 2018/19', () => {
    const summer = { day: '2018-12-31', time: '22:00:00', offsetHours: -2 };
    expect(wallTimeOf('2019-01-01T00:00:00.999Z', zoneOf('SP'))).toEqual(summer);
  });

  test('are null without a valid instant', () => {
    expect([null, '', 'soon'].map((text) => wallTimeOf(text, zoneOf('SP')))).toEqual([
      null,
      null,
      null,
    ]);
  });
});

test.each([
  ['12345678909', 'CPF ***.456.789-**'],
  ['11222333000181', 'CNPJ **.222.333/0001-**'],
  ['', ''],
  ['1234', ''],
])('the document %j is masked as %j', (document, shown) => {
  expect(maskDocument(document)).toBe(shown);
});

test.each([
  ['30/06/2026', 'pt-BR', '2026-06-30'],
  [' 1/6/2026 ', 'pt-BR', '2026-06-01'],
  ['30062026', 'pt-BR', '2026-06-30'],
  ['06/30/2026', 'en', '2026-06-30'],
  ['06/30/2026', 'pt-BR', null],
  ['30/02/2026', 'pt-BR', null],
  ['31/06/2026', 'pt-BR', null],
  ['30/06/26', 'pt-BR', null],
  ['', 'pt-BR', null],
])('the date %j in %s is %s', (written, locale, day) => {
  expect(parseDate(written, locale)).toBe(day);
});

test.each([
  ['ana.moreira@example.com', 'a•••@example.com'],
  ['"a@b"@example.com', '"•••@example.com'],
  ['@example.com', '•••'],
  ['', '•••'],
])('the e-mail address %j is masked as %s', (email, masked) => {
  expect(maskEmail(email)).toBe(masked);
});

test.each([
  ['+5511987654321', '•••• 4321'],
  ['1234', '••••'],
])('the number %s is masked as %s', (number, masked) => {
  expect(maskNumber(number)).toBe(masked);
});

test.each([
  ['Ana Beatriz Moreira da Silva', 'AS'],
  ['  édson ', 'É'],
  ['', ''],
])('the initials of %j are %j', (name, initials) => {
  expect(initialsOf(name)).toBe(initials);
});

test.each([
  ['FEE', 'Tarifa'],
  ['PIX_RETURN', 'Pix return'],
  ['constructor', 'Constructor'],
])('the code %s is shown as %s', (code, words) => {
  expect(wordsOf(code, pt.types)).toBe(words);
});

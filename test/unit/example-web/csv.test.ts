// CSV files of the example web app: separators, exact amounts, empty cells, and text that never becomes a formula.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { zoneOf } from '../../../examples/web/src/dates.ts';
import { writeCsv } from '../../../examples/web/src/export/csv.ts';
import { en } from '../../../examples/web/src/text/en.ts';
import { pt } from '../../../examples/web/src/text/pt.ts';
import { holds } from '../../support/properties.ts';
import { lineOf, readCsv } from '../../support/statement-files.ts';

const brasilia = zoneOf('SP');

describe('the CSV file', () => {
  test('in Portuguese has decimal commas, and semicolons as separators', () => {
    expect(writeCsv([lineOf()], pt.csv, brasilia)).toBe(
      '\uFEFF"Data";"Hora";"Categoria";"Favorecido";"Tipo";"Situação";"Valor";"Id"\r\n' +
        '"2026-06-30";"12:00:00";"Pix enviado";"João Pedro Almeida";"PIX";"Efetivada";"-22,00";"00000000-0000-4000-8000-000000000001"\r\n',
    );
  });

  test('in English has decimal points, and commas as separators', () => {
    const [titles, cells] = readCsv(writeCsv([lineOf()], en.csv, brasilia), ',');
    expect(titles?.[6]).toBe('Amount');
    expect(cells?.slice(0, 7)).toEqual([
      '2026-06-30',
      '12:00:00',
      'Pix enviado',
      'João Pedro Almeida',
      'PIX',
      'Completed',
      '-22.00',
    ]);
  });

  test('in Portuguese keeps an amount in one cell even if a spreadsheet splits at commas and semicolons', () => {
    const both = readCsv(writeCsv([lineOf()], pt.csv, brasilia).replaceAll(';', ','), ',');
    expect(both[1]?.[6]).toBe('-22,00');
  });

  test('keeps every digit of an amount', () => {
    const csv = writeCsv([lineOf({ signedAmount: '-12345678901234567.890' })], pt.csv, brasilia);
    expect(readCsv(csv, ';')[1]?.[6]).toBe('-12345678901234567,890');
  });

  test('has empty cells for missing values', () => {
    const empty = { signedAmount: null, status: null, category: null, createdAt: null };
    const csv = writeCsv(
      [lineOf({ ...empty, beneficiaryName: null, type: null })],
      pt.csv,
      brasilia,
    );
    expect(readCsv(csv, ';')[1]?.slice(0, 7)).toEqual(['', '', '', '', '', '', '']);
  });

  test('cannot be written with an amount that is not a decimal', () => {
    expect(() => writeCsv([lineOf({ signedAmount: '=1+1' })], pt.csv, brasilia)).toThrow(
      RangeError,
    );
  });
});

describe('a text cell', () => {
  test.each([
    ['=HYPERLINK("http://x";"y")', `'=HYPERLINK("http://x";"y")`],
    ['+55 11', "'+55 11"],
    ['-2+3', "'-2+3"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', " '=1"],
    ['\r=1', " '=1"],
    ['\r\nA', ' A'],
    ['＝1', "'＝1"],
    ['a;=1', "a;'=1"],
    ['a, -b', "a, '-b"],
    ['"=1', '"=1'],
    ['Irmãos "Sá"; Cia, Ltda - ME', 'Irmãos "Sá"; Cia, Ltda - ME'],
  ])('with the text %j is written as %j', (name, cell) => {
    const csv = writeCsv([lineOf({ beneficiaryName: name })], pt.csv, brasilia);
    expect(readCsv(csv, ';')[1]?.[3]).toBe(cell);
  });

  test('never becomes a formula, even if a spreadsheet splits at other separators', async () => {
    const signs = [
      '=',
      '+',
      '-',
      '@',
      '＝',
      ';',
      ',',
      '"',
      "'",
      '\t',
      '\r',
      '\n',
      ' ',
      'a',
      'Ã',
      '1',
    ];
    const sign = fc.constantFrom(...signs);
    const text = fc.string({ unit: sign, maxLength: 12 });
    const cases = fc.tuple(text, text, fc.constantFrom(pt.csv, en.csv));
    await holds(cases, ([category, beneficiaryName, format]) => {
      const csv = writeCsv([lineOf({ category, beneficiaryName })], format, brasilia);
      const record = readCsv(csv, format.separator)[1] ?? [];
      expect(record).toHaveLength(8);
      expect(record[6]).toMatch(/^-22[.,]00$/);
      const cells = [
        record,
        ...[';', ',', '\t'].map((separator) => splitAt(csv, separator)),
      ].flat();
      expect(cells.filter((cell) => /^\s*[=+\-@＝]/.test(cell) && !isNumber(cell))).toEqual([]);
      return Promise.resolve();
    });
  });
});

/** The cells of all lines, split at `separator` without regard to quotes, as by some spreadsheet programs. */
function splitAt(csv: string, separator: string): string[] {
  return csv.split(/\r\n/).flatMap((line) => line.split(separator));
}

function isNumber(cell: string): boolean {
  return /^-?\d+(?:[.,]\d+)?(?:;.*)?$/.test(cell);
}

// A statement as CSV (RFC 4180) for spreadsheets, which read its amounts as numbers and no text as a formula.
import { wallTimeOf } from '../dates.ts';
import type { LineFragment } from '../generated/graphql.ts';

/** The CSV conventions of a language. */
export interface CsvFormat {
  /** Spreadsheets of a language with a decimal comma expect `;`. */
  readonly separator: ',' | ';';
  readonly decimalMark: '.' | ',';
  /** Column titles, in the order of `cellsOf`. */
  readonly titles: readonly [string, string, string, string, string, string, string, string];
  /** Transaction status -> its name. */
  readonly statusNames: Readonly<Record<string, string>>;
}

/** One line per transaction, in the given order. Days and times are in `timeZone`. */
export function writeCsv(
  lines: readonly LineFragment[],
  format: CsvFormat,
  timeZone: string,
): string {
  const records = [
    format.titles.map(textCell),
    ...lines.map((line) => cellsOf(line, format, timeZone)),
  ];
  // Without the byte order mark Excel reads the file in the encoding of the system.
  return `\uFEFF${records.map((cells) => `${cells.join(format.separator)}\r\n`).join('')}`;
}

function cellsOf(line: LineFragment, format: CsvFormat, timeZone: string): string[] {
  const at = wallTimeOf(line.createdAt, timeZone);
  return [
    textCell(at?.day),
    textCell(at?.time),
    textCell(line.category),
    textCell(line.beneficiaryName),
    textCell(line.type),
    textCell(format.statusNames[line.status ?? '']),
    amountCell(line.signedAmount, format.decimalMark),
    textCell(line.id),
  ];
}

/**
 * Every digit, with the decimal mark of the language. A minus is not escaped, because only digits follow it. A decimal comma
 * requires quotes, which do not make it text: spreadsheets that split at both `;` and `,` would make two cells of it.
 */
function amountCell(decimal: string | null, decimalMark: CsvFormat['decimalMark']): string {
  if (decimal === null) return '';
  if (!/^-?\d+(?:\.\d+)?$/.test(decimal)) throw new RangeError('not a decimal');
  return decimalMark === '.' ? decimal : `"${decimal.replace('.', decimalMark)}"`;
}

/** The signs that begin a formula, and their full-width forms, which some spreadsheets treat alike. */
const formulaStart = /(^|[,;])(\s*)(?=[=+\-@＝＋－＠])/gu;

/**
 * Text in quotes that cannot become a formula: an apostrophe precedes each sign that would begin one, also if the sign follows
 * a `,` or `;` in the text, because a spreadsheet of another language may split the text into cells there.
 */
function textCell(text: string | null | undefined): string {
  // Tabs and line ends can begin a formula or a cell too, so they become spaces.
  const plain = (text ?? '').replace(/\p{Cc}+/gu, ' ').replace(formulaStart, "$1$2'");
  return `"${plain.replaceAll('"', '""')}"`;
}

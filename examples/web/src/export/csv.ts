// A statement as CSV (RFC 4180). Spreadsheets read its amounts as numbers, and none of its texts as a formula.
import { wallTimeOf } from '../dates.ts';
import type { LineFragment } from '../generated/graphql.ts';

/** The CSV conventions of a language. */
export interface CsvFormat {
  /** Spreadsheets of a language with a decimal comma expect `;`. */
  readonly separator: ',' | ';';
  readonly decimalMark: '.' | ',';
  /** Column titles, in the order of `cellsOf`. */
  readonly titles: readonly [string, string, string, string, string, string, string, string];
  /** The names of transaction statuses, keyed by status. */
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
 * The amount with all its digits and the decimal mark of the language. A minus needs no apostrophe, because only digits
 * follow it. An amount with a decimal comma is quoted, because spreadsheets that split at both `;` and `,` would
 * otherwise make two cells of it. The quotes do not turn it into text.
 */
function amountCell(decimal: string | null, decimalMark: CsvFormat['decimalMark']): string {
  if (decimal === null) return '';
  if (!/^-?\d+(?:\.\d+)?$/.test(decimal)) throw new RangeError('not a decimal');
  return decimalMark === '.' ? decimal : `"${decimal.replace('.', decimalMark)}"`;
}

/**
 * Matches the place before a sign that begins a formula, at the start of a text or after a separator. The full-width
 * forms are included, because some spreadsheets treat them alike.
 */
const formulaStart = /(^|[,;])(\s*)(?=[=+\-@＝＋－＠])/gu;

/**
 * Quoted text that cannot become a formula. An apostrophe precedes each sign that would begin one, even after a `,` or
 * `;`, because a spreadsheet in another language may split the text there.
 */
function textCell(text: string | null | undefined): string {
  // Tabs and line ends can begin a formula or a cell too, so they become spaces.
  const plain = (text ?? '').replace(/\p{Cc}+/gu, ' ').replace(formulaStart, "$1$2'");
  return `"${plain.replaceAll('"', '""')}"`;
}

// A statement as CSV (RFC 4180) for spreadsheets: amounts are numbers there, and no text is a formula.
import { wallTimeOf } from '../dates.ts';
import type { LineFragment } from '../generated/graphql.ts';

/** How spreadsheets of a language read CSV. */
export interface CsvFormat {
  /** Spreadsheets of a language with a decimal comma expect `;`. */
  readonly separator: ',' | ';';
  readonly decimalMark: '.' | ',';
  /** Column titles, in the order of `cellsOf`. */
  readonly titles: readonly [string, string, string, string, string, string, string, string];
  /** Transaction status -> its name. */
  readonly statusNames: Readonly<Record<string, string>>;
}

/** One line a transaction, in the given order. Days and times are those of `timeZone`. */
export function writeCsv(
  lines: readonly LineFragment[],
  format: CsvFormat,
  timeZone: string,
): string {
  const records = [
    format.titles.map(textCell),
    ...lines.map((line) => cellsOf(line, format, timeZone)),
  ];
  // Without the byte order mark Excel takes UTF-8 for the encoding of the system.
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
 * Every digit, and the mark that makes it a number. A minus is not escaped: only digits follow it. With a comma it is in quotes,
 * which do not make it text: spreadsheets that split at both `;` and `,` would make two cells of it.
 */
function amountCell(decimal: string | null, decimalMark: CsvFormat['decimalMark']): string {
  if (decimal === null) return '';
  if (!/^-?\d+(?:\.\d+)?$/.test(decimal)) throw new RangeError('not a decimal');
  return decimalMark === '.' ? decimal : `"${decimal.replace('.', decimalMark)}"`;
}

/** The signs that begin a formula, and their full-width forms, which some spreadsheets take for them. */
const formulaStart = /(^|[,;])(\s*)(?=[=+\-@＝＋－＠])/gu;

/**
 * Text in quotes that cannot become a formula: an apostrophe stands before each sign that would begin one. It also stands there
 * after a `,` or `;` in the text, as a spreadsheet of another language splits the text into cells at these.
 */
function textCell(text: string | null | undefined): string {
  // Tabs and line ends, which begin formulas or cells as well, become spaces.
  const plain = (text ?? '').replace(/\p{Cc}+/gu, ' ').replace(formulaStart, "$1$2'");
  return `"${plain.replaceAll('"', '""')}"`;
}

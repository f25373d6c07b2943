// The file of an export: its name, its content, and the summary that the dialog shows.
import type { LineFragment } from '../generated/graphql.ts';
import type { Period } from '../statement/period.ts';
import { type Status, statuses, statusOf } from '../statement/totals.ts';
import type { Text } from '../text/pt.ts';
import { writeCsv } from './csv.ts';
import { sumDecimals } from './decimal.ts';
import { isPosted, type OfxAccount, writeOfx } from './ofx.ts';

export type ExportFormat = 'csv' | 'ofx';

/**
 * The exact sum of the amounts with one status. A sum over several would be one of nothing: money of a transaction that
 * was canceled, or has failed, did not move, and that of one in progress has not yet.
 */
export interface StatusSum {
  readonly status: Status;
  readonly sum: string;
}

export interface ExportedFile {
  readonly name: string;
  readonly content: Blob;
  /** The number of transactions in the file. */
  readonly count: number;
  readonly sums: readonly StatusSum[];
  /** The number of transactions in the file that have no readable amount, and are therefore in no sum. */
  readonly withoutAmount: number;
  /** The number of transactions of the period that the format cannot contain. */
  readonly leftOut: number;
  /** The number of rows that the gateway could not show, plus, within a period, rows without a readable date. */
  readonly unreadable: number;
}

export interface FileParts {
  readonly account: OfxAccount;
  readonly period: Period;
  readonly timeZone: string;
  readonly format: ExportFormat;
  readonly text: Text;
  /** The transactions of the period, newest first. */
  readonly lines: readonly LineFragment[];
  readonly unreadable: number;
  /** The balance as decimal text; OFX requires it, CSV has no field for it. */
  readonly balance: string | null;
}

export function createFile(parts: FileParts): ExportedFile {
  const { format, lines, unreadable } = parts;
  const written = format === 'ofx' ? lines.filter(isPosted) : lines;
  return {
    name: nameOf(parts),
    content: contentOf(parts, written),
    count: written.length,
    sums: sumsOf(written),
    withoutAmount: written.filter(({ signedAmount }) => signedAmount === null).length,
    leftOut: lines.length - written.length,
    unreadable,
  };
}

/** The sums of all statuses that occur with an amount. */
function sumsOf(lines: readonly LineFragment[]): StatusSum[] {
  return statuses.flatMap((status) => {
    const amounts = lines
      .filter((line) => statusOf(line) === status)
      .flatMap(({ signedAmount }) => signedAmount ?? []);
    return amounts.length === 0 ? [] : [{ status, sum: sumDecimals(amounts) }];
  });
}

function contentOf(
  { account, period, timeZone, format, text, balance }: FileParts,
  lines: readonly LineFragment[],
): Blob {
  if (format === 'csv') {
    return new Blob([writeCsv(lines, text.csv, timeZone)], { type: 'text/csv;charset=utf-8' });
  }
  if (balance === null) throw new TypeError('OFX requires a balance');
  const content = writeOfx({
    account,
    lines,
    period,
    timeZone,
    balance,
    balanceAt: new Date(),
    language: text.ofxLanguage,
  });
  return new Blob([content], { type: 'application/x-ofx' });
}

/** The file's name, such as `extrato-8846213-2026-06-01-2026-06-30.csv`. */
function nameOf({ account, period: { from, to }, format, text }: FileParts): string {
  const number = account.number?.replace(/\W/g, '');
  return `${[text.exportName, number, from, to].filter(Boolean).join('-')}.${format}`;
}

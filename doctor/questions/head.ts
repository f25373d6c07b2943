// Reads the first pages of a statement to determine the page size, the order of rows, and whether ties keep their
// order.
import type { StatementPage, StatementRow } from '../../src/upstream/shape/shapes.ts';
import { counted, type Finding } from '../finding.ts';
import { failureText } from '../probe.ts';
import { pageCount, readTogether, sharedRows, type Statement } from '../statement-pages.ts';

/** The first pages, if possible all of the same state of the statement. */
export interface Head {
  /** The pages in order; the first has the number `base`. */
  readonly pages: readonly StatementPage[];
  readonly rows: readonly StatementRow[];
  readonly totalItems: number;
}

const maxPages = 5;

/** Reads the head of a statement whose first page has the number `base`; the reason if no row could be read. */
export async function readHead(statement: Statement, base: number): Promise<Head | string> {
  const { page: first, status } = await statement.read({ page: base });
  if (first === null) return `page=${base}: ${failureText(status)}`;
  const count = Math.min(maxPages, pageCount(first));
  const asks = Array.from({ length: count }, (_, index) => ({ page: base + index }));
  const pages = (await readTogether(statement, asks)).flatMap(({ page }) => page ?? []);
  const rows = pages.flatMap((page) => page.rows);
  return rows.length === 0
    ? 'the statement is empty: choose another --account'
    : { pages, rows, totalItems: pages[0]?.totalItems ?? 0 };
}

/** Compares the stated page size with the number of rows on all pages that were read, except the last one. */
export function judgePageSize({ pages }: Head): Finding {
  const said = [...new Set(pages.map(({ itemsPerPage }) => itemsPerPage))];
  const full = pages.slice(0, -1).map(({ rows }) => rows.length);
  const howCounted =
    full.length === 0
      ? '; not counted, because only one page was read'
      : `, and counted on ${counted(full.length, 'full page')}`;
  const isTrue = full.every((rows) => said.length === 1 && rows === said[0]);
  return {
    id: 'page-size',
    question: 'How many transactions does a page have?',
    answer: said.join(' or '),
    seen: isTrue
      ? `itemsPerPage${howCounted}`
      : `itemsPerPage; the pages have ${full.join(', ')} rows`,
  };
}

/** Determines the order of rows by their createdAt. */
export function judgeOrder({ rows }: Head): Finding {
  const times = timesOf(rows);
  const isSorted = (sign: number) =>
    times.every((time, index) => index === 0 || sign * (time - (times[index - 1] ?? time)) >= 0);
  const isTellable = new Set(times).size > 1;
  const order = isSorted(-1) ? 'newest first' : isSorted(1) ? 'oldest first' : 'neither';
  return {
    id: 'order',
    question: 'In which order are transactions listed?',
    answer: isTellable ? order : null,
    seen: times.length === 0 ? noTimes : `createdAt of ${counted(times.length, 'row')}`,
  };
}

/** The reason why a question about createdAt has no answer if no row has one. */
export const noTimes = 'no row has a usable createdAt: see violations';

export function timesOf(rows: readonly StatementRow[]): number[] {
  return rows.flatMap(({ createdAtMs }) => createdAtMs ?? []);
}

/**
 * The largest number of times that a page with ties is read again. The chance that two rows in random order keep the
 * same order in all reads is then 1 in 256.
 */
const tieReads = 8;

/** Determines whether rows with the same createdAt keep their order from read to read. */
export async function examineTies(
  statement: Statement,
  head: Head,
  base: number,
): Promise<Finding> {
  const tied = head.pages.map(({ rows }) => tiedRows(rows));
  const most = Math.max(...tied.map(({ length }) => length));
  const question = 'Do rows with the same createdAt keep their order?';
  if (most === 0) {
    const times = timesOf(head.rows);
    const seen =
      times.length === 0
        ? noTimes
        : `no two of ${counted(times.length, 'row')} share one: choose another --account`;
    return { id: 'ties', question, answer: null, seen };
  }
  const index = tied.findIndex(({ length }) => length === most);
  const isStable = await keepsOrder(statement, base + index, tied[index] ?? []);
  const seen = `${counted(most, 'such row')} of a page, read ${counted(tieReads + 1, 'time')} at most`;
  return isStable === null
    ? { id: 'ties', question, answer: null, seen: `${seen}: a read did not have two of them` }
    : { id: 'ties', question, answer: isStable ? 'yes' : 'no', seen };
}

/** The rows of a page that share their createdAt with another row of the page. */
function tiedRows(rows: readonly StatementRow[]): StatementRow[] {
  const counts = new Map<number, number>();
  for (const time of timesOf(rows)) counts.set(time, (counts.get(time) ?? 0) + 1);
  return rows.filter(({ createdAtMs }) => (counts.get(createdAtMs ?? NaN) ?? 0) > 1);
}

/** Null if a read does not have two rows of one tie again: it shows no order then. */
async function keepsOrder(
  statement: Statement,
  page: number,
  tied: readonly StatementRow[],
): Promise<boolean | null> {
  let isCompared = true;
  for (let reads = 0; reads < tieReads; reads++) {
    const { page: again } = await statement.read({ page });
    const rows = again?.rows ?? [];
    const before = sharedRows(tied, rows);
    const now = sharedRows(rows, tied);
    if (before.some((key, index) => key !== now[index])) return false;
    isCompared &&= tiedRows(tied.filter(({ key }) => before.includes(key))).length > 1;
  }
  return isCompared ? true : null;
}

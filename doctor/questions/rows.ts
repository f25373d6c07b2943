// Checks what the gateway assumes of a statement's rows: one order, unique ids, true totals, one page size.
import { NO_KEY } from '../../src/upstream/shape/shapes.ts';
import { noSuchPageStatuses } from '../../src/upstream/exchange/failure.ts';
import { counted, expected, type Finding, notice, unknown } from '../finding.ts';
import {
  isSamePage,
  type Page,
  pageCount as countPages,
  type PageReply,
  type Row,
} from '../pages.ts';
import { readTogether, type Statement } from '../pages.ts';
import { isConclusive } from '../service.ts';

/** The first pages, if possible all of the same state of the statement. */
export interface Head {
  /** The pages in order; the first has the number `base`. */
  readonly pages: readonly Page[];
  readonly rows: readonly Row[];
  readonly totalItems: number;
  /** Whether `totalItems` was the same on all pages. */
  readonly isStill: boolean;
}

/** Enough for several page edges, in a minute at most even if a page takes a second. */
const maxPages = 8;

/** Reads the head of a statement whose first page has the number `base`; the reason if no row could be read. */
export async function readHead(statement: Statement, base: number): Promise<Head | string> {
  const { page: first, reason } = await statement.read({ page: base });
  if (first === null) return `page=${base}: ${reason}`;
  const count = Math.min(maxPages, countPages(first));
  const asks = Array.from({ length: count }, (_, index) => ({ page: base + index }));
  const pages = (await readTogether(statement, asks)).flatMap(({ page }) => page ?? []);
  const rows = pages.flatMap((page) => page.rows);
  if (rows.length === 0) return 'the statement is empty: choose another --account';
  const isStill = new Set(pages.map(({ totalItems }) => totalItems)).size === 1;
  return { pages, rows, totalItems: pages[0]?.totalItems ?? 0, isStill };
}

export function timesOf(rows: readonly Row[]): number[] {
  return rows.flatMap(({ createdAtMs }) => createdAtMs ?? []);
}

/** The reason why a check of createdAt has no answer if no row has one. */
export const noTimes = 'no row has a usable createdAt';

const orderRemedy = 'sort by createdAt and id, as in ORDER BY created_at DESC, id DESC';

export function judgeOrder({ rows }: Head): Finding {
  const times = timesOf(rows);
  if (new Set(times).size < 2) {
    return unknown('order', times.length === 0 ? noTimes : 'all rows have the same createdAt');
  }
  const isSorted = (sign: number) =>
    times.every((time, index) => index === 0 || sign * (time - (times[index - 1] ?? time)) >= 0);
  if (isSorted(-1)) return expected('order');
  return notice(
    'order',
    isSorted(1) ? 'the oldest transactions are listed first' : 'createdAt neither rises nor falls',
    'clients get the rows in this order: `first` gives the first pages, not the newest rows, and transactions that arrive anywhere but before the first row shift the others',
    orderRemedy,
  );
}

/** Transactions that the head has more than once. */
interface Repetitions {
  /** The rows whose id another row has, with another amount, direction, type or createdAt. */
  readonly sharedIds: number;
  readonly onOnePage: number;
  readonly onTwoPages: number;
}

function repetitionsIn({ pages }: Head): Repetitions {
  const rows = pages.flatMap((page, at) => page.rows.map((row) => ({ ...row, at })));
  const found = { sharedIds: 0, onOnePage: 0, onTwoPages: 0 };
  for (const [key, group] of Map.groupBy(rows, (row) => row.key)) {
    if (key === NO_KEY) continue;
    const pagesOfRow = new Set(group.map(({ at }) => at)).size;
    if (new Set(group.map(({ content }) => content)).size > 1) found.sharedIds += group.length;
    else {
      found.onOnePage += group.length - pagesOfRow;
      found.onTwoPages += pagesOfRow - 1;
    }
  }
  return found;
}

export function judgeIds(head: Head): Finding {
  const { sharedIds, onOnePage } = repetitionsIn(head);
  const all = counted(head.rows.length, 'row');
  if (sharedIds > 0) {
    return notice(
      'ids',
      `${sharedIds} of ${all} share an id with a row of another amount, direction, type or time`,
      'each is given as a transaction, but clients that cache objects by id show one of them twice',
      'give each row an id of its own, a fee as well as its payment',
    );
  }
  if (onOnePage === 0) return expected('ids');
  const here = 'each transaction is given once';
  return notice(
    'ids',
    `${onOnePage} of ${all} are on their page twice`,
    here,
    'list each row once',
  );
}

/** How often the page with the most ties is read again: two rows in random order are then in one order 1 time in 64. */
const tieReads = 6;
const maxEdgesRead = 2;

/** Whether rows with the same createdAt keep one order, on all pages and at each read. */
export async function examineTies(
  statement: Statement,
  head: Head,
  base: number,
): Promise<Finding> {
  const id = 'ties';
  const { pages, totalItems } = head;
  const edges = pages.keys().filter((at) => isTie(pages[at - 1]?.rows.at(-1), pages[at]?.rows[0]));
  const atEdges = [...edges].slice(0, maxEdgesRead).flatMap((at) => [at - 1, at]);
  const tied = pages.map(({ rows }) => rows.filter((row, at) => isTie(row, rows[at + 1])).length);
  const most = Math.max(...tied);
  const further = Array.from({ length: most > 0 ? tieReads : 1 }, () => tied.indexOf(most));
  const again = [...new Set([0, ...atEdges]), ...further];
  const totals = [totalItems];
  let changed = 0;
  for (const at of again) {
    const { page } = await statement.read({ page: base + at });
    const before = pages[at];
    if (page === null || before === undefined) continue;
    totals.push(page.totalItems);
    if (page.totalItems === before.totalItems && keysOf(page) !== keysOf(before)) changed++;
  }
  if (hasReturned(totals)) {
    return notice(
      id,
      'totalItems rises and falls again from read to read, as if replicas of different age answered in turn',
      'the gateway reads pages until they agree; if they do not, clients get STATEMENT_UNSETTLED, and can send the same request again',
      'send all requests of one token to one replica',
    );
  }
  if (changed > 0) {
    return notice(
      id,
      `${changed} of ${counted(again.length, 'page')} read again had other rows, or another order, with the same totalItems`,
      'the gateway reads such pages again, which takes more calls; rows that no read shows cannot be given',
      orderRemedy,
    );
  }
  const { onTwoPages } = repetitionsIn(head);
  if (head.isStill && onTwoPages > 0) {
    return notice(
      id,
      `of ${counted(head.rows.length, 'row')}, ${onTwoPages} are on two pages, so as many others are on none`,
      'each row that the pages show is given once; the others cannot be given',
      orderRemedy,
    );
  }
  if (atEdges.length > 0) return expected(id);
  const why =
    timesOf(head.rows).length === 0
      ? noTimes
      : `no two rows on both sides of a page's edge have the same createdAt (${counted(pages.length, 'page')} read)`;
  return unknown(id, `${why}: choose another --account`);
}

function isTie(one: Row | undefined, other: Row | undefined): boolean {
  const ms = one?.createdAtMs ?? null;
  return ms !== null && ms === other?.createdAtMs;
}

function keysOf({ rows }: Page): string {
  return rows.map(({ key }) => key).join();
}

/** Whether a total came back after it had changed. */
function hasReturned(totals: readonly number[]): boolean {
  const changes = totals
    .slice(1)
    .map((total, index) => Math.sign(total - (totals[index] ?? total)));
  return changes.includes(1) && changes.includes(-1);
}

/** The end of a statement: its last page, and the answer to a request for the page after it. */
export interface End {
  readonly last: PageReply;
  readonly beyond: PageReply;
  readonly pageCount: number;
  /** The number of the page after the last one. */
  readonly number: number;
}

export async function readEnd(statement: Statement, head: Head, base: number): Promise<End> {
  const pageCount = Math.ceil(head.totalItems / sizeOf(head));
  const number = base + pageCount;
  const last = await statement.read({ page: number - 1 });
  return { last, beyond: await statement.read({ page: number }), pageCount, number };
}

/** The page size: that of the longest page. */
function sizeOf({ pages }: Head): number {
  return Math.max(1, ...pages.map(({ rows }) => rows.length));
}

/** Compares itemsPerPage and totalPages with the rows. */
export function judgePageSize(head: Head, { last, pageCount }: End): Finding {
  const id = 'page-size';
  const size = sizeOf(head);
  const lengths = head.pages.map(({ rows }) => rows.length);
  const inside = head.pages.length * size < head.totalItems ? lengths : lengths.slice(0, -1);
  if (inside.some((length) => length < size)) {
    return notice(
      id,
      `pages before the last one have ${Math.min(...inside)} to ${size} rows`,
      'places of rows cannot be computed from totalItems, so the gateway reads page after page; rows can be missing where transactions arrive during the walk',
      'filter rows before they are paged and counted',
    );
  }
  const stated = [...head.pages, ...(last.page === null ? [] : [last.page])];
  const sizes = new Set(stated.map(({ itemsPerPage }) => itemsPerPage));
  if (sizes.size > 1 || !sizes.has(size)) {
    const isOnlyPage = head.pages.length === 1 && head.totalItems <= size;
    if (isOnlyPage) return expected(id);
    return notice(
      id,
      `itemsPerPage is ${[...sizes].join(' or ')} on pages of ${size} rows`,
      'the gateway uses the size of full pages; at the end of a statement it may need another call',
      'state the size of a full page as itemsPerPage on each page',
    );
  }
  const wrong = stated.filter(
    ({ totalPages }) => totalPages !== undefined && Number(totalPages) !== pageCount,
  );
  if (!head.isStill || wrong.length === 0) return expected(id);
  return notice(
    id,
    `totalPages is not totalItems divided by itemsPerPage, rounded up (on ${counted(wrong.length, 'page')})`,
    'the gateway trusts neither number before the pages confirm it, which takes more calls',
    'compute totalPages from totalItems and itemsPerPage',
  );
}

/** Compares totalItems with the rows of the last page, and with the page after it. */
export function judgeTotals(head: Head, { last, beyond, pageCount, number }: End): Finding {
  const id = 'totals';
  if (last.page === null) return unknown(id, `page=${number - 1}: ${last.reason}`);
  if (!head.isStill || last.page.totalItems !== head.totalItems) {
    return unknown(id, 'totalItems changed while the pages were read');
  }
  const known = [...head.pages, last.page];
  const isNew = (page: Page) =>
    page.rows.length > 0 && known.every((one) => isSamePage(one, page) === false);
  if (beyond.page !== null && isNew(beyond.page)) {
    return notice(
      id,
      'rows follow the last page that totalItems allows',
      'clients never see these rows',
      'count with the conditions with which rows are listed',
    );
  }
  const expectedRows = head.totalItems - (pageCount - 1) * sizeOf(head);
  const { length } = last.page.rows;
  if (length !== expectedRows) {
    return notice(
      id,
      `the last page has ${counted(length, 'row')}, not ${expectedRows}`,
      'totalCount is wrong, and the end of the statement takes more calls',
      'count with the conditions with which rows are listed, in one transaction with the page',
    );
  }
  return expected(id);
}

/** How the service answers after the last page, which the gateway reads if rows vanish during a walk. */
export function judgeBeyond(head: Head, { beyond, number }: End): Finding {
  const id = 'page-beyond';
  const seen = `page=${number}, after the last page`;
  if (beyond.page !== null) {
    if (beyond.page.totalItems === head.totalItems || beyond.page.rows.length > 0)
      return expected(id);
    return notice(
      id,
      `${seen}: totalItems is ${beyond.page.totalItems}, not ${head.totalItems}`,
      'the gateway does not believe totals after the last page; where rows vanish, it reads page 0 once more',
      'count in a query of its own, not with count(*) over ()',
    );
  }
  if (!isConclusive(beyond.status) && beyond.status !== 'unusable')
    return unknown(id, `${seen}: ${beyond.reason}`);
  if (noSuchPageStatuses.has(Number(beyond.status))) return expected(id);
  const here = 'a slice that reads it, because rows have vanished since, fails';
  return notice(id, `${seen}: ${beyond.reason}`, here, 'answer 200 with no rows, or 404');
}

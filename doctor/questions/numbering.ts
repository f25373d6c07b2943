// Finds out the number of the service's first page, from rows, totals and statuses, not from the numbers that pages state.
import { counted, expected, fatal, type Finding, notice, setting, unknown } from '../finding.ts';
import { isSamePage, manyTies, type Page, pageCount, type PageReply } from '../pages.ts';
import { readTogether, type Statement } from '../pages.ts';
import { isConclusive } from '../service.ts';

interface Judgement {
  readonly base: 0 | 1 | null;
  readonly seen: string;
}

export interface Numbering {
  readonly finding: Finding;
  readonly base: 0 | 1 | null;
}

export async function findPageBase(statement: Statement, configured: 0 | 1): Promise<Numbering> {
  const asks = [{ page: 0 }, { page: 1 }, { page: 2 }] as const;
  const { base, seen } = judgeBase(...(await readTogether(statement, asks)));
  if (base === null) return { base, finding: unknown('page-base', seen) };
  const isSet = base === configured;
  const settings = { UPSTREAM_PAGE_BASE: `${base}` };
  return { base, finding: isSet ? expected('page-base') : setting('page-base', seen, settings) };
}

function judgeBase(zero: PageReply, one: PageReply, two: PageReply): Judgement {
  if (isRefused(zero) && one.page !== null) {
    return { base: 1, seen: `page=0 is refused (${zero.reason}), page=1 is answered` };
  }
  if (zero.page === null) return undetermined(`page=0: ${zero.reason}; page=1: ${outcomeOf(one)}`);
  if (zero.page.totalItems === 0)
    return undetermined('the statement is empty: choose another --account');
  if (isEmpty(zero) && one.page !== null && !isEmpty(one)) {
    return { base: 1, seen: 'page=0 has no rows, page=1 has' };
  }
  return judgeFilled(zero.page, one, two);
}

/**
 * Judges the base if page 0 has rows. The base is 0 if page 1 differs from page 0, and 1 if the service returns its
 * first page as page 0, too. The base is null if the answers do not show which of the two is the case, for example
 * because too many rows have the same createdAt.
 */
function judgeFilled(zero: Page, one: PageReply, two: PageReply): Judgement {
  const isOnlyPage = pageCount(zero) <= 1;
  if (one.page === null || isEmpty(one)) {
    return isOnlyPage && isConclusive(one.status)
      ? { base: 0, seen: 'page=0 has all rows, page=1 has none' }
      : undetermined(`page=1 has no rows (${outcomeOf(one)})`);
  }
  const isRepeated = isSamePage(zero, one.page);
  if (isRepeated === null) return undetermined(manyTies);
  if (!isRepeated) return { base: 0, seen: 'page=1 continues after page=0' };
  if (isOnlyPage) {
    return undetermined(
      'page=0 and page=1 are the same, and the only page: choose an --account with more rows',
    );
  }
  if (two.page === null) {
    return undetermined(`page=0 and page=1 are the same, page=2: ${two.reason}`);
  }
  const isIgnored = isSamePage(one.page, two.page);
  if (isIgnored === null) return undetermined(manyTies);
  return isIgnored
    ? undetermined('pages 0, 1 and 2 have the same rows: the service may ignore page=')
    : { base: 1, seen: 'page=0 and page=1 have the same rows, page=2 continues after them' };
}

function undetermined(seen: string): Judgement {
  return { base: null, seen };
}

/** Whether the request was refused because of its parameters, not because of the caller or the service's state. */
function isRefused({ status }: PageReply): boolean {
  return isConclusive(status) && status >= 400 && status < 500 && ![401, 403].includes(status);
}

function outcomeOf({ page, reason }: PageReply): string {
  return page === null ? reason : counted(page.rows.length, 'row');
}

function isEmpty({ page }: PageReply): boolean {
  return page?.rows.length === 0;
}

/** Compares currentPage with the requested numbers; `pages` has the pages of the statement by number. */
export function judgeCurrentPage(pages: ReadonlyMap<number, Page>, base: 0 | 1): Finding {
  const id = 'current-page';
  const stated = [...pages.values()].map(({ currentPage }) => currentPage);
  const differs = [...pages].map(
    ([number, { currentPage }]) => Number(currentPage ?? NaN) - number,
  );
  const [shift = NaN] = differs;
  const isSteady = differs.every((one) => one === shift);
  // With base 1, currentPage may count from 0.
  if (isSteady && (shift === 0 || shift === -base)) return expected(id);
  const numbers = `currentPage of page=${[...pages.keys()].join(', ')}: ${stated.map(textOf).join(', ')}`;
  const isConstant = new Set(stated).size === 1;
  if (!isConstant && !(isSteady && shift === 1)) {
    return fatal(id, `${numbers}; the gateway rejects pages with another number`, statePage);
  }
  const here =
    'the rows show which page it is: one more read confirms UPSTREAM_PAGE_BASE, once per process';
  return notice(id, numbers, here, statePage);
}

const statePage = 'state the number of the page that was requested';

function textOf(value: unknown): string {
  if (value === undefined) return 'absent';
  return typeof value === 'number' || value === null ? `${value}` : `a ${typeof value}`;
}

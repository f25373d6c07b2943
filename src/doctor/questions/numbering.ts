// Finds out how the service numbers pages: the base of `page`, the meaning of currentPage, the default page, and pages
// outside the statement.
import type { StatementPage } from '../../upstream/shape/shapes.ts';
import type { Finding } from '../finding.ts';
import {
  isSamePage,
  manyTies,
  type PageReply,
  pageCount,
  readTogether,
  type Statement,
} from '../statement-pages.ts';

export interface Numbering {
  readonly findings: readonly Finding[];
  /** The number of the first page; null if it could not be determined. */
  readonly base: 0 | 1 | null;
}

/**
 * Determines the number of the first page from the rows, totals and statuses of answers, not from the page numbers that
 * the service states.
 */
export async function examineNumbering(statement: Statement): Promise<Numbering> {
  const [zero, one, two, omitted] = await readFour(statement);
  const { base, seen } = judgeBase(zero, one, two);
  const found: Finding = {
    id: 'page-base',
    question: 'What is the number of the first page?',
    answer: base === null ? null : `${base}`,
    seen,
    settings: base === null ? {} : { UPSTREAM_PAGE_BASE: `${base}` },
  };
  if (base === null) return { base, findings: [found] };
  const first = (base === 0 ? zero : one).page;
  const findings = [found, judgeCurrentPage(first, base), judgeDefault(first, omitted)];
  if (first !== null) findings.push(...(await examineOutside(statement, first, base)));
  return { base, findings };
}

async function readFour(
  statement: Statement,
): Promise<[PageReply, PageReply, PageReply, PageReply]> {
  const asks = [{ page: 0 }, { page: 1 }, { page: 2 }, {}];
  return (await readTogether(statement, asks)) as [PageReply, PageReply, PageReply, PageReply];
}

interface Judgement {
  readonly base: 0 | 1 | null;
  readonly seen: string;
}

function judgeBase(zero: PageReply, one: PageReply, two: PageReply): Judgement {
  if (isRefused(zero) && one.page !== null) {
    return { base: 1, seen: `page=0 is refused (${zero.status}), page=1 is answered` };
  }
  if (zero.page === null) return unknown(`page=0 answers ${zero.status}, page=1 ${one.status}`);
  if (zero.page.totalItems === 0)
    return unknown('the statement is empty: choose another --account');
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
function judgeFilled(zero: StatementPage, one: PageReply, two: PageReply): Judgement {
  const isOnlyPage = pageCount(zero) <= 1;
  if (one.page === null || isEmpty(one)) {
    return isOnlyPage
      ? { base: 0, seen: 'page=0 has all rows, page=1 has none' }
      : unknown(`page=1 has no rows (${one.status}), although there should be more pages`);
  }
  const isRepeated = isSamePage(zero, one.page);
  if (isRepeated === null) return unknown(manyTies);
  if (!isRepeated) return { base: 0, seen: 'page=1 continues after page=0' };
  if (isOnlyPage) {
    return unknown(
      'page=0 and page=1 are the same, and the only page: choose an --account with more rows',
    );
  }
  const isIgnored = two.page !== null && isSamePage(one.page, two.page);
  if (isIgnored === null) return unknown(manyTies);
  return isIgnored
    ? unknown('pages 0, 1 and 2 have the same rows: the service may ignore page=')
    : { base: 1, seen: 'page=0 and page=1 have the same rows, page=2 continues after them' };
}

function unknown(seen: string): Judgement {
  return { base: null, seen };
}

/** Whether the request was refused because of its parameters, not because of the caller or the service's state. */
function isRefused({ status }: PageReply): boolean {
  return status >= 400 && status < 500 && ![401, 403, 429].includes(status);
}

function isEmpty({ page }: PageReply): boolean {
  return page?.rows.length === 0;
}

function judgeCurrentPage(first: StatementPage | null, base: 0 | 1): Finding {
  const current = first?.currentPage ?? null;
  const seen = `currentPage of the first page, requested as page=${base}, is ${current ?? 'absent'}`;
  return {
    id: 'current-page',
    question: 'How is currentPage counted?',
    answer: current === 0 ? 'from 0' : current === base ? 'as page does' : null,
    seen:
      current === 0 || current === base ? seen : `${seen}: the gateway rejects it as a wrong page`,
  };
}

function judgeDefault(first: StatementPage | null, omitted: PageReply): Finding {
  const { page, status } = omitted;
  const isFirst = first !== null && page !== null && isSamePage(first, page);
  const other = page === null ? `${status}` : 'another page';
  return {
    id: 'page-omitted',
    question: 'Which page is returned without page?',
    answer: isFirst === null ? null : isFirst ? 'the first page' : other,
    seen: isFirst === null ? manyTies : 'the gateway always sends page',
  };
}

async function examineOutside(
  statement: Statement,
  first: StatementPage,
  base: 0 | 1,
): Promise<Finding[]> {
  const behind = base + Math.max(1, pageCount(first));
  const asks = [{ page: behind - 1 }, { page: behind }, { page: base - 1 }];
  const [last, beyond, below] = await readTogether(statement, asks);
  const lastAgain = describe(beyond, last?.page ?? null, 'the last page again');
  const firstAgain = describe(below, first, 'the first page again');
  return [
    {
      id: 'page-beyond',
      question: 'What is returned after the last page?',
      answer: lastAgain,
      seen: lastAgain === null ? manyTies : `page=${behind}`,
    },
    {
      id: 'page-below',
      question: 'What is returned before the first page?',
      answer: firstAgain,
      seen: firstAgain === null ? manyTies : `page=${base - 1}`,
    },
  ];
}

/**
 * Describes an answer in a few words. Returns `same` if the answer has the rows of `page`, and null if too few rows can
 * be compared.
 */
function describe(
  reply: PageReply | undefined,
  page: StatementPage | null,
  same: string,
): string | null {
  if (reply === undefined) return null;
  if (reply.page === null) return `status ${reply.status}`;
  if (isEmpty(reply)) return 'no rows';
  const isSame = page !== null && isSamePage(page, reply.page);
  return isSame === null ? null : isSame ? same : 'other rows';
}

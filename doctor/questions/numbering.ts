// Finds out how the service numbers pages: the base of `page`, the meaning of currentPage, the default page, and pages
// outside the statement.
import { noSuchPageStatuses } from '../../src/upstream/exchange/failure.ts';
import type { StatementPage } from '../../src/upstream/shape/shapes.ts';
import type { Finding } from '../finding.ts';
import { failureText, isConclusive } from '../probe.ts';
import { judgeCurrentPage, judgeTotals, pagesWithin } from './stated-numbers.ts';
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
  const asks = [{ page: 0 }, { page: 1 }, { page: 2 }, {}] as const;
  const [zero, one, two, omitted] = await readTogether(statement, asks);
  const { base, seen } = judgeBase(zero, one, two);
  const found: Finding = {
    id: 'page-base',
    question: 'What is the number of the first page?',
    answer: base === null ? null : `${base}`,
    seen,
    settings: base === null ? {} : { UPSTREAM_PAGE_BASE: `${base}` },
  };
  const first = (base === 0 ? zero : one).page;
  if (base === null || first === null) return { base, findings: [found] };
  const end = base + Math.max(1, pageCount(first));
  const edges = [{ page: end - 1 }, { page: end }, { page: base - 1 }] as const;
  const [last, beyond, below] = await readTogether(statement, edges);
  const pages = pagesWithin(new Map([zero, one, two].entries()).set(end - 1, last), base);
  return {
    base,
    findings: [
      found,
      judgeCurrentPage(pages, base),
      {
        id: 'page-omitted',
        question: 'Which page is returned without page?',
        ...describe(omitted, first, 'the first page', 'the gateway always sends page'),
      },
      {
        id: 'page-beyond',
        question: 'What is returned after the last page?',
        ...describe(
          beyond,
          last.page,
          'the last page again',
          `page=${end}${consequenceOf(beyond)}`,
        ),
      },
      {
        id: 'page-below',
        question: 'What is returned before the first page?',
        ...describe(below, first, 'the first page again', `page=${base - 1}`),
      },
      judgeTotals(pages, first, last, beyond),
    ],
  };
}

interface Judgement {
  readonly base: 0 | 1 | null;
  readonly seen: string;
}

function judgeBase(zero: PageReply, one: PageReply, two: PageReply): Judgement {
  if (isRefused(zero) && one.page !== null) {
    return { base: 1, seen: `page=0 is refused (${zero.status}), page=1 is answered` };
  }
  if (zero.page === null) return unknown(`page=0: ${outcomeOf(zero)}, page=1: ${outcomeOf(one)}`);
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
    return isOnlyPage && isConclusive(one.status)
      ? { base: 0, seen: 'page=0 has all rows, page=1 has none' }
      : unknown(`page=1 has no rows (${outcomeOf(one)})`);
  }
  const isRepeated = isSamePage(zero, one.page);
  if (isRepeated === null) return unknown(manyTies);
  if (!isRepeated) return { base: 0, seen: 'page=1 continues after page=0' };
  if (isOnlyPage) {
    return unknown(
      'page=0 and page=1 are the same, and the only page: choose an --account with more rows',
    );
  }
  if (two.page === null)
    return unknown(`page=0 and page=1 are the same, page=2: ${outcomeOf(two)}`);
  const isIgnored = isSamePage(one.page, two.page);
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
  return isConclusive(status) && status >= 400 && status < 500 && ![401, 403].includes(status);
}

function outcomeOf({ page, status }: PageReply): string {
  return page === null ? failureText(status) : `status ${status}`;
}

function isEmpty({ page }: PageReply): boolean {
  return page?.rows.length === 0;
}

function consequenceOf({ page, status }: PageReply): string {
  const isExpected = page !== null || noSuchPageStatuses.has(Number(status));
  return isExpected ? '' : '; a slice that reads it fails';
}

/**
 * Describes an answer in a few words; `same` is the description of an answer with the rows of `page`. Unknown if too few
 * rows can be compared, or if the status does not depend on the request.
 */
function describe(
  reply: PageReply,
  page: StatementPage | null,
  same: string,
  seen: string,
): Pick<Finding, 'answer' | 'seen'> {
  if (!isConclusive(reply.status)) return { answer: null, seen: failureText(reply.status) };
  if (reply.page === null) return { answer: failureText(reply.status), seen };
  if (isEmpty(reply)) return { answer: 'no rows', seen };
  const isSame = page !== null && isSamePage(page, reply.page);
  return isSame === null
    ? { answer: null, seen: manyTies }
    : { answer: isSame ? same : 'other rows', seen };
}

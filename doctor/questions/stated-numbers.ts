// Checks the numbers that pages state about themselves, currentPage and totalItems, against the requests and the rows.
import { NO_KEY, type StatementPage } from '../../src/upstream/shape/shapes.ts';
import type { Finding } from '../finding.ts';
import { failureText } from '../probe.ts';
import { isSamePage, pageCount, type PageReply } from '../statement-pages.ts';

type NumberedPages = ReadonlyMap<number, StatementPage>;

/** The pages of the statement by their numbers. Other numbers are left out: services may answer them with any page. */
export function pagesWithin(replies: ReadonlyMap<number, PageReply>, base: number): NumberedPages {
  const pages = new Map<number, StatementPage>();
  for (const [number, { page }] of replies) {
    const end = base + Math.max(1, page === null ? 0 : pageCount(page));
    if (page !== null && number >= base && number < end) pages.set(number, page);
  }
  return pages;
}

export function judgeCurrentPage(pages: NumberedPages, base: 0 | 1): Finding {
  const numbers = [...pages.keys()];
  const stated = [...pages.values()].map(({ currentPage }) => currentPage);
  const isIndex = stated.every((current, index) => current + base === numbers[index]);
  const isEcho = stated.every((current, index) => current === numbers[index]);
  const seen = `currentPage of page=${numbers.join(', ')}: ${stated.join(', ')}`;
  return {
    id: 'current-page',
    question: 'How is currentPage counted?',
    answer: isIndex ? 'from 0' : isEcho ? 'as page does' : null,
    seen: isIndex || isEcho ? seen : `${seen}; the gateway rejects pages with a wrong number`,
  };
}

/** Compares totalItems with the rows of the last page, and of the page after it. */
export function judgeTotals(
  pages: NumberedPages,
  first: StatementPage,
  last: PageReply,
  beyond: PageReply,
): Finding {
  const id = 'totals';
  const question = 'Does totalItems agree with the rows?';
  if (last.page === null) return { id, question, answer: null, seen: failureText(last.status) };
  const all = [first, last.page, beyond.page ?? last.page];
  if (new Set(all.map(({ totalItems }) => totalItems)).size > 1) {
    const seen = 'totalItems differs from page to page, or the statement changed';
    return { id, question, answer: null, seen };
  }
  const expected = first.totalItems - (pageCount(first) - 1) * first.itemsPerPage;
  const { length } = last.page.rows;
  const defects: string[] = [];
  if (length !== expected)
    defects.push(`the last page has ${length} rows, not ${expected}: the gateway rejects it`);
  if (hasNewRows(beyond, [first, last.page]))
    defects.push('rows follow the last page: clients never see them');
  if ([...pages.values()].some(repeatsId)) defects.push('a page has the same id twice');
  else if (shareId([...pages.values()]))
    defects.push('two pages have the same id: the gateway rejects slices of both');
  return defects.length === 0
    ? { id, question, answer: 'yes', seen: 'the rows of the last page, counted' }
    : { id, question, answer: 'no', seen: defects.join('; ') };
}

/** Some services answer a page after the last one with the last or the first page. */
function hasNewRows({ page }: PageReply, known: readonly StatementPage[]): boolean {
  if (page === null || page.rows.length === 0) return false;
  return known.every((other) => isSamePage(other, page) === false);
}

function repeatsId({ rows }: Pick<StatementPage, 'rows'>): boolean {
  const keys = rows.map(({ key }) => key).filter((key) => key !== NO_KEY);
  return new Set(keys).size < keys.length;
}

/**
 * Whether pages of one state of the statement share an id. Rows with the createdAt of a page's first or last row are
 * left out: they may have moved to the next page between the two reads.
 */
function shareId(pages: readonly StatementPage[]): boolean {
  if (new Set(pages.map(({ totalItems }) => totalItems)).size > 1) return false;
  const edges = new Set(
    pages.flatMap(({ rows }) => [rows.at(0)?.createdAtMs, rows.at(-1)?.createdAtMs]),
  );
  const rows = pages.flatMap((page) => page.rows).filter((row) => !edges.has(row.createdAtMs));
  return repeatsId({ rows });
}

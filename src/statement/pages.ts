// Loads the pages of one statement. A page is read once per request, unless a slice has to read it again.
import { contractViolation, GatewayError } from '../errors.ts';
import { type UpstreamCall, type UpstreamReader, UpstreamStatusError } from '../upstream/client.ts';
import type { StatementPage } from '../upstream/shape/shapes.ts';
import type { PageNumbering } from './page-numbering.ts';
import { createPageView, isWhole, type PageView } from './page-view.ts';

/** One account between two dates (yyyy-MM-dd, null for no bound). */
export interface StatementScope {
  readonly accountId: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** The dependencies of the reads of a statement. */
export interface PageSource {
  readonly upstream: UpstreamReader<'transactions'>;
  readonly call: UpstreamCall;
  readonly numbering: PageNumbering;
}

export interface Pages {
  /**
   * Reads zero-based pages in parallel. Pages of `again` are read from the service; the others are
   * reused from earlier reads of this request if possible. Throws OPERATION_TOO_COMPLEX before any
   * read if the reads would exceed the operation's remaining calls.
   */
  read(pages: readonly number[], again: readonly number[]): Promise<PageView[]>;
}

/** One instance per request and scope, so that fields that need the same page share one call. */
export function createPages(source: PageSource, scope: StatementScope): Pages {
  const loaded = new Map<number, Promise<PageView>>();
  let answers = 0;

  async function load(page: number): Promise<PageView> {
    let view: PageView;
    try {
      view = await readWhole(source, scope, page);
    } catch (error) {
      view = await readAfterRefusal(source, scope, page, error);
      // The head, returned instead of this page, must not be reused as this page later.
      if (view.page !== page) loaded.delete(page);
    }
    return { ...view, order: ++answers };
  }

  return {
    read(pages, again) {
      const unread = pages.filter((page) => again.includes(page) || !loaded.has(page));
      source.call.budget.check(unread.length);
      for (const page of unread) loaded.set(page, load(page));
      return Promise.all(pages.map((page) => loaded.get(page) ?? load(page)));
    },
  };
}

/**
 * Some services refuse pages beyond the end, and a page may be beyond the end after the statement
 * shrank. The head, which has the current total, is then read instead.
 */
async function readAfterRefusal(
  source: PageSource,
  scope: StatementScope,
  page: number,
  error: unknown,
): Promise<PageView> {
  if (!isRefusal(error)) {
    throw error;
  }
  if (page === 0) {
    await checkBase(source, scope, error);
    throw error;
  }
  const head = await readWhole(source, scope, 0);
  // If the head's total includes the page, the page may be new, so it is read again. Otherwise the service
  // would refuse it again.
  return page * head.size < head.total ? readWhole(source, scope, page) : head;
}

/**
 * Statuses with which services refuse a page that does not exist. 404 may also mean that the
 * account does not exist.
 */
const noSuchPage: ReadonlySet<number> = new Set([400, 404, 422]);

/**
 * If the service refuses the first page, the other base is tried, unless a page has been answered
 * before. Throws UPSTREAM_CONTRACT_VIOLATION if UPSTREAM_PAGE_BASE is wrong.
 */
async function checkBase(
  source: PageSource,
  scope: StatementScope,
  refusal: unknown,
): Promise<void> {
  const isAboutPage = refusal instanceof UpstreamStatusError && noSuchPage.has(refusal.status);
  const { numbering } = source;
  const { otherBase } = numbering;
  if (otherBase === null || !isAboutPage) {
    return;
  }
  const isThere = await ask(source, scope, otherBase).then(
    () => true,
    () => false,
  );
  if (!isThere) {
    numbering.refuseOther();
  } else {
    throw contractViolation(
      `page ${numbering.numberOf(0)} was refused and page ${otherBase} came; UPSTREAM_PAGE_BASE must be what it calls its first page`,
    );
  }
}

function isRefusal(error: unknown): boolean {
  return (
    error instanceof GatewayError &&
    (error.code === 'NOT_FOUND' || error.code === 'UPSTREAM_REJECTED')
  );
}

/**
 * Reads a page, and once more if its number of rows contradicts its totals, because the service may
 * have counted rows and totals at different moments.
 */
async function readWhole(
  source: PageSource,
  scope: StatementScope,
  page: number,
): Promise<PageView> {
  for (let tries = 0; tries < 2; tries++) {
    const answer = await ask(source, scope, source.numbering.numberOf(page));
    // For a page beyond the end, some services repeat the last page and others send no rows, so only the totals
    // are used.
    if (page > lastPage(answer)) return createPageView(page, { ...answer, rows: [] });
    if (source.numbering.check(page, answer.currentPage) === 'confirm') {
      await confirmEcho(source, scope, page, answer);
    }
    const view = createPageView(page, answer);
    if (isWhole(view)) return view;
  }
  throw contractViolation(
    'a page has not as many transactions as its pagination says; also check UPSTREAM_PAGE_BASE',
  );
}

/** Reads a page by the number that the service uses for it. */
function ask({ upstream, call }: PageSource, scope: StatementScope, page: number) {
  const { accountId, from: startDate, to: endDate } = scope;
  return upstream.read(call, 'transactions', { accountId, page, startDate, endDate });
}

function lastPage({ totalItems, itemsPerPage }: StatementPage): number {
  return Math.max(Math.ceil(totalItems / itemsPerPage) - 1, 0);
}

/**
 * Confirms that the service counts from 1 and echoes numbers, by reading the last page. If the
 * service counts from 0, the number of the last page in base 1 is beyond the end.
 */
async function confirmEcho(
  source: PageSource,
  scope: StatementScope,
  page: number,
  answer: StatementPage,
): Promise<void> {
  if (answer.totalItems === 0) {
    return;
  }
  const last = lastPage(answer);
  const { numbering } = source;
  const end =
    page === last
      ? answer
      : await ask(source, scope, numbering.numberOf(last)).catch(noneIfRefused);
  if (end?.currentPage !== numbering.numberOf(last) || end.rows.length === 0) {
    throw contractViolation('its pages are not counted from 1; set UPSTREAM_PAGE_BASE to 0');
  }
  numbering.confirmEcho();
}

function noneIfRefused(error: unknown): undefined {
  if (!isRefusal(error)) throw error;
}

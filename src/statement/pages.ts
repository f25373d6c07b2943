// Loads pages of one statement, each at most once a request unless a slice has to look again.
import { contractViolation, GatewayError } from '../errors.ts';
import { type UpstreamCall, type UpstreamClient, UpstreamStatusError } from '../upstream/client.ts';
import type { StatementPage } from '../upstream/shape/shapes.ts';
import type { PageNumbering } from './page-numbering.ts';
import { createPageView, isWhole, type PageView } from './page-view.ts';

/** One account between two dates (yyyy-MM-dd, null for no bound). */
export interface StatementScope {
  readonly accountId: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** What reading a statement takes. */
export interface PageSource {
  readonly upstream: Pick<UpstreamClient, 'statementPage'>;
  readonly call: UpstreamCall;
  readonly numbering: PageNumbering;
}

export interface Pages {
  /** Throws OPERATION_TOO_COMPLEX where the operation has not the calls left that reading all of these takes. */
  checkBudget(pages: readonly number[], again: readonly number[]): void;
  /** The zero-based page: as read before in this request, or `again` from the service. */
  read(page: number, again: boolean): Promise<PageView>;
}

/** One for a request and scope, so that fields that need the same page share its one call. */
export function createPages(source: PageSource, scope: StatementScope): Pages {
  const loaded = new Map<number, Promise<PageView>>();
  let answers = 0;

  async function load(page: number): Promise<PageView> {
    try {
      return inOrder(await readWhole(source, scope, page));
    } catch (error) {
      const view = await readAfterRefusal(source, scope, page, error);
      // What stands in for a page is not to be taken for it later.
      if (view.page !== page) loaded.delete(page);
      return inOrder(view);
    }
  }

  function inOrder(view: PageView): PageView {
    return { ...view, order: ++answers };
  }

  return {
    checkBudget(pages, again) {
      source.call.budget.check(
        pages.filter((page) => again.includes(page) || !loaded.has(page)).length,
      );
    },
    read(page, again) {
      const view = (again ? undefined : loaded.get(page)) ?? load(page);
      loaded.set(page, view);
      return view;
    },
  };
}

/**
 * What the service answers beyond its last page is not shown; some refuse it. A page may come to lie there because the
 * statement shrank: then the head, which tells how long it is now, is read in its place.
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
  // Where the page is there by what the head says, it may have come to be there just now; else it is refused again.
  return page * head.size < head.total ? readWhole(source, scope, page) : head;
}

/** How services refuse a page that they do not have; 404 is also how they refuse an account. */
const noSuchPage: ReadonlySet<number> = new Set([400, 404, 422]);

/**
 * A service that refuses its first page may call it otherwise than UPSTREAM_PAGE_BASE says: that is tried, as long as no
 * page of it was answered. Throws UPSTREAM_CONTRACT_VIOLATION where it is so.
 */
async function checkBase(
  { upstream, call, numbering }: PageSource,
  scope: StatementScope,
  refusal: unknown,
): Promise<void> {
  const isAboutPage = refusal instanceof UpstreamStatusError && noSuchPage.has(refusal.status);
  const { otherBase } = numbering;
  if (otherBase === null || !isAboutPage) {
    return;
  }
  const isThere = await upstream.statementPage(call, { ...scope, page: otherBase }).then(
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

/** Reads a page, once more where it has not as many rows as its own totals say: they may have been counted apart. */
async function readWhole(
  source: PageSource,
  scope: StatementScope,
  page: number,
): Promise<PageView> {
  for (let tries = 0; tries < 2; tries++) {
    const answer = await ask(source, scope, page);
    // Some services answer their last page beyond it, some none: only the totals are used.
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

function ask({ upstream, call, numbering }: PageSource, scope: StatementScope, page: number) {
  return upstream.statementPage(call, { ...scope, page: numbering.numberOf(page) });
}

function lastPage({ totalItems, itemsPerPage }: StatementPage): number {
  return Math.max(Math.ceil(totalItems / itemsPerPage) - 1, 0);
}

/**
 * The service seems to count from 1 and to echo what it is asked. If it counts from 0 in truth, the page that is the last
 * by base 1 lies beyond its end.
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
  const end = page === last ? answer : await askOrNone(source, scope, last);
  if (end?.currentPage !== source.numbering.numberOf(last) || end.rows.length === 0) {
    throw contractViolation('its pages are not counted from 1; set UPSTREAM_PAGE_BASE to 0');
  }
  source.numbering.confirmEcho();
}

async function askOrNone(
  source: PageSource,
  scope: StatementScope,
  page: number,
): Promise<StatementPage | undefined> {
  try {
    return await ask(source, scope, page);
  } catch (error) {
    if (isRefusal(error)) {
      return undefined;
    }
    throw error;
  }
}

// Loads the pages of one statement. A page is reused within a request, unless a slice has to read it again.
import { contractViolation } from '../errors.ts';
import { type UpstreamCall, type UpstreamReader, UpstreamStatusError } from '../upstream/client.ts';
import { noSuchPageStatuses } from '../upstream/exchange/failure.ts';
import type { StatementPage } from '../upstream/shape/shapes.ts';
import type { StatementScope } from './cursor.ts';
import type { PageNumbering } from './page-numbering.ts';
import { createPageView, type PageView } from './page-view.ts';

export interface PageSource {
  readonly upstream: UpstreamReader<'transactions'>;
  readonly call: UpstreamCall;
  readonly numbering: PageNumbering;
}

/** Created once per request and scope, so that fields that need the same page share one call. */
export class Pages {
  readonly #source: PageSource;
  readonly #scope: StatementScope;
  readonly #loaded = new Map<number, Promise<PageView>>();
  #answers = 0;

  constructor(source: PageSource, scope: StatementScope) {
    this.#source = source;
    this.#scope = scope;
  }

  /** Reads zero-based pages; those in `used` are read again. Throws OPERATION_TOO_COMPLEX if too few calls are left. */
  read(pages: readonly number[], used: readonly number[]): Promise<PageView>[] {
    const unread = pages.filter((page) => used.includes(page) || !this.#loaded.has(page));
    this.#source.call.budget.check(unread.length);
    for (const page of unread) this.#loaded.set(page, this.#load(page));
    return pages.map((page) => this.#loaded.get(page) ?? this.#load(page));
  }

  /** Not async, nor is `#readWhole`: waiting calls take less memory. */
  #load(page: number): Promise<PageView> {
    return this.#readWhole(page).catch((error: unknown) => this.#readAfterRefusal(page, error));
  }

  /** Some services refuse pages beyond the end: reads the head for its total, and the page again if it now exists. */
  async #readAfterRefusal(page: number, error: unknown): Promise<PageView> {
    if (!isRefusal(error)) throw error;
    if (page === 0) {
      await this.#checkBase();
      throw error;
    }
    const head = await this.#readWhole(0);
    // If the head's total includes the page, the page may have come into existence since it was refused.
    if (page * head.size < head.total) return this.#readWhole(page);
    // The head must not be reused as this page.
    this.#loaded.delete(page);
    return head;
  }

  /**
   * Tries the other base after the first page was refused, unless the base is confirmed or several attempts have failed.
   * Throws UPSTREAM_CONTRACT_VIOLATION if the attempt succeeds.
   */
  async #checkBase(): Promise<void> {
    const { numbering } = this.#source;
    const { otherBase } = numbering;
    if (otherBase === null) return;
    const onError = (error: unknown) => numbering.refuseOther(isRefusal(error));
    const other = await this.#ask(otherBase).catch(onError);
    if (other === undefined) return;
    throw contractViolation(
      `page ${numbering.numberOf(0)} was rejected, but page ${otherBase} exists; UPSTREAM_PAGE_BASE must be the number of the first page`,
    );
  }

  /** Reads a page, and once more if its rows contradict its totals, because the two may be from different moments. */
  #readWhole(page: number, isRepeated = false): Promise<PageView> {
    const { numbering } = this.#source;
    return this.#ask(numbering.numberOf(page)).then((answer) => {
      // Beyond the end, some services repeat the last page and others send no rows, so only the totals are used.
      const isBeyond = page > lastPage(answer);
      const content = isBeyond ? { ...answer, rows: [] } : answer;
      const accept = () => this.#accept(page, content, isRepeated);
      const tellsBase = !isBeyond && answer.totalItems > 0;
      const fits = !tellsBase || numbering.check(page, answer.currentPage) === 'fits';
      return fits ? accept() : this.#confirmEcho(page, answer).then(accept);
    });
  }

  #accept(page: number, content: StatementPage, isRepeated: boolean): PageView | Promise<PageView> {
    const view = createPageView(page, content, ++this.#answers);
    // There are `newest + 1` rows from the first row of the page on.
    if (view.rows.length === Math.min(Math.max(view.newest + 1, 0), view.size)) return view;
    if (!isRepeated) return this.#readWhole(page, true);
    throw contractViolation(
      'the number of transactions on a page differs from its pagination; check UPSTREAM_PAGE_BASE too',
    );
  }

  /** Reads a page by the number that the service uses for it. */
  #ask(page: number): Promise<StatementPage> {
    const { from: startDate = null, to: endDate = null, ...others } = this.#scope;
    const { upstream, call } = this.#source;
    return upstream.read(call, 'transactions', { ...others, page, startDate, endDate });
  }

  /** Confirms by the last page that page numbers begin at 1: if they begin at 0, that page's number is too large. */
  async #confirmEcho(page: number, answer: StatementPage): Promise<void> {
    const last = lastPage(answer);
    const { numbering } = this.#source;
    const end =
      page === last ? answer : await this.#ask(numbering.numberOf(last)).catch(noneIfRefused);
    const now = end ?? (await this.#ask(numbering.numberOf(page)));
    // If another page is the last one by now, the number of this one shows nothing.
    if (lastPage(now) !== last) return this.#confirmEcho(end === undefined ? page : last, now);
    if (end?.currentPage !== numbering.numberOf(last) || end.rows.length === 0) {
      throw contractViolation('the first page is not number 1; set UPSTREAM_PAGE_BASE to 0');
    }
    numbering.recordEcho(true);
  }
}

const isRefusal = (error: unknown) =>
  error instanceof UpstreamStatusError && noSuchPageStatuses.has(error.status);

const lastPage = ({ totalItems, itemsPerPage }: StatementPage) =>
  Math.max(Math.ceil(totalItems / itemsPerPage) - 1, 0);

function noneIfRefused(error: unknown): undefined {
  if (!isRefusal(error)) throw error;
}

// Loads the pages of one statement. A page is reused within a request, unless a slice has to read it again.
import { contractViolation, GatewayError } from '../errors.ts';
import { type UpstreamCall, type UpstreamReader, UpstreamStatusError } from '../upstream/client.ts';
import { noSuchPageStatuses } from '../upstream/exchange/failure.ts';
import { NO_KEY, type StatementPage } from '../upstream/shape/shapes.ts';
import type { StatementScope } from './cursor.ts';
import type { ParallelReads } from './parallel-reads.ts';
import type { PageNumbering } from './page-numbering.ts';
import { createPageView, sizeOf, type PageRead, type PageView } from './page-view.ts';
import type { ReadReason } from './place.ts';

export interface PageSource {
  readonly upstream: UpstreamReader<'transactions'>;
  readonly call: UpstreamCall;
  readonly numbering: PageNumbering;
}

/** How often a page is read whose rows do not fit its total. */
const maxTries = 3;

/** Created once per request and scope, so that fields that need the same page share one call. */
export class Pages {
  readonly #source: PageSource;
  readonly #parallel: ParallelReads;
  readonly #scope: StatementScope;
  readonly #loaded = new Map<number, Promise<PageView>>();
  /** The latest answer for each page. */
  readonly #views = new Map<number, PageView>();
  /** Why each page was read last. */
  readonly #reasons = new Map<number, ReadReason>();
  #answers = 0;
  #confirmation: Promise<void> | undefined;

  constructor(source: PageSource, scope: StatementScope, parallel: ParallelReads) {
    this.#source = source;
    this.#parallel = parallel;
    this.#scope = scope;
  }

  /** Reads zero-based pages; those in `used` are read again. Throws OPERATION_TOO_COMPLEX if too few calls are left. */
  read(pages: readonly number[], used: readonly number[], reason: ReadReason): Promise<PageView>[] {
    const unread = pages.filter((page) => used.includes(page) || !this.#loaded.has(page));
    this.#source.call.budget.check(unread.length);
    for (const page of unread) {
      this.#reasons.set(page, reason);
      this.#loaded.set(page, this.#load(page));
    }
    return pages.map((page) => this.#loaded.get(page) ?? this.#load(page));
  }

  /**
   * Reads a page, and up to twice again if it has more rows than its total counts, or none at the head: the rows and the
   * total may be from different moments. A single function, because each promise costs time. `callsBefore` is the number
   * of calls that were made for the page before.
   */
  async #load(page: number, isRepeated = false, callsBefore = 0): Promise<PageView> {
    const { numbering } = this.#source;
    let calls = callsBefore;
    const turn = this.#parallel.begin();
    if (turn !== null) await turn;
    try {
      let view: PageView | 'misfit' | null = 'misfit';
      let [total, hasChanged] = [NaN, false];
      for (let tries = 0; tries < maxTries && view === 'misfit'; tries++) {
        const since = this.#answers;
        calls++;
        const answer = await this.#ask(numbering.numberOf(page));
        hasChanged ||= tries > 0 && answer.totalItems !== total;
        total = answer.totalItems;
        view = viewOf(page, answer, { order: ++this.#answers, since, calls });
        // Pages that are read side by side share the confirmation.
        if (view !== null && this.#isDoubtful(page, answer))
          await (this.#confirmation ??= this.#confirmBase(page, answer));
      }
      if (view === 'misfit' && hasChanged) throw new GatewayError('STATEMENT_UNSETTLED');
      if (view === 'misfit')
        await this.#fail('the number of transactions on a page differs from its pagination');
      else if (view !== null) {
        if (this.#isSameAsOther(view)) await this.#fail('two page numbers return the same page');
        this.#views.set(page, view);
        return view;
      }
    } catch (error) {
      // A failed call must not be reused.
      this.#loaded.delete(page);
      if (!isRefusal(error)) throw error;
      if (page === 0) await this.#tryOtherBase();
      if (page === 0 || isRepeated) throw error;
    } finally {
      this.#parallel.end();
    }
    return this.#loadHead(page, isRepeated, calls);
  }

  /** Reads the first page in place of one beyond the end, where services send any totals or refuse the request. */
  async #loadHead(page: number, isRepeated: boolean, calls: number): Promise<PageView> {
    const head = await this.#load(0, false, calls);
    // If the head's total includes the page, the page may have come into existence since.
    if (!isRepeated && page * head.size < head.total) return this.#load(page, true, head.calls);
    // The head must not be reused as this page.
    this.#loaded.delete(page);
    return head;
  }

  /** Tries the other base after the first page was refused. Throws UPSTREAM_CONTRACT_VIOLATION if this succeeds. */
  async #tryOtherBase(): Promise<void> {
    const { numbering } = this.#source;
    if (!numbering.mayBeOther) return;
    const other = await this.#ask(1 - numbering.base).catch((error: unknown) => {
      if (isRefusal(error)) numbering.recordRefusal();
    });
    if (other !== undefined) throw wrongBase(numbering.base);
  }

  /** Whether only the rows of other pages can show that the answer is that of the page. */
  #isDoubtful(page: number, answer: StatementPage): boolean {
    const { totalItems, currentPage } = answer;
    if (totalItems === 0 || isBeyond(page, answer)) return false;
    return this.#source.numbering.check(page, currentPage) === 'confirm';
  }

  /** Reads a page by the number that the service uses for it. */
  #ask(page: number): Promise<StatementPage> {
    const { from: startDate = null, to: endDate = null, ...others } = this.#scope;
    const { upstream, call, numbering } = this.#source;
    const reason = this.#reasons.get(page - numbering.base) ?? 'check';
    const observer = call.observer?.because?.(reason) ?? call.observer;
    const observed = observer === call.observer ? call : { ...call, ...(observer && { observer }) };
    return upstream.read(observed, 'transactions', { ...others, page, startDate, endDate });
  }

  #isSameAsOther(view: PageView): boolean {
    return this.#views.values().some((other) => areSamePage(view, other));
  }

  /**
   * Confirms the base by the rows of the pages that have the numbers 0 and 1: if these are the same page, or there is no
   * page 0, numbers begin at 1. `answer` is the page that was read.
   */
  async #confirmBase(page: number, answer: StatementPage): Promise<void> {
    const { numbering } = this.#source;
    // A single page is right in any case, and shows nothing.
    if (page === 0 && answer.rows.length > 0 && answer.totalItems <= answer.rows.length) return;
    const read = async (number: number) =>
      number === numbering.numberOf(page) ? answer : this.#ask(number).catch(noneIfRefused);
    const [zero, one] = [await read(0), await read(1)];
    const base = !zero?.rows.length || (one?.rows.length && areAlike(zero, one)) ? 1 : 0;
    if (base !== numbering.base) await this.#fail('two page numbers return the same page');
    numbering.confirm();
    numbering.check(0, (base === 0 ? zero : one)?.currentPage ?? null);
  }

  /** Throws UPSTREAM_CONTRACT_VIOLATION, which names UPSTREAM_PAGE_BASE only if its other value would be right. */
  async #fail(what: string): Promise<never> {
    const { base, isConfirmed } = this.#source.numbering;
    if (!isConfirmed) {
      const read = (number: number) => this.#ask(number).catch(noneIfRefused);
      const [first, second] = [await read(1 - base), await read(2 - base)];
      if (first?.rows.length && (!second || !areAlike(first, second))) throw wrongBase(base);
    }
    throw contractViolation(what);
  }
}

/** The view of an answer; `misfit` if its rows do not fit its total, null if it shows no row and no usable totals. */
function viewOf(page: number, answer: StatementPage, read: PageRead): PageView | 'misfit' | null {
  const { totalItems, rows } = answer;
  const size = sizeOf(page, answer);
  if (page > 0 && (totalItems === 0 || (size === 0 && rows.length === 0))) return null;
  if (size === 0 && totalItems > 0)
    throw contractViolation('pagination.itemsPerPage is not a whole number from 1 on');
  const shown = isBeyond(page, answer) ? [] : rows;
  const view = createPageView(page, totalItems, Math.max(size, 1), shown, read);
  const isMisfit = shown.length > Math.max(view.newest + 1, 0);
  return isMisfit || (page === 0 && shown.length === 0 && totalItems > 0) ? 'misfit' : view;
}

/** Beyond the end, some services repeat the last page and others send no rows, so only the totals are used. */
function isBeyond(page: number, answer: StatementPage): boolean {
  return page > 0 && page * sizeOf(page, answer) >= answer.totalItems;
}

function wrongBase(base: 0 | 1): Error {
  return contractViolation(`the first page is number ${1 - base}; set UPSTREAM_PAGE_BASE to it`);
}

const isRefusal = (error: unknown) =>
  error instanceof UpstreamStatusError && noSuchPageStatuses.has(error.status);

function noneIfRefused(error: unknown): undefined {
  if (!isRefusal(error)) throw error;
}

/** Whether two answers show the same page: rows may have arrived or gone between the reads. */
function areAlike(one: StatementPage, other: StatementPage): boolean {
  const keys = new Set(one.rows.map(({ key }) => key));
  const shared = other.rows.filter(({ key }) => key !== NO_KEY && keys.has(key)).length;
  return shared * 2 > Math.min(one.rows.length, other.rows.length);
}

/** Whether two page numbers returned the same total and rows; false for a single row, which may have moved. */
function areSamePage(one: PageView, other: PageView): boolean {
  return (
    one.total === other.total &&
    one.page !== other.page &&
    one.rows.length > 1 &&
    one.rows.length === other.rows.length &&
    one.rows.every(({ key }, offset) => key !== NO_KEY && key === other.rows[offset]?.key)
  );
}

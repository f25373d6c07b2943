// What the service calls its pages: UPSTREAM_PAGE_BASE, and what is known of pagination.currentPage.
import { contractViolation } from '../errors.ts';

/** The number of failed attempts after which the other base is no longer tried. */
const maxRefusals = 3;

/** One instance serves the whole process, because it holds no data of callers. */
export class PageNumbering {
  readonly #base: 0 | 1;
  /** currentPage less the index of a page; null if it differs between pages, undefined until known. */
  #offset: number | null | undefined;
  /** Whether two pages have shown the same offset. */
  #moves = false;
  #firstPage = 0;
  #isConfirmed = false;
  /** Whether the service has returned rows of the first page. */
  #hasFirst = false;
  #refusals = 0;

  /** `base` is UPSTREAM_PAGE_BASE. */
  constructor(base: 0 | 1) {
    this.#base = base;
  }

  get base(): 0 | 1 {
    return this.#base;
  }

  /** Whether the rows of several pages have shown that the base is right. */
  get isConfirmed(): boolean {
    return this.#isConfirmed;
  }

  /** Whether the first page is worth trying with the other base after it was refused with this one. */
  get mayBeOther(): boolean {
    return !this.#isConfirmed && !this.#moves && !this.#hasFirst && this.#refusals < maxRefusals;
  }

  /** The `page` parameter for a zero-based page. */
  numberOf(page: number): number {
    return page + this.#base;
  }

  /**
   * Returns `confirm` if only the rows of the pages 0 and 1 can show whether the base is right. Throws a contract
   * violation if currentPage changes with the page, but states another one.
   */
  check(page: number, currentPage: number | null): 'fits' | 'confirm' {
    this.#hasFirst ||= page === 0;
    if (!this.#isConfirmed && !this.#moves) {
      if (this.#base === 1 || currentPage !== page) return 'confirm';
      if (page > 0) [this.#moves, this.#offset] = [true, 0];
      return 'fits';
    }
    if (currentPage === null || this.#offset === null) return 'fits';
    const offset = currentPage - page;
    if (this.#offset === undefined) [this.#offset, this.#firstPage] = [offset, page];
    else if (offset === this.#offset) this.#moves ||= page !== this.#firstPage;
    else if (!this.#moves && currentPage === this.#offset + this.#firstPage) this.#offset = null;
    else {
      const asked = this.numberOf(page);
      throw contractViolation(`page ${asked} was requested and page ${currentPage} was returned`);
    }
    return 'fits';
  }

  /** Records, for all callers, that the base is right. */
  confirm(): void {
    this.#isConfirmed = true;
  }

  recordRefusal(): void {
    this.#refusals++;
  }
}

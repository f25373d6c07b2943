// The base of the service's page numbers, and the check of this base against the answers.
import { contractViolation } from '../errors.ts';

/** The largest number of attempts with the other base. */
const maxRefusals = 3;

/** A currentPage of 1 may be the number of the first page or the index of the second; the last page tells which. */
export class PageNumbering {
  readonly #base: 0 | 1;
  /** Whether currentPage is the requested number instead of the index; undefined until this is known. */
  #echoes: boolean | undefined;
  #otherBase: 0 | 1 | null;
  #refusals = 0;

  /** Create one instance per process: it holds no data of callers. `base` is UPSTREAM_PAGE_BASE. */
  constructor(base: 0 | 1) {
    this.#base = base;
    this.#echoes = base === 0 ? false : undefined;
    this.#otherBase = base === 0 ? 1 : 0;
  }

  /** The other possible number of the first page; null once the base is confirmed, or after `maxRefusals` refusals. */
  get otherBase(): 0 | 1 | null {
    return this.#otherBase;
  }

  /** The `page` parameter for a zero-based page. */
  numberOf(page: number): number {
    return page + this.#base;
  }

  /** Returns `confirm` if currentPage may be an unconfirmed echo; throws UPSTREAM_CONTRACT_VIOLATION on a misfit. */
  check(page: number, currentPage: number): 'fits' | 'confirm' {
    const asked = this.numberOf(page);
    if (currentPage === page && this.#echoes !== true) {
      this.#know(false);
      return 'fits';
    }
    if (currentPage === asked && this.#echoes !== false) return this.#echoes ? 'fits' : 'confirm';
    throw contractViolation(
      `page ${asked} was requested and page ${currentPage} was returned; UPSTREAM_PAGE_BASE must be the number of the first page`,
    );
  }

  /** Records for all callers that the service echoes numbers. */
  confirmEcho(): void {
    this.#know(true);
  }

  /** Records that the service refused the other number too. */
  refuseOther(): void {
    if (++this.#refusals >= maxRefusals) this.#otherBase = null;
  }

  #know(echoes: boolean): void {
    this.#echoes = echoes;
    this.#otherBase = null;
  }
}

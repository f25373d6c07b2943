// The base of the service's page numbers, and the check of this base against the answers.
import { contractViolation } from '../errors.ts';

/** The number of failed attempts after which the other base is no longer tried. */
const maxRefusals = 3;

/** A currentPage of 1 may be the number of the first page or the index of the second; the last page shows which. */
export class PageNumbering {
  readonly #base: 0 | 1;
  /** Whether currentPage echoes the requested number; false if it is a zero-based index, undefined until known. */
  #echoes: boolean | undefined;
  #otherBase: 0 | 1 | null;
  #refusals = 0;

  /** One instance serves the whole process, because it holds no data of callers. `base` is UPSTREAM_PAGE_BASE. */
  constructor(base: 0 | 1) {
    this.#base = base;
    this.#echoes = base === 0 ? false : undefined;
    this.#otherBase = base === 0 ? 1 : 0;
  }

  /** The first page's number in the other base; null once the base is confirmed or `maxRefusals` attempts failed. */
  get otherBase(): 0 | 1 | null {
    return this.#otherBase;
  }

  /** The `page` parameter for a zero-based page. */
  numberOf(page: number): number {
    return page + this.#base;
  }

  /** Returns `confirm` if currentPage may be an echo, `fits` if it is right; throws a contract violation otherwise. */
  check(page: number, currentPage: number): 'fits' | 'confirm' {
    const asked = this.numberOf(page);
    if (currentPage === page && this.#echoes !== true) {
      this.recordEcho(false);
      return 'fits';
    }
    if (currentPage === asked && this.#echoes !== false) return this.#echoes ? 'fits' : 'confirm';
    throw contractViolation(
      `page ${asked} was requested and page ${currentPage} was returned; UPSTREAM_PAGE_BASE must be the number of the first page`,
    );
  }

  /** Records, for all callers, whether currentPage echoes the requested number. */
  recordEcho(echoes: boolean): void {
    this.#echoes = echoes;
    this.#otherBase = null;
  }

  /** Records a failed attempt to read the first page with the other base; only refusals count. */
  refuseOther(isRefusal: boolean): void {
    if (isRefusal && ++this.#refusals >= maxRefusals) this.#otherBase = null;
  }
}

// The base of the service's page numbers, and the check that its answers confirm it.
import { contractViolation } from '../errors.ts';

/**
 * The API description does not state the base of `page`, but the currentPage of a first page is 0. A service with base
 * 1 may send that index, or echo the requested number. A service with base 0 would send the same number for its second
 * page, so an echo is accepted only after the last page was found at its number in base 1.
 */
export interface PageNumbering {
  /** The `page` parameter for a zero-based page. */
  numberOf(page: number): number;
  /**
   * Compares the requested page with currentPage. `confirm` means that they match only if the service counts from 1 and
   * echoes numbers, which is not confirmed yet. Throws UPSTREAM_CONTRACT_VIOLATION for another page.
   */
  check(page: number, currentPage: number): 'fits' | 'confirm';
  /** Records for all callers that the service echoes numbers. */
  confirmEcho(): void;
  /** The other possible number of the first page; null if the base is confirmed or this was refused too often. */
  readonly otherBase: 0 | 1 | null;
  /** Records that the service refused the other number too. */
  refuseOther(): void;
}

/** The largest number of attempts with the other base. */
const maxRefusals = 3;

/** Create one instance per process: it holds no data of callers. `base` is UPSTREAM_PAGE_BASE. */
export function createPageNumbering(base: 0 | 1): PageNumbering {
  let echoes: boolean | undefined = base === 0 ? false : undefined;
  let otherBase: 0 | 1 | null = base === 0 ? 1 : 0;
  let refusals = 0;
  return {
    numberOf: (page) => page + base,
    check(page, currentPage) {
      if (currentPage === page && echoes !== true) {
        echoes = false;
        otherBase = null;
        return 'fits';
      }
      if (currentPage === page + base && echoes !== false) {
        return echoes === true ? 'fits' : 'confirm';
      }
      throw contractViolation(
        `page ${page + base} was requested and page ${currentPage} was returned; UPSTREAM_PAGE_BASE must be the number of the first page`,
      );
    },
    confirmEcho() {
      echoes = true;
      otherBase = null;
    },
    get otherBase() {
      return otherBase;
    },
    refuseOther() {
      refusals++;
      if (refusals >= maxRefusals) otherBase = null;
    },
  };
}

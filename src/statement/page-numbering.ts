// The numbering of the service's pages: the base of the numbers, and whether its answers confirm it.
import { contractViolation } from '../errors.ts';

/**
 * The API description does not state the base of `page`, but states that the currentPage of a first
 * page is 0. A service with base 1 may therefore report an index (0 for the first page) or echo the
 * requested number (1). An echo looks like a wrong page under base 0; it is accepted only after the
 * last page was found where base 1 puts it.
 */
export interface PageNumbering {
  /** The number of a zero-based page in a request. */
  numberOf(page: number): number;
  /**
   * Compares the requested page with the answer's currentPage. `confirm`: it matches only if the
   * service counts from 1 and echoes numbers, which is not confirmed yet. Throws
   * UPSTREAM_CONTRACT_VIOLATION if it is another page.
   */
  check(page: number, currentPage: number): 'fits' | 'confirm';
  /** Remembers for all callers that the service echoes numbers. */
  confirmEcho(): void;
  /**
   * The other possible number of the first page. Null once an answer has confirmed
   * UPSTREAM_PAGE_BASE, or after some refusals of the other number too, so that refusals for other
   * reasons do not double the calls.
   */
  readonly otherBase: 0 | 1 | null;
  /** The service refused the other number too. */
  refuseOther(): void;
}

/** The number of attempts with the other base. */
const maxRefusals = 3;

/** One for each process, because it holds nothing about callers. `base` is UPSTREAM_PAGE_BASE. */
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
        `page ${page + base} was asked for and page ${currentPage} came; UPSTREAM_PAGE_BASE must be what it calls its first page`,
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

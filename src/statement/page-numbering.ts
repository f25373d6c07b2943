// What the service calls its pages: the base of its numbers, and whether its answers confirm it.
import { contractViolation, type GatewayError } from '../errors.ts';

/**
 * The service's document leaves the base of `page` open, and says that a first page carries currentPage 0. So with base
 * 1 there are two ways to report: by index (the first page carries 0) and by echo (it carries what was asked, 1). The
 * latter looks like base 0 asked wrongly; it is believed only after the last page was found where base 1 puts it.
 */
export interface PageNumbering {
  /** The number to ask for, of a zero-based page. */
  numberOf(page: number): number;
  /**
   * Compares what was asked with the answer's currentPage. `confirm`: it fits only if the service counts from 1 and
   * echoes, which was not seen yet. Throws UPSTREAM_CONTRACT_VIOLATION where it is another page.
   */
  check(page: number, currentPage: number): 'fits' | 'confirm';
  /** Remembers, for all callers of this service, that it echoes. */
  confirmEcho(): void;
  /**
   * What the service may call its first page instead; null once an answer has confirmed UPSTREAM_PAGE_BASE, or once it
   * was refused as well a few times, so that refusals for another reason do not double the calls.
   */
  readonly otherBase: 0 | 1 | null;
  /** The service refused its page of that name too. */
  refuseOther(): void;
}

/** How often another base is tried in vain. */
const maxRefusals = 3;

/** One for a process: what it remembers is the service's, no caller's. `base` is UPSTREAM_PAGE_BASE. */
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
      throw wrongPage(page + base, currentPage);
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

function wrongPage(asked: number, currentPage: number): GatewayError {
  return contractViolation(
    `page ${asked} was asked for and page ${currentPage} came; UPSTREAM_PAGE_BASE must be what it calls its first page`,
  );
}

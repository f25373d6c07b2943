// Behaviour that the service's API description leaves open (docs/service.md), set for the whole bank or for
// single accounts.

/**
 * The behaviour of the service that its API description leaves open or does not allow. Each setting
 * can change at any time.
 */
export interface Behaviour {
  /** itemsPerPage; default 20. */
  readonly pageSize: number;
  /** The number of the first page in `page`; default 0. */
  readonly pageBase: number;
  /** Milliseconds before a request is handled; default 0. */
  readonly latencyMs: number;
  /** Up to this many more milliseconds, random for each request; default 0. */
  readonly latencyJitterMs: number;
  /** A page beyond the last: no data (default), the last page instead, or status 404. */
  readonly outOfRange: 'empty' | 'clamp' | '404';
  /** A page before the first: status 400 (default), or the first page instead. */
  readonly belowBase: '400' | 'clamp';
  /** pagination.currentPage: counted from 0 whatever the base (default), or numbered as in `page`. */
  readonly currentPage: 'index' | 'echo';
  /** Whether the statement includes endDate's own day; default 'inclusive'. */
  readonly endDate: 'inclusive' | 'exclusive';
  /** Transactions with the same createdAt: in a fixed order (default), or in another at every read. */
  readonly tieOrder: 'stable' | 'shuffled';
  /** Answers with this page (numbered as in `page`) whatever page is requested; default null, off. */
  readonly wrongPage: number | null;
  /** Status for a person at /companies and a company at /persons; default 403. */
  readonly wrongKind: 403 | 404;
  /** Whether to refuse (415) requests without the JSON content type, which docs/service.md requires; default true. */
  readonly requireContentType: boolean;
}

const defaults: Behaviour = {
  pageSize: 20,
  pageBase: 0,
  latencyMs: 0,
  latencyJitterMs: 0,
  outOfRange: 'empty',
  belowBase: '400',
  currentPage: 'index',
  endDate: 'inclusive',
  tieOrder: 'stable',
  wrongPage: null,
  wrongKind: 403,
  requireContentType: true,
};

/** The bank's behaviour, and that of accounts with their own settings. */
export interface Behaviours {
  /** The current settings: the account's if one is given, otherwise the bank's. */
  of(accountId?: string | null): Behaviour;
  /** Changes the named settings, for the bank or for one account. An account's own settings take precedence. */
  change(change: Partial<Behaviour>, accountId?: string): void;
  /** Restores the initial behaviour. */
  reset(): void;
}

/** Keeps the settings; `initial` overrides the defaults. */
export function createBehaviours(initial: Partial<Behaviour>): Behaviours {
  const start = { ...defaults, ...initial };
  const ofAccounts = new Map<string, Partial<Behaviour>>();
  let ofBank = start;
  const ownOf = (accountId: string) => ofAccounts.get(accountId.toLowerCase());
  return {
    of(accountId) {
      const own = typeof accountId === 'string' ? ownOf(accountId) : undefined;
      return own === undefined ? ofBank : { ...ofBank, ...own };
    },
    change(change, accountId) {
      if (accountId === undefined) ofBank = { ...ofBank, ...change };
      else ofAccounts.set(accountId.toLowerCase(), { ...ownOf(accountId), ...change });
    },
    reset() {
      ofBank = start;
      ofAccounts.clear();
    },
  };
}

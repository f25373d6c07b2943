// The bank's behaviour where the service's API description leaves it open, and some behaviour that the description does
// not allow (docs/service.md). It is set for the whole bank or for single accounts.

/** Behaviour that the API description leaves open, or does not allow. Each setting can change at any time. */
export interface Behaviour {
  /** itemsPerPage; default 20. */
  readonly pageSize: number;
  /** The number of the first page, as a value of `page`; default 0. */
  readonly pageBase: number;
  /** Milliseconds before a request is handled; default 0. */
  readonly latencyMs: number;
  /** The maximum of a random additional latency per request, in milliseconds; default 0. */
  readonly latencyJitterMs: number;
  /** The answer for a page beyond the last: a page without rows (default), the last page, or status 404. */
  readonly outOfRange: 'empty' | 'clamp' | '404';
  /** The answer for a page before the first: status 400 (default), or the first page. */
  readonly belowBase: '400' | 'clamp';
  /** pagination.currentPage: counted from 0 regardless of `pageBase` (default), or numbered as in `page`. */
  readonly currentPage: 'index' | 'echo';
  /** Whether a statement includes the transactions of endDate's day; default 'inclusive'. */
  readonly endDate: 'inclusive' | 'exclusive';
  /** The order of transactions with the same createdAt: fixed (default), or random at every read. */
  readonly tieOrder: 'stable' | 'shuffled';
  /** If not null, every request for a statement is answered with this page (numbered as in `page`); default null. */
  readonly wrongPage: number | null;
  /** The status for a person at /companies or a company at /persons; default 403. */
  readonly wrongKind: 403 | 404;
  /** Whether requests without the JSON content type (docs/service.md) are refused with 415; default true. */
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

/** The behaviour of the bank, and of accounts with their own settings. */
export interface Behaviours {
  /** The current settings of an account if one is given, otherwise of the bank. */
  of(accountId?: string | null): Behaviour;
  /** Changes the given settings of the bank or of one account. An account's own settings take precedence. */
  change(change: Partial<Behaviour>, accountId?: string): void;
  /** Restores the initial behaviour. */
  reset(): void;
}

/** Creates the settings; `initial` overrides the defaults. */
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

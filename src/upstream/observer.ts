// What happens between the gateway and the service, told to whoever counts, logs or traces it.

/** The service's endpoints, by the names that logs and metrics have for them. */
export type UpstreamRoute = 'persons' | 'companies' | 'transactions';

/** How an exchange ended; a label, hence few and fixed. */
export type ExchangeOutcome =
  /** 200 with its whole text; whether that has the documented shape is found out later. */
  | 'ok'
  /** A 3xx or 4xx. */
  | 'rejected'
  /** A 5xx. */
  | 'failed'
  /** No whole answer within UPSTREAM_TIMEOUT_MS, or before the deadline of the operation that waited last. */
  | 'timeout'
  /** No connection, or one that broke. */
  | 'unreachable'
  /** Another 2xx, not JSON, too large, encoded. */
  | 'violation'
  /** Nobody waits for it any more: the clients are gone. */
  | 'aborted'
  /** Could not be sent: a defect of the gateway. */
  | 'defect';

/** Why a call was answered UPSTREAM_UNAVAILABLE without any exchange. */
export type RefusalReason = 'circuit_open' | 'queue_full';

/** Whether the service is asked: closed yes, open no, half-open a few times to see. */
export type BreakerState = 'closed' | 'open' | 'half_open';

/** Follows all calls of the process. Called on the hot path: nothing here may throw, wait or keep its arguments. */
export interface UpstreamObserver {
  /** One exchange ended: a request that went out, a retry included, after waiting for a connection. */
  exchange(route: UpstreamRoute, outcome: ExchangeOutcome, durationMs: number): void;
  /** A call is tried again. */
  retry(route: UpstreamRoute): void;
  /** A request goes out once more, free of charge: the service had closed its connection. */
  resent(route: UpstreamRoute): void;
  /** A call was refused here. */
  refused(route: UpstreamRoute, reason: RefusalReason): void;
  /** A call waits for the exchange of another one that asked for the same. */
  shared(route: UpstreamRoute): void;
  /** The circuit changed to this state; it starts closed. */
  breaker(state: BreakerState): void;
  /** Calls that wait for a connection now, told when their number changes. */
  queue(length: number): void;
}

/** Nobody looks. */
export const unobserved: UpstreamObserver = {
  exchange: () => undefined,
  retry: () => undefined,
  resent: () => undefined,
  refused: () => undefined,
  shared: () => undefined,
  breaker: () => undefined,
  queue: () => undefined,
};

/** How one call ended, retries and waiting included: `ok`, or the code of its error. */
export interface CallEnd {
  readonly outcome: string;
  /** Requests that went out for it: 0 where it was refused or shared another's exchange. */
  readonly tries: number;
  readonly isShared: boolean;
  /** HTTP status of the last answer; left out where none came. */
  readonly status?: number;
}

/** Follows the calls of one operation, for its log line, its trace and `extensions.upstream`. */
export interface CallObserver {
  /** A call begins; `page` is the number of the statement's page, as the service counts. Nothing where nobody follows it. */
  begin(route: UpstreamRoute, page?: number): CallFollower | undefined;
  /** A call waits for a request that goes out for another operation of the caller, with that operation's x-request-id. */
  joined(requestId: string): void;
}

/** Follows one call. */
export interface CallFollower {
  /** Goes out instead of the client's own, so that the service's spans hang below this call's. */
  readonly traceparent?: string;
  end(end: CallEnd): void;
}

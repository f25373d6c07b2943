// The events between the gateway and the service, for metrics, log and traces.

/** The service's endpoints, by their names in logs and metrics. */
export type UpstreamRoute = 'persons' | 'companies' | 'transactions';

/** How an exchange ended; used as a label, so the values are few and fixed. */
export type ExchangeOutcome =
  /** A 200 with its whole body, which is not checked yet. */
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
  /** All clients that waited for it have gone. */
  | 'aborted'
  /** The request could not be sent because of a defect of the gateway. */
  | 'defect';

/** Why a call was answered UPSTREAM_UNAVAILABLE without any exchange. */
export type RefusalReason = 'circuit_open' | 'queue_full';

/** The circuit breaker: closed lets calls through, open none, half-open a few to try. */
export type BreakerState = 'closed' | 'open' | 'half_open';

/** Observes all calls of the process. Called on the hot path: must not throw, wait or keep its arguments. */
export interface UpstreamObserver {
  /** An exchange ended; each retry is one. The duration includes the wait for a connection. */
  exchange(route: UpstreamRoute, outcome: ExchangeOutcome, durationMs: number): void;
  /** A call is retried. */
  retry(route: UpstreamRoute): void;
  /** A request is sent again because the service had closed its connection; not a retry. */
  resent(route: UpstreamRoute): void;
  /** A call was rejected without an exchange. */
  refused(route: UpstreamRoute, reason: RefusalReason): void;
  /** A call shares the exchange of another call. */
  shared(route: UpstreamRoute): void;
  /** The circuit changed to this state; it starts closed. */
  breaker(state: BreakerState): void;
  /** The number of calls that wait for a connection has changed. */
  queue(length: number): void;
}

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
  /** Requests that were sent for it: 0 if it was rejected or shared an exchange. */
  readonly tries: number;
  readonly isShared: boolean;
  /** HTTP status of the last answer; absent if there was none. */
  readonly status?: number;
}

/** Observes the calls of one operation, for its log line, its trace and `extensions.upstream`. */
export interface CallObserver {
  /** A call begins; `page` is the statement's page as the service counts. Undefined if the call is not followed. */
  begin(route: UpstreamRoute, page?: number): CallFollower | undefined;
  /** A call shares a request of another operation of the caller, which has that operation's x-request-id. */
  joined(requestId: string): void;
}

/** Follows one call. */
export interface CallFollower {
  /** Replaces the client's traceparent, so that the service's spans are children of this call's. */
  readonly traceparent?: string;
  end(end: CallEnd): void;
}

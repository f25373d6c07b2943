// The observers of calls to the service, for metrics, log and traces.
import type { BreakerState, ExchangeOutcome } from './exchange/circuit.ts';

/** Why the gateway fails a call with UPSTREAM_UNAVAILABLE without sending a request, or without keeping the answer. */
export type RefusalReason = 'circuit_open' | 'queue_full' | 'memory_full';

/** Observes the answers of the service. Called on the hot path: must not throw or wait. */
export interface AnswerObserver {
  /** A value contradicts the API description. `pointer` is its JSON pointer, '' for the whole answer. */
  violation(pointer: string): void;
  /** A value of an open set, such as `account.status`, that the API description does not name. */
  value(field: string, value: string): void;
}

/** Observes all calls of the process. Called on the hot path: must not throw or wait. */
export interface UpstreamObserver extends AnswerObserver {
  /** An exchange (a retry, too) ended. The duration of a sent request excludes the wait for a connection. */
  exchange(route: string, outcome: ExchangeOutcome, durationMs: number): void;
  retry(route: string): void;
  /** A request is sent again because the service had closed its connection; this is not a retry. */
  resent(route: string): void;
  refused(route: string, reason: RefusalReason): void;
  /** A call shares the exchange of another call. */
  shared(route: string): void;
  /** The circuit of a route changed to this state. Circuits start closed. */
  breaker(route: string, state: BreakerState): void;
  /** The number of exchanges that wait for a connection has changed. */
  queue(length: number): void;
}

/** How one call ended, after all its retries. `outcome` is `ok`, or the code of the error. */
export interface CallEnd {
  readonly outcome: string;
  /** The requests sent or queued, with retries and resends; 0 for a shared exchange or a request refused at once. */
  readonly tries: number;
  readonly isShared: boolean;
  /** 200 if the outcome is `ok`, or the status that made the call fail; otherwise absent. */
  readonly status?: number | undefined;
}

/** Observes the calls of one operation, for its log line, its trace and `extensions.upstream`. */
export interface CallObserver {
  /** A call begins; `page` is the page number that the service uses. Returns undefined if the call is not observed. */
  begin(route: string, page?: number): CallFollower | undefined;
  /** A call shares a request of another operation of the caller; `requestId` is the x-request-id of that operation. */
  joined(requestId: string): void;
}

export interface CallFollower {
  /** Replaces the client's traceparent, so that the service's spans are children of this call's span. */
  readonly traceparent?: string;
  end(end: CallEnd): void;
}

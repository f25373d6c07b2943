// The context of a call to the service: settings, the caller's headers, the operation's signal and budget of calls; and the
// observers of calls, for metrics, log and traces.
import type { ByteBudget } from '../../byte-budget.ts';
import { GatewayError } from '../../errors.ts';
import type { CertificateFiles } from '../../settings/certificate-files.ts';
import type { AnswerObserver } from '../shape/check.ts';
import type { BreakerState, ExchangeOutcome } from './circuit.ts';

export interface UpstreamSettings {
  /** The service's base address; a path in it is kept. */
  readonly url: string;
  /** The longest time that a call waits for one exchange, including the wait for a connection. */
  readonly timeoutMs: number;
  /** The largest number of retries of a call after connection errors, 502 and 503. */
  readonly retries: number;
  readonly maxBodyBytes: number;
  readonly connections: number;
  /** For the answers that are received or kept by operations. */
  readonly memory: ByteBudget;
  readonly certificates: CertificateFiles;
  /** The time zone of timestamps that name none: an IANA name or an offset; null if such timestamps are wrong values. */
  readonly timeZone: string | null;
  /** Whether endDate itself belongs to the period that the service returns. */
  readonly endDate: 'inclusive' | 'exclusive';
  /** Whether HTTP_PROXY, HTTPS_PROXY and NO_PROXY apply, as in Node.js with NODE_USE_ENV_PROXY=1. */
  readonly usesProxy: boolean;
  readonly log: Readonly<
    Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>
  >;
  readonly observer: UpstreamObserver;
  /** Returns a number from 0 to 1, for the jitter of retries; Math.random by default. */
  readonly random?: () => number;
}

/** The headers that are forwarded to the service (docs/http.md). */
export interface ForwardedHeaders {
  readonly authorization: string;
  readonly tenant: string;
  readonly requestId: string;
  readonly traceparent?: string;
  readonly tracestate?: string;
}

/** The part of AbortSignal that calls use. */
export interface EndSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  /** The deadline in milliseconds, on the clock of performance.now(). Absent if the call has no deadline. */
  readonly endsAtMs?: number;
  addEventListener(type: 'abort', listener: EndListener): void;
  removeEventListener(type: 'abort', listener: EndListener): void;
}

/** The listener of an EndSignal; called at most once. */
export interface EndListener {
  handleEvent(): void;
}

export interface UpstreamCall {
  /** Equal only for calls with the same token and tenant; such calls may share an answer if their headers are equal. */
  readonly callerKey: string;
  readonly headers: ForwardedHeaders;
  /** Aborted when the operation ends: at its deadline, when its client disconnects, or when its answer is complete. */
  readonly signal: EndSignal;
  readonly budget: CallBudget;
  readonly observer?: CallObserver;
}

/** Counts the upstream calls of one operation, at most `max` (MAX_UPSTREAM_CALLS), and the memory of their answers. */
export class CallBudget {
  /** Whether a call has succeeded. Further calls of the operation then go first in the queue for connections. */
  hasAnswers = false;
  readonly #max: number;
  /** The number of calls so far. */
  used = 0;
  /** The memory that is reserved for the answers so far. */
  keptBytes = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Counts one call; throws OPERATION_TOO_COMPLEX if the budget is used up. Retries are not counted. */
  take(): void {
    this.check(1);
    this.used++;
  }

  /** Throws OPERATION_TOO_COMPLEX if fewer than `calls` are left; for use before a read that needs several calls. */
  check(calls: number): void {
    if (this.used + calls <= this.#max) return;
    throw new GatewayError('OPERATION_TOO_COMPLEX', {
      message: `The operation needs more than ${this.#max} calls to the account service.`,
    });
  }
}

/** Why the gateway fails a call with UPSTREAM_UNAVAILABLE without sending a request, or without keeping the answer. */
export type RefusalReason = 'circuit_open' | 'queue_full' | 'memory_full';

/** Observes all calls of the process. Called on the hot path: must not throw or wait. */
export interface UpstreamObserver extends AnswerObserver {
  /** An exchange (a retry, too) ended. The duration of a sent request excludes the wait for a connection. */
  exchange(route: string, outcome: ExchangeOutcome, durationMs: number): void;
  /** An exchange failed; `cause` is that of CallFailure. */
  failed(route: string, cause: string): void;
  retry(route: string): void;
  /** A request is sent again because the service had closed its connection; this is not a retry. */
  resent(route: string): void;
  refused(route: string, reason: RefusalReason): void;
  /** A call shares the exchange of another call. */
  shared(route: string): void;
  /** The circuit of a route changed to this state. Circuits start closed. */
  breaker(route: string, state: BreakerState): void;
  /** When the certificates of UPSTREAM_CA or UPSTREAM_CERT expire, in epoch milliseconds. */
  certificate(setting: string, expiresAtMs: number): void;
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
  /** Returns the observer of a call that is made for this reason, which is listed with it. */
  because?(reason: string): CallObserver;
  /** A call shares a request of another operation of the caller; `requestId` is the x-request-id of that operation. */
  joined(requestId: string): void;
  /** A call failed because of the service, or could not be made. */
  failed(failure: CallFailure): void;
}

/** How a call failed, without anything that the service or the client sent, except the service's code. */
export interface CallFailure {
  readonly route: string;
  /**
   * The status of the answer, or an error code: of Node.js, OpenSSL or undici; `PROXY_407` for a status of the proxy;
   * CIRCUIT_OPEN, QUEUE_FULL or MEMORY_FULL if the gateway failed the call; the setting whose time was over; or
   * UPSTREAM_CONTRACT_VIOLATION.
   */
  readonly cause: string;
  /** The harmless `code` in the body of a 400. */
  readonly serviceCode?: string;
  /** The requests that were sent or queued for the call. */
  readonly attempts: number;
  readonly ms: number;
  /** The state of the route's circuit after the failure. */
  readonly circuit: BreakerState;
}

export interface CallFollower {
  /** Replaces the client's traceparent, so that the service's spans are children of this call's span. */
  readonly traceparent?: string;
  end(end: CallEnd): void;
}

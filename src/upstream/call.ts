// The context of a call to the service: settings, the caller's headers, and the operation's signal and budget of calls.
import { GatewayError } from '../errors.ts';
import type { CallObserver, UpstreamObserver } from './observer.ts';

export interface UpstreamSettings {
  /** The service's base address; a path in it is kept. */
  readonly url: string;
  /** The longest time that a call waits for one exchange, including the wait for a connection. */
  readonly timeoutMs: number;
  /** The largest number of retries of a call after connection errors, 502 and 503. */
  readonly retries: number;
  readonly maxBodyBytes: number;
  readonly connections: number;
  readonly log: { warn(fields: object, message: string): void };
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

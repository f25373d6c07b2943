// The context of a call to the service: the caller, its headers, its signal, and the operation's budget of calls.
import { GatewayError } from '../errors.ts';
import type { CallObserver } from './observer.ts';

/** The headers of a client's request that are forwarded byte for byte (docs/http.md). */
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
  addEventListener(type: 'abort', listener: EndListener): void;
  removeEventListener(type: 'abort', listener: EndListener): void;
}

/** Called once. */
export interface EndListener {
  handleEvent(): void;
}

/** The permission to call the service for one caller and one operation. */
export interface UpstreamCall {
  /** Equal for two calls only if they have the same token and tenant: they may share an answer. */
  readonly callerKey: string;
  readonly headers: ForwardedHeaders;
  /** Aborted if the client disconnects or the deadline passes; a call then throws its reason, a GatewayError. */
  readonly signal: EndSignal;
  readonly budget: CallBudget;
  readonly observer?: CallObserver;
}

/** Counts the upstream calls of one operation, at most `max` (MAX_UPSTREAM_CALLS). */
export class CallBudget {
  /** Whether a call was answered; further calls are then sent before the first calls of other operations. */
  hasAnswers = false;
  readonly #max: number;
  #used = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Takes one call; throws OPERATION_TOO_COMPLEX if none is left. A retry takes none. */
  take(): void {
    this.check(1);
    this.#used++;
  }

  /** Throws OPERATION_TOO_COMPLEX if fewer calls are left, so that a read that cannot be completed is not begun. */
  check(calls: number): void {
    if (this.#used + calls <= this.#max) return;
    throw new GatewayError('OPERATION_TOO_COMPLEX', {
      message: `The operation needs more than ${this.#max} calls to the account service.`,
    });
  }

  get used(): number {
    return this.#used;
  }
}

/** Names and values in turn; `traceparent` replaces the client's. The service requires a content type (docs/service.md). */
export function outgoingHeaders(
  forwarded: ForwardedHeaders,
  traceparent = forwarded.traceparent,
): string[] {
  const { authorization, tenant, requestId, tracestate } = forwarded;
  const json = 'application/json';
  const headers = ['accept', json, 'content-type', json, 'authorization', authorization];
  headers.push('x-tenant-id', tenant, 'x-request-id', requestId);
  if (traceparent !== undefined) headers.push('traceparent', traceparent);
  if (tracestate !== undefined) headers.push('tracestate', tracestate);
  return headers;
}

// What a call to the service comes with: who asks, what goes out in its name, how long, and how many more it may make.
import { GatewayError } from '../errors.ts';
import type { CallObserver } from './observer.ts';

/** What goes out of a client's request, byte for byte (docs/http.md). */
export interface ForwardedHeaders {
  readonly authorization: string;
  /** x-tenant-id */
  readonly tenant: string;
  /** x-request-id */
  readonly requestId: string;
  readonly traceparent?: string;
  readonly tracestate?: string;
}

/** Counts the upstream calls of one operation. */
export interface CallBudget {
  /** Takes one call; throws OPERATION_TOO_COMPLEX where none is left. A retry belongs to the call that it repeats. */
  take(): void;
  /** Throws OPERATION_TOO_COMPLEX where fewer than so many are left: before the first of them is made in vain. */
  check(calls: number): void;
  /** Calls taken so far. */
  readonly used: number;
}

/** Says when an operation is over; an AbortSignal is one. */
export interface EndSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: EndListener): void;
  removeEventListener(type: 'abort', listener: EndListener): void;
}

/** Called once, with nothing to look at but the signal. */
export interface EndListener {
  handleEvent(): void;
}

/** One caller's right to ask, for one operation. */
export interface UpstreamCall {
  /** The same for two calls only where they have the same token and tenant: they may share an answer. */
  readonly callerKey: string;
  readonly headers: ForwardedHeaders;
  /** Ends with the client or with the operation's deadline; its reason, a GatewayError, is what a call then throws. */
  readonly signal: EndSignal;
  readonly budget: CallBudget;
  readonly observer?: CallObserver;
}

/** A budget of `max` upstream calls (MAX_UPSTREAM_CALLS). */
export function createCallBudget(max: number): CallBudget {
  return new Budget(max);
}

/** A class, as one is made for each operation. */
class Budget implements CallBudget {
  readonly #max: number;
  #used = 0;

  constructor(max: number) {
    this.#max = max;
  }

  take(): void {
    this.check(1);
    this.#used++;
  }

  check(calls: number): void {
    if (this.#used + calls > this.#max) throw tooManyCalls(this.#max);
  }

  get used(): number {
    return this.#used;
  }
}

function tooManyCalls(max: number): GatewayError {
  return new GatewayError('OPERATION_TOO_COMPLEX', {
    message: `The operation needs more than ${max} calls to the account service.`,
  });
}

/** Names and values in turn; `traceparent` replaces the client's. The service asks for a content type on GET too (docs/service.md). */
export function outgoingHeaders(
  forwarded: ForwardedHeaders,
  traceparent = forwarded.traceparent,
): string[] {
  const { tracestate } = forwarded;
  const { authorization, tenant, requestId } = forwarded;
  const json = 'application/json';
  const headers = ['accept', json, 'content-type', json, 'authorization', authorization];
  headers.push('x-tenant-id', tenant, 'x-request-id', requestId);
  if (traceparent !== undefined) headers.push('traceparent', traceparent);
  if (tracestate !== undefined) headers.push('tracestate', tracestate);
  return headers;
}

// What can go wrong in an exchange, each as the error that clients know (docs/errors.md).
import { type ErrorCode, GatewayError } from '../../errors.ts';
import type { EndSignal } from '../call.ts';
import type { ExchangeOutcome } from '../observer.ts';

/** The longest Retry-After that is believed; what is longer counts as this. */
const maxRetryAfterSeconds = 86_400;

/** The service answered with a status other than 200, which `status` tells apart where the code alone does not. */
export class UpstreamStatusError extends GatewayError {
  readonly status: number;
  /** The service's Retry-After; null where it sent none that can be read. */
  readonly retryAfterSeconds: number | null;

  constructor(code: ErrorCode, status: number, retryAfterSeconds: number | null) {
    const isLimit = code === 'RATE_LIMITED' && retryAfterSeconds !== null;
    super(code, {
      ...(isLimit ? { retryAfterSeconds } : undefined),
      cause: new Error(`upstream status ${status}`),
    });
    this.name = 'UpstreamStatusError';
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/**
 * The error for a status other than 200. A 404 is `notFound`: only the endpoint knows what it did not find.
 * A 2xx other than 200 is a violation, as are the statuses that HTTP does not have.
 */
export function statusFailure(
  status: number,
  retryAfter: unknown,
  notFound: ErrorCode,
  nowMs: number,
): UpstreamStatusError {
  const code = status === 404 ? notFound : (codes.get(status) ?? codeOfClass(status));
  return new UpstreamStatusError(code, status, parseRetryAfter(retryAfter, nowMs));
}

/** No answer within the deadline of the exchange. */
export function timeoutFailure(): GatewayError {
  return new GatewayError('UPSTREAM_TIMEOUT');
}

/** The signal's own reason where it is an error for clients; any other abort is a deadline. */
export function abortFailure(signal: Pick<EndSignal, 'reason'>): GatewayError {
  const reason: unknown = signal.reason;
  return reason instanceof GatewayError
    ? reason
    : new GatewayError('UPSTREAM_TIMEOUT', { cause: reason });
}

/**
 * The connection failed: refused, reset, cut within the answer, or no HTTP. What undici refuses to send at all is a
 * defect of the gateway's own. Of the cause only code and message are kept: undici's parser error carries the bytes
 * that it could not read, which no log may see.
 */
export function connectionFailure(error: Error): GatewayError {
  const code = 'code' in error ? String(error.code) : error.name;
  const cause = new Error(`${code}: ${error.message}`);
  const isDefect = code === 'UND_ERR_INVALID_ARG';
  return new GatewayError(isDefect ? 'INTERNAL_SERVER_ERROR' : 'UPSTREAM_UNAVAILABLE', { cause });
}

/**
 * Whether a connection was closed or reset, by either end's system. Bytes that are not HTTP, a request that undici does not
 * send, or a client that is closed are other errors.
 */
export function isConnectionLost(error: Error): boolean {
  return 'syscall' in error || ('code' in error && error.code === 'UND_ERR_SOCKET');
}

/** Whether another try may help: the connection failed, or 502 or 503 (docs/reliability.md). */
export function isTransient(error: unknown): error is GatewayError {
  if (error instanceof UpstreamStatusError) return error.status === 502 || error.status === 503;
  return error instanceof GatewayError && error.code === 'UPSTREAM_UNAVAILABLE';
}

/** How an exchange that failed counts. */
export function outcomeOf(error: GatewayError): ExchangeOutcome {
  if (error.code === 'UPSTREAM_CONTRACT_VIOLATION') return 'violation';
  if (error instanceof UpstreamStatusError) return error.status < 500 ? 'rejected' : 'failed';
  return error.code === 'UPSTREAM_UNAVAILABLE' ? 'unreachable' : 'defect';
}

const codes: ReadonlyMap<number, ErrorCode> = new Map([
  [401, 'UNAUTHENTICATED'],
  [403, 'FORBIDDEN'],
  [429, 'RATE_LIMITED'],
]);

function codeOfClass(status: number): ErrorCode {
  if (status >= 300 && status < 500) return 'UPSTREAM_REJECTED';
  return status >= 500 && status < 600 ? 'UPSTREAM_UNAVAILABLE' : 'UPSTREAM_CONTRACT_VIOLATION';
}

const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Seconds from a Retry-After header, a count or an HTTP date (RFC 9110, 10.2.3); null where it is neither. */
export function parseRetryAfter(value: unknown, nowMs: number): number | null {
  if (typeof value !== 'string') return null;
  if (/^\d+$/.test(value)) return Math.min(Number(value), maxRetryAfterSeconds);
  const seconds = httpDate.test(value) ? Math.ceil((Date.parse(value) - nowMs) / 1000) : NaN;
  return Number.isNaN(seconds) ? null : Math.min(Math.max(seconds, 0), maxRetryAfterSeconds);
}

// Turns failures of an exchange into the errors that clients receive (docs/errors.md).
import { causeOf, type ErrorCode, GatewayError } from '../../errors.ts';
import type { EndSignal } from './call.ts';
import type { ExchangeOutcome } from './circuit.ts';

const maxRetryAfterSeconds = 86_400;

/** The service answered with a status other than 200. */
export class UpstreamStatusError extends GatewayError {
  readonly status: number;
  /** The service's Retry-After; null if it is absent or cannot be parsed. */
  readonly retryAfterSeconds: number | null;
  /** The service's own code for its refusal, for the log alone; null if it sent none. */
  serviceCode: string | null = null;

  /** `retryAfter` is the value of the header; `notFound` is the endpoint's code for a 404. */
  constructor(status: number, retryAfter: unknown, notFound: ErrorCode, nowMs: number) {
    const code = status === 404 ? notFound : codeOf(status);
    const retryAfterSeconds = parseRetryAfter(retryAfter, nowMs);
    const isLimit = code === 'RATE_LIMITED' && retryAfterSeconds !== null;
    super(code, {
      ...(isLimit && { retryAfter: retryAfterSeconds }),
      cause: causeOf(`upstream status ${status}`, String(status)),
    });
    this.name = 'UpstreamStatusError';
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The largest body of a 400 in which a code is looked for, in bytes. */
export const maxRefusalBytes = 4096;

/** Only words and short numbers: any other text may name a person, and many digits a document or a phone. */
const harmlessCode = /^(?!.*\d{7})[\w.:-]{1,64}$/;

/** The member `code` of a JSON object; null without one, or if it is not certain to be harmless. */
export function serviceCodeIn(body: Buffer): string | null {
  try {
    const { code } = JSON.parse(body.toString()) as { readonly code?: unknown };
    const text = typeof code === 'number' ? String(code) : code;
    return typeof text === 'string' && harmlessCode.test(text) ? text : null;
  } catch {
    return null;
  }
}

/** Statuses with which services refuse a missing page. 404 may also mean that the account does not exist. */
export const noSuchPageStatuses: ReadonlySet<number> = new Set([204, 400, 404, 410, 416, 422]);

/** The signal's reason if it is a GatewayError, otherwise UPSTREAM_TIMEOUT with that reason as its cause. */
export function abortFailure(signal: Pick<EndSignal, 'reason'>): GatewayError {
  const reason: unknown = signal.reason;
  return reason instanceof GatewayError
    ? reason
    : new GatewayError('UPSTREAM_TIMEOUT', { cause: reason });
}

/** The error for a failed connection. undici's own error can contain bytes of the answer, which must not be logged. */
export function connectionFailure(error: Error): GatewayError {
  const code = codeOfError(error);
  const cause = causeOf(`${code}: ${error.message}`, code);
  const isDefect = code === 'UND_ERR_INVALID_ARG';
  return new GatewayError(isDefect ? 'INTERNAL_SERVER_ERROR' : 'UPSTREAM_UNAVAILABLE', { cause });
}

/** The code of Node.js, OpenSSL or undici; `PROXY_407` if the proxy answered with this status. */
function codeOfError(error: Error): string {
  const [, status] = refusalOfProxy.exec(error.message) ?? [];
  if (status !== undefined) return `PROXY_${status}`;
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && code !== '' ? code : error.name;
}

/** What made a call fail, for log and metrics: the status, or the code of the cause; otherwise the error's own code. */
export function causeCodeOf(error: GatewayError): string {
  const { cause } = error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.code;
}

/** undici reports such an answer as an invalid argument or an aborted request. */
const refusalOfProxy = /^Proxy (?:response|Authentication Required) \((\d{3})\)/;

/** Whether a system call failed (with ECONNRESET, for example), or the connection was closed. */
export function isConnectionLost(error: Error): boolean {
  return 'syscall' in error || ('code' in error && error.code === 'UND_ERR_SOCKET');
}

/** Whether a retry may help: the connection failed, or the status is 502 or 503 (docs/reliability.md). */
export function isTransient(error: unknown): error is GatewayError {
  if (error instanceof UpstreamStatusError) return error.status === 502 || error.status === 503;
  return error instanceof GatewayError && error.code === 'UPSTREAM_UNAVAILABLE';
}

export function outcomeOf(error: GatewayError): ExchangeOutcome {
  if (error.code === 'UPSTREAM_CONTRACT_VIOLATION') return 'violation';
  if (error instanceof UpstreamStatusError) return error.status < 500 ? 'rejected' : 'failed';
  return error.code === 'UPSTREAM_UNAVAILABLE' ? 'unreachable' : 'defect';
}

function codeOf(status: number): ErrorCode {
  if (status === 401) return 'UNAUTHENTICATED';
  if (status === 403) return 'FORBIDDEN';
  if (status === 429) return 'RATE_LIMITED';
  if (status >= 300 && status < 500) return 'UPSTREAM_REJECTED';
  return status >= 500 && status < 600 ? 'UPSTREAM_UNAVAILABLE' : 'UPSTREAM_CONTRACT_VIOLATION';
}

/** The three forms of a date in HTTP (RFC 9110 5.6.7); the last one, of asctime, does not name its time zone, GMT. */
const httpDates = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

/** The seconds of a Retry-After header (RFC 9110, 10.2.3), reduced to the limit; null for an invalid header. */
export function parseRetryAfter(value: unknown, nowMs: number): number | null {
  if (typeof value !== 'string') return null;
  // undici keeps white space at the end of a header.
  const text = value.trimEnd();
  if (/^\d+$/.test(text)) return Math.min(Number(text), maxRetryAfterSeconds);
  if (!httpDates.some((form) => form.test(text))) return null;
  const atMs = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  const seconds = Math.ceil((atMs - nowMs) / 1000);
  return Number.isNaN(seconds) ? null : Math.min(Math.max(seconds, 0), maxRetryAfterSeconds);
}

/** Greater numbers are epoch seconds or, from the second on, epoch milliseconds. */
const [leastEpochSeconds, leastEpochMs] = [1e9, 1e12];

/** Retry-After or, for a 429 without it, the seconds until x-ratelimit-reset, which is also used for an instant. */
export function retryAfterIn(
  status: number,
  headers: Readonly<Record<string, unknown>>,
  nowMs: number,
): unknown {
  const { 'retry-after': retryAfter, 'x-ratelimit-reset': reset } = headers;
  const isReset = status === 429 && retryAfter === undefined && typeof reset === 'string';
  if (!isReset || !/^\d{1,15}[ \t]*$/.test(reset)) return retryAfter;
  const number = Number(reset);
  if (number < leastEpochSeconds) return reset;
  const atMs = number < leastEpochMs ? number * 1000 : number;
  return String(Math.max(Math.ceil((atMs - nowMs) / 1000), 0));
}

// Converts errors of an operation to a failure that the user can act on, according to the error's code
// (docs/errors.md).
import { CombinedGraphQLErrors, ServerError, ServerParseError } from '@apollo/client/errors';
import type { Text } from './text/pt.ts';

/** `retry`: repeat the request; `restart`: read from the newest row; `sign-in`: a new token is needed. */
type Remedy = 'retry' | 'restart' | 'sign-in' | null;

export interface Failure {
  /** The gateway's code; OFFLINE without an answer, UPSTREAM_UNAVAILABLE if a proxy answered instead. */
  readonly code: string;
  readonly remedy: Remedy;
  /** Seconds to wait before the remedy, if the gateway sent them. */
  readonly retryAfter: number | null;
}

type Kind = keyof Text['failures'];

/** Codes that share one message. */
const kinds: Readonly<Record<string, Kind>> = {
  TENANT_REQUIRED: 'UNAUTHENTICATED',
  OVERLOADED: 'RATE_LIMITED',
  SHUTTING_DOWN: 'RATE_LIMITED',
  UPSTREAM_TIMEOUT: 'UPSTREAM_UNAVAILABLE',
};

const remedies: Readonly<Record<Kind, Remedy>> = {
  OFFLINE: 'retry',
  UNAUTHENTICATED: 'sign-in',
  FORBIDDEN: null,
  NOT_FOUND: null,
  RATE_LIMITED: 'retry',
  UPSTREAM_UNAVAILABLE: 'retry',
  CURSOR_EXPIRED: 'restart',
  STATEMENT_UNSETTLED: 'retry',
  TOO_MANY: null,
  NO_BALANCE: 'retry',
  UNKNOWN: null,
};

type ErrorPath = readonly (string | number)[] | undefined;

/** Why an operation failed; null if it did not. Only errors count whose path `isFailure` accepts. */
export function failureOf(
  error: unknown,
  isFailure: (path: ErrorPath) => boolean = () => true,
): Failure | null {
  if (error === undefined || error === null) return null;
  if (!CombinedGraphQLErrors.is(error)) return failureBy(codeWithoutGraphQL(error));
  const found = error.errors.find(({ path }) => isFailure(path));
  if (found === undefined) return null;
  const { code, retryAfter } = found.extensions ?? {};
  return failureBy(String(code), typeof retryAfter === 'number' ? retryAfter : null);
}

/** If something answered, such as a proxy that does not reach the gateway, the device is not offline. */
function codeWithoutGraphQL(error: unknown): string {
  const isAnswered = ServerError.is(error) || ServerParseError.is(error);
  return isAnswered ? 'UPSTREAM_UNAVAILABLE' : 'OFFLINE';
}

/**
 * The failure of an operation that reads a slice; null if the slice arrived. A row, a value of a row, or the balance may
 * have failed nevertheless: it is null, and the rest is shown.
 */
export function sliceFailureOf(error: unknown): Failure | null {
  const parts = ['node', 'nodes', 'balance'];
  return failureOf(error, (path = []) => !parts.some((part) => path.includes(part)));
}

/** The failure for a code; `retryAfter` is in seconds. */
export function failureBy(code: string, retryAfter: number | null = null): Failure {
  return { code, remedy: remedies[kindOf(code)], retryAfter };
}

/** The message for the user. */
export function failureText({ code }: Failure, { failures }: Text): string {
  return failures[kindOf(code)];
}

function kindOf(code: string): Kind {
  return kinds[code] ?? (Object.hasOwn(remedies, code) ? (code as Kind) : 'UNKNOWN');
}

// Errors of an operation -> the failure that a person can act on, by the code of the error (docs/errors.md).
import { CombinedGraphQLErrors } from '@apollo/client/errors';
import type { Text } from './text/pt.ts';

/** `retry`: ask again; `restart`: begin the list again; `sign-in`: another token is needed. */
type Remedy = 'retry' | 'restart' | 'sign-in' | null;

export interface Failure {
  /** The gateway's code, or OFFLINE if there was no answer. */
  readonly code: string;
  readonly remedy: Remedy;
  /** How long to wait before, in seconds, if the gateway named it. */
  readonly retryAfter: number | null;
}

type Kind = keyof Text['failures'];

/** Codes that people are told about in the same words. */
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
  TOO_MANY: null,
  UNKNOWN: null,
};

/** The failure of an operation, or of the part of it whose path begins with `field`; null if it went well. */
export function failureOf(error: unknown, field?: string): Failure | null {
  if (error === undefined || error === null) return null;
  if (!CombinedGraphQLErrors.is(error)) return failureBy('OFFLINE');
  const found = error.errors.find(
    ({ path }) => path === undefined || path[0] === (field ?? path[0]),
  );
  if (found === undefined) return null;
  const { code, retryAfter } = found.extensions ?? {};
  return failureBy(String(code), typeof retryAfter === 'number' ? retryAfter : null);
}

/** The failure with a code. `retryAfter` in seconds. */
export function failureBy(code: string, retryAfter: number | null = null): Failure {
  return { code, remedy: remedies[kindOf(code)], retryAfter };
}

/** What people are told. */
export function failureText({ code }: Failure, { failures }: Text): string {
  return failures[kindOf(code)];
}

function kindOf(code: string): Kind {
  return kinds[code] ?? (Object.hasOwn(remedies, code) ? (code as Kind) : 'UNKNOWN');
}

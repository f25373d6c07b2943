// An operation that has ended, as metrics, log and traces report it, and the code under which it is counted.

/** Why graphql-js answered an operation: a closed set (docs/observability.md). */
export const fallbackReasons = [
  'setting',
  'unknown',
  'unanswered',
  'unsupported',
  'router',
  'rejected',
  'error',
  'too_long',
  'defect',
] as const;
export type FallbackReason = (typeof fallbackReasons)[number];

/** The fields of an operation's log line, some of them also in metrics and traces. */
export interface EndedOperation {
  readonly requestId: string;
  readonly traceId: string | undefined;
  /** The operation's name in the document, shortened; null if it has none, or if the document is not valid. */
  readonly operationName: string | null;
  /** The first digits of the document's SHA-256; null if the request was rejected before its document was parsed. */
  readonly operationHash: string | null;
  /** query, mutation or subscription; null if the document is not valid. */
  readonly operationKind: string | null;
  /** The codes of the operation's errors, in the order of the answer. */
  readonly codes: readonly string[];
  /** HTTP status; null if the client had disconnected. */
  readonly status: number | null;
  readonly durationMs: number;
  readonly upstreamCalls: number;
  /** The fast path, or Apollo Server with graphql-js; null if the request reached neither. */
  readonly executor: 'compiled' | 'graphql-js' | null;
  /** Null unless graphql-js answered. */
  readonly fallback: FallbackReason | null;
  readonly clientName: string;
  readonly clientVersion: string;
  /** The ids of other operations' requests that calls of this operation shared; undefined if there are none. */
  readonly joinedRequestIds: readonly string[] | undefined;
  /** Outcomes and reasons of shifted slices and expired cursors; undefined if there are none. */
  readonly slices: readonly string[] | undefined;
}

/** Whether a code of docs/errors.md means a fault of the gateway or the service, not of the request. */
export function isFault(code: string): boolean {
  return /^(?:INTERNAL_SERVER_ERROR|OVERLOADED|UPSTREAM_[A-Z_]+)$/.test(code);
}

/** An operation's main code: INTERNAL_SERVER_ERROR if it has that, otherwise its first fault, first code, or OK. */
export function codeOf(codes: readonly string[]): string {
  const [first = 'OK'] = codes;
  if (codes.length <= 1) return first;
  return codes.includes('INTERNAL_SERVER_ERROR')
    ? 'INTERNAL_SERVER_ERROR'
    : (codes.find(isFault) ?? first);
}

/** The code of an operation whose client disconnected before the answer. */
export const clientGone = 'CLIENT_GONE';

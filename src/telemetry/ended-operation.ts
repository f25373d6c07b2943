// An operation as log, metrics and traces report it when it has ended, and the code under which it is counted.

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

/** The fields of an operation's log line, in its order; some of them are also in metrics and traces. */
export class EndedOperation {
  readonly requestId: string;
  traceId: string | undefined;
  /** The operation's name in the document, shortened; null if it has none, or if the document is not valid. */
  operationName: string | null = null;
  /** The first digits of the document's SHA-256; null if the request was rejected before its document was parsed. */
  operationHash: string | null = null;
  /** query, mutation or subscription; null if the document is not valid. */
  operationKind: string | null = null;
  /** The codes of the operation's errors, in the order of the answer. */
  codes: readonly string[] = [];
  /** HTTP status; null if the client had disconnected. */
  status: number | null = null;
  durationMs = 0;
  upstreamCalls = 0;
  /** The fast path, or Apollo Server with graphql-js; null if the request reached neither. */
  executor: 'compiled' | 'graphql-js' | null = null;
  /** Null unless graphql-js answered. */
  fallback: FallbackReason | null = null;
  clientName = '';
  clientVersion = '';
  /** The ids of other operations' requests that calls of this operation shared; undefined if there are none. */
  joinedRequestIds: string[] | undefined;
  /** Outcomes and reasons of shifted slices and expired cursors, each once; undefined if there are none. */
  slices: string[] | undefined;

  constructor(requestId: string) {
    this.requestId = requestId;
  }
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

// An operation as log, metrics and traces report it when it has ended, and the code under which it is counted.

/** The reasons why graphql-js answers an operation: a closed set (docs/observability.md). */
export type FallbackReason =
  | 'setting'
  | 'unknown'
  | 'unanswered'
  | 'unsupported'
  | 'router'
  | 'rejected'
  | 'error'
  | 'too_long'
  | 'defect';

/** The fields of an operation's log line, in order; some of them are also in metrics and traces. */
export class EndedOperation {
  requestId = '';
  traceId: string | undefined;
  /** The name in the document, cut if it is long; null without a name or a valid document. */
  operationName: string | null = null;
  /** The first digits of the document's SHA-256; null if the request was rejected before its document was parsed. */
  operationHash: string | null = null;
  /** query, mutation or subscription; null if the document is not valid or was not parsed. */
  operationKind: string | null = null;
  /** The different codes of the errors, in the order of the answer; only CLIENT_GONE if the client disconnected. */
  codes: readonly string[] = [];
  /** The HTTP status; null if the client had disconnected. */
  status: number | null = null;
  durationMs = 0;
  upstreamCalls = 0;
  /** The fast path, or Apollo Server with graphql-js; null if the request reached neither. */
  executor: 'compiled' | 'graphql-js' | null = null;
  /** The reason why graphql-js answers; null if it does not. */
  fallback: FallbackReason | null = null;
  clientName = '';
  clientVersion = '';
  /** The ids of the requests whose calls to the service this operation shared; undefined if there are none. */
  joinedRequestIds: string[] | undefined;
  /** The outcomes and reasons of shifted slices and expired cursors, such as `shifted:arrivals`. */
  slices: string[] | undefined;
}

/** Whether a code of docs/errors.md means a fault of the gateway or the service, not of the request. */
export function isFault(code: string): boolean {
  return /^(?:INTERNAL_SERVER_ERROR|OVERLOADED|UPSTREAM_[A-Z_]+)$/.test(code);
}

/** INTERNAL_SERVER_ERROR if the codes include it, otherwise the first fault or the first code; OK without codes. */
export function codeOf(codes: readonly string[]): string {
  const [first = 'OK'] = codes;
  if (codes.length <= 1) return first;
  return codes.includes('INTERNAL_SERVER_ERROR')
    ? 'INTERNAL_SERVER_ERROR'
    : (codes.find(isFault) ?? first);
}

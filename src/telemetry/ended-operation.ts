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

/** The failed calls of an operation with one route, one cause and, for a 400, one code of the service. */
export interface Failures {
  readonly route: string;
  readonly cause: string;
  readonly serviceCode?: string;
  calls: number;
  /** The requests of all these calls, and the time that the slowest of them took. */
  attempts: number;
  ms: number;
  circuit: string;
}

/** The fields of an operation's log line (docs/observability.md), in order; some are also in metrics and traces. */
export class EndedOperation {
  requestId = '';
  traceId: string | undefined;
  operationName: string | null = null;
  operationHash: string | null = null;
  operationKind: string | null = null;
  codes: readonly string[] = [];
  status: number | null = null;
  durationMs = 0;
  upstreamCalls = 0;
  executor: 'compiled' | 'graphql-js' | null = null;
  fallback: FallbackReason | null = null;
  clientName = '';
  clientVersion = '';
  joinedRequestIds: string[] | undefined;
  slices: string[] | undefined;
  failures: Failures[] | undefined;
  problems: readonly string[] | undefined;
}

/** Whether a code of docs/errors.md means a fault of the gateway or the service, not of the request. */
export function isFault(code: string): boolean {
  return /^(?:INTERNAL_SERVER_ERROR|OVERLOADED|UPSTREAM_[A-Z_]+)$/.test(code);
}

/** INTERNAL_SERVER_ERROR if the codes include it, otherwise the first fault or the first code; OK without codes. */
export function codeOf(codes: readonly string[]): string {
  if (codes.includes('INTERNAL_SERVER_ERROR')) return 'INTERNAL_SERVER_ERROR';
  return codes.find(isFault) ?? codes[0] ?? 'OK';
}

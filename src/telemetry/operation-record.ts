// One operation as an operator sees it: gathered while it runs, told to the log, the metrics and the trace at its end.
import type { Clients } from './clients.ts';
import type { Log } from './log/log.ts';
import { clientGone, codeOf } from './operation-code.ts';
import type { OperationMetrics } from './metrics/operation-metrics.ts';
import type {
  OperationSpan,
  TracedCall,
  TracedOperation,
  TracedRequest,
  TraceHeaders,
  Tracing,
} from './traces/tracing.ts';

/** What is known of an operation once its document was looked at. */
export interface KnownOperation {
  /** Its name in the document; null where it has none, or where the document is not valid. */
  readonly name: string | null;
  /** SHA-256 of the document, in hex, of which the log has the head. */
  readonly hash: string | null;
  /** query, mutation or subscription; null where the document is not valid. */
  readonly kind: string | null;
  /** Of its errors, in the order of the answer. */
  readonly codes: readonly string[];
}

/** One call to the account service, as `extensions.upstream` has it. No id, no address. */
export interface ToldCall {
  readonly route: string;
  /** Which page of a statement, as the service counts. */
  readonly page?: number;
  /** `ok`, or the code of its error. */
  readonly outcome: string;
  /** HTTP status, where one came. */
  readonly status?: number;
  /** Requests that went out for it; 0 where another call's was shared. */
  readonly tries: number;
  readonly ms: number;
}

/** Follows one call: `CallFollower` of src/upstream. */
export interface RecordedCall {
  readonly traceparent?: string;
  end(call: TracedCall): void;
}

/** What every operation's end is told to. */
export interface RecorderParts {
  readonly log: Log;
  readonly metrics: OperationMetrics;
  readonly tracing: Tracing | null;
  readonly clients: Clients;
  /** Whether answers list the calls that were made for them. */
  readonly tellsCalls: boolean;
}

/** Begins records; one a gateway. */
export interface Recorder {
  begin(requestId: string, request: TracedRequest): OperationRecord;
}

export function createRecorder(parts: RecorderParts): Recorder {
  return { begin: (requestId, request) => new OperationRecord(parts, requestId, request) };
}

/** Longer names are cut: GraphQL sets no limit, and a name is repeated in every line and span. */
const maxNameLength = 64;

/** Of the document's hash: enough to tell the documents of a gateway apart. */
const hashLength = 12;

const unknownOperation: KnownOperation = { name: null, hash: null, kind: null, codes: [] };

/** From the arrival of a request to its answer. */
export class OperationRecord {
  readonly #parts: RecorderParts;
  readonly #requestId: string;
  readonly #headers: TraceHeaders;
  readonly #span: OperationSpan | null;
  readonly #startedMs = performance.now();
  #operation: KnownOperation | null = null;
  #upstreamCalls = 0;
  #toldCalls: ToldCall[] | null = null;
  /** At most one for each call that it makes. */
  #joinedRequestIds: string[] | null = null;
  /** What became of slices that did not stand still, each once: few, as outcomes and reasons are closed sets. */
  #slices: string[] | null = null;
  #deprecated: readonly string[] = [];
  #hasEnded = false;

  constructor(parts: RecorderParts, requestId: string, request: TracedRequest) {
    this.#parts = parts;
    this.#requestId = requestId;
    this.#headers = request.headers;
    this.#span = parts.tracing?.begin(request) ?? null;
    parts.metrics.begin();
  }

  /** An answer is ready; from now on the request counts as an operation. */
  know(operation: KnownOperation): void {
    this.#operation = operation;
  }

  /** The request was refused before anything looked at its document. */
  refuse(code: string): void {
    this.#operation = { ...unknownOperation, codes: [code] };
  }

  /** A call to the account service begins: `CallObserver` of src/upstream. Most are only counted. */
  begin(route: string, page?: number): RecordedCall | undefined {
    this.#upstreamCalls++;
    const { tellsCalls } = this.#parts;
    return tellsCalls || this.#span !== null ? this.#follow(route, page) : undefined;
  }

  /** One of its calls waits for a request of another operation, which has that one's x-request-id. */
  joined(requestId: string): void {
    this.#joinedRequestIds ??= [];
    if (!this.#joinedRequestIds.includes(requestId)) this.#joinedRequestIds.push(requestId);
  }

  /** A slice of a statement was shifted, or its cursor has expired. */
  noteSlice(outcome: string, reason: string): void {
    const slice = `${outcome}:${reason}`;
    this.#slices ??= [];
    if (!this.#slices.includes(slice)) this.#slices.push(slice);
  }

  /** It uses these deprecated fields and arguments, of which the schema has a fixed number. */
  uses(deprecated: readonly string[]): void {
    this.#deprecated = deprecated;
  }

  /** The calls that have ended so far; null where they are not told, or where there were none. */
  get toldCalls(): readonly ToldCall[] | null {
    return this.#toldCalls;
  }

  /** The answer is out; `status` is null where nobody was there to take it. Only the first end counts. */
  end(status: number | null): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const operation = this.#operation ?? withoutOperation(status);
    if (operation === null) this.#drop();
    else this.#tell(operation, status);
  }

  #follow(route: string, page: number | undefined): RecordedCall {
    const startedMs = performance.now();
    const span = this.#span?.begin(route, page);
    const end = (call: TracedCall) => {
      span?.end(call);
      if (this.#parts.tellsCalls) this.#noteCall(route, page, call, performance.now() - startedMs);
    };
    return span === undefined ? { end } : { end, traceparent: span.traceparent };
  }

  #noteCall(route: string, page: number | undefined, call: TracedCall, ms: number): void {
    const { outcome, tries, status } = call;
    this.#toldCalls ??= [];
    this.#toldCalls.push({
      route,
      ...(page !== undefined && { page }),
      outcome,
      ...(status !== undefined && { status }),
      tries,
      ms: tenths(ms),
    });
  }

  #drop(): void {
    this.#parts.metrics.drop();
    // Not ended, a span is never sent.
  }

  #tell({ name, hash, kind, codes: answered }: KnownOperation, status: number | null): void {
    const { log, metrics, clients } = this.#parts;
    const client = clients.of(this.#headers);
    const codes = status === null ? [clientGone] : answered;
    const code = codeOf(codes);
    const durationMs = performance.now() - this.#startedMs;
    const operation: TracedOperation = {
      requestId: this.#requestId,
      name: name?.slice(0, maxNameLength) ?? null,
      hash: hash?.slice(0, hashLength) ?? null,
      kind,
      code,
      codes,
      status,
      upstreamCalls: this.#upstreamCalls,
    };
    metrics.end({
      code,
      status,
      durationMs,
      upstreamCalls: this.#upstreamCalls,
      client,
      deprecated: this.#deprecated,
    });
    this.#span?.end(operation);
    if (!log.isLevelEnabled('info')) return;
    const joined = this.#joinedRequestIds;
    const shared = joined === null ? '' : `,"joinedRequestIds":${JSON.stringify(joined)}`;
    const slices = this.#slices === null ? '' : `,"slices":${JSON.stringify(this.#slices)}`;
    const members = membersOf(operation, this.#span?.traceId, durationMs);
    log.writeInfo(`${members},${client.logMembers}${shared}${slices}`, 'operation');
  }
}

/** The fields of an operation's line. */
function membersOf(
  operation: TracedOperation,
  traceId: string | undefined,
  durationMs: number,
): string {
  const { requestId, name, hash, kind, codes, status, upstreamCalls } = operation;
  const trace = traceId === undefined ? '' : `,"traceId":${JSON.stringify(traceId)}`;
  const known = `"operationName":${JSON.stringify(name)},"operationHash":${JSON.stringify(hash)}`;
  const outcome = `"codes":${codes.length === 0 ? '[]' : JSON.stringify(codes)},"status":${status}`;
  const cost = `"durationMs":${tenths(durationMs)},"upstreamCalls":${upstreamCalls}`;
  const request = `"requestId":${JSON.stringify(requestId)}${trace}`;
  return `${request},${known},"operationKind":${JSON.stringify(kind)},${outcome},${cost}`;
}

/**
 * Nothing looked at the request as an operation. Apollo Server refuses some before any plugin sees them; what was
 * answered well is a preflight or a page, and nothing to tell of.
 */
function withoutOperation(status: number | null): KnownOperation | null {
  if (status !== null && status < 400) return null;
  const code = status !== null && status >= 500 ? 'INTERNAL_SERVER_ERROR' : 'BAD_REQUEST';
  return { ...unknownOperation, codes: [code] };
}

function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}

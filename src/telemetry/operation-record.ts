// The record of one operation: collected while it runs, then logged, counted and traced.
import type { OperationDefinitionNode } from 'graphql';
import type { StatementObserver } from '../statement/shift.ts';
import type { CallEnd, CallFollower, CallObserver } from '../upstream/observer.ts';
import { clientGone, type EndedOperation, type FallbackReason } from './ended-operation.ts';
import type { RecorderParts } from './telemetry.ts';
import type { Tracing } from './traces/otlp-tracing.ts';
import type { TracedRequest } from './traces/span-attributes.ts';

/** One call to the account service, as shown in `extensions.upstream`, without id or address. */
export interface ToldCall {
  readonly route: string;
  /** The number of the statement's page, as the service counts pages. */
  readonly page: number | undefined;
  /** `ok`, or the code of its error. */
  readonly outcome: string;
  /** HTTP status, if there was an answer. */
  readonly status: number | undefined;
  /** Requests sent for this call; 0 if it shared another call's request. */
  readonly tries: number;
  readonly ms: number;
}

/** Longer names are cut, because every log line and span contains the name. */
const maxNameLength = 64;

/** The number of digits of the document's hash that are shown: enough to tell the documents of a gateway apart. */
const hashLength = 12;

type KnownOperation = Pick<
  EndedOperation,
  'operationName' | 'operationHash' | 'operationKind' | 'codes' | 'executor'
>;

/** Records an operation from the arrival of its request to its answer. */
export class OperationRecord implements CallObserver, StatementObserver {
  readonly #parts: RecorderParts;
  readonly #requestId: string;
  readonly #headers: TracedRequest['headers'];
  readonly #span: ReturnType<Tracing['begin']> | null;
  readonly #startedMs = performance.now();
  #operation: KnownOperation | null = null;
  #upstreamCalls = 0;
  #toldCalls: ToldCall[] | null = null;
  /** At most one for each call of the operation. */
  #joinedRequestIds: string[] | undefined;
  /** Outcomes and reasons of shifted slices and expired cursors, each once; both are closed sets. */
  #slices: string[] | undefined;
  #deprecated: readonly string[] = [];
  #fallback: FallbackReason = 'unknown';
  #hasEnded = false;

  constructor(parts: RecorderParts, requestId: string, request: TracedRequest) {
    this.#parts = parts;
    this.#requestId = requestId;
    this.#headers = request.headers;
    this.#span = parts.tracing?.begin(request) ?? null;
    parts.metrics.begin();
  }

  /**
   * Called when the answer is ready. From then on the request counts as an operation. `node` is null if the document
   * is not valid; `hash` is the SHA-256 of the document, in hex.
   */
  know(
    node: OperationDefinitionNode | null,
    hash: string | null,
    codes: readonly string[],
    executor: EndedOperation['executor'],
  ): void {
    this.#operation = {
      operationName: node?.name?.value.slice(0, maxNameLength) ?? null,
      operationHash: hash?.slice(0, hashLength) ?? null,
      operationKind: node?.operation ?? null,
      codes,
      executor,
    };
  }

  /** Called if the request was rejected before its document was parsed. */
  refuse(code: string): void {
    this.know(null, null, [code], null);
  }

  /** Called when a call to the account service begins. The call is only counted, unless calls are listed or traced. */
  begin(route: string, page?: number): CallFollower | undefined {
    this.#upstreamCalls++;
    const { tellsCalls } = this.#parts;
    if (!tellsCalls && this.#span === null) return undefined;
    const startedMs = performance.now();
    const span = this.#span?.begin(route, page);
    const end = (call: CallEnd) => {
      span?.end(call);
      if (!tellsCalls) return;
      const { outcome, tries, status } = call;
      this.#toldCalls ??= [];
      const ms = tenths(performance.now() - startedMs);
      this.#toldCalls.push({ route, page, outcome, status, tries, ms });
    };
    return span === undefined ? { end } : { end, traceparent: span.traceparent };
  }

  /** Called if a call shares a request of another operation; `requestId` is the x-request-id of that request. */
  joined(requestId: string): void {
    this.#joinedRequestIds ??= [];
    if (!this.#joinedRequestIds.includes(requestId)) this.#joinedRequestIds.push(requestId);
  }

  /** Called when a slice was read, or failed; `reason` is empty unless it was shifted or its cursor has expired. */
  slice(...[outcome, reason, rereads]: Parameters<StatementObserver['slice']>): void {
    this.#parts.statements.slice(outcome, reason, rereads);
    if (reason === '') return;
    const slice = `${outcome}:${reason}`;
    this.#slices ??= [];
    if (!this.#slices.includes(slice)) this.#slices.push(slice);
  }

  fallBack(reason: FallbackReason): void {
    this.#fallback = reason;
  }

  uses(deprecated: readonly string[]): void {
    this.#deprecated = deprecated;
  }

  /** The calls that have ended so far; null if they are not listed, or if there were none. */
  get toldCalls(): readonly ToldCall[] | null {
    return this.#toldCalls;
  }

  /** Called when the answer was sent, or with null if the client had disconnected. Only the first call counts. */
  end(status: number | null): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    // Without an operation, this is a preflight or a page, unless the client disconnected or the answer is an error.
    if (this.#operation === null && (status === null || status >= 400)) {
      this.refuse(status !== null && status >= 500 ? 'INTERNAL_SERVER_ERROR' : 'BAD_REQUEST');
    }
    // The span of a preflight or a page is never ended, so it is not sent.
    if (this.#operation === null) this.#parts.metrics.drop();
    else this.#tell(this.#operation, status);
  }

  #tell(known: KnownOperation, status: number | null): void {
    const { log, metrics, clients } = this.#parts;
    const client = clients.of(this.#headers);
    const operation: EndedOperation = {
      requestId: this.#requestId,
      traceId: this.#span?.traceId,
      operationName: known.operationName,
      operationHash: known.operationHash,
      operationKind: known.operationKind,
      codes: status === null ? [clientGone] : known.codes,
      status,
      durationMs: performance.now() - this.#startedMs,
      upstreamCalls: this.#upstreamCalls,
      executor: known.executor,
      fallback: known.executor === 'graphql-js' ? this.#fallback : null,
      clientName: client.name,
      clientVersion: client.version,
      joinedRequestIds: this.#joinedRequestIds,
      slices: this.#slices,
    };
    metrics.end(operation, this.#deprecated);
    this.#span?.end(operation);
    log.writeInfo({ ...operation, durationMs: tenths(operation.durationMs) }, 'operation');
  }
}

function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}

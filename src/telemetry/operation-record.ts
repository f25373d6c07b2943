// The record of one operation: collected while it runs, then logged, counted and traced.
import type { OperationDefinitionNode } from 'graphql';
import type { StatementObserver } from '../statement/shift.ts';
import type {
  CallEnd,
  CallFailure,
  CallFollower,
  CallObserver,
} from '../upstream/exchange/call.ts';
import { EndedOperation } from './ended-operation.ts';
import type { RecorderParts } from './telemetry.ts';
import type { TracedRequest, Tracing } from './tracing.ts';

/** Longer names are cut, because each operation's log line and span contain the name. */
const maxNameLength = 64;

/** The largest number of routes and causes of failed calls that an operation lists. */
const maxFailures = 10;

/** The number of digits of the document's hash that are shown: enough to tell the documents of a gateway apart. */
const hashLength = 12;

export class OperationRecord extends EndedOperation implements CallObserver, StatementObserver {
  readonly #parts: RecorderParts;
  readonly #span: ReturnType<Tracing['begin']> | null;
  readonly #startedMs = performance.now();
  #listedCalls: object[] | null = null;
  #deprecated: readonly string[] = [];
  #isOperation = false;
  #hasEnded = false;

  constructor(parts: RecorderParts, requestId: string, request: TracedRequest) {
    super();
    this.requestId = requestId;
    this.#parts = parts;
    this.#span = parts.tracing?.begin(request) ?? null;
    this.traceId = this.#span?.traceId;
    const { name, version } = parts.clients.of(request.headers);
    this.clientName = name;
    this.clientVersion = version;
    parts.metrics.begin();
  }

  /** Describes the operation when its answer is ready. From then on, the request counts as an operation. */
  answered(
    node: OperationDefinitionNode | null,
    hash: string | null,
    codes: readonly string[],
    executor: EndedOperation['executor'],
  ): void {
    this.#isOperation = true;
    const name = node?.name?.value.slice(0, maxNameLength) ?? null;
    // For V8, the name is a part of the operation text, which a span would keep in memory until it is sent.
    this.operationName = name && this.#span ? Buffer.from(name).toString() : name;
    this.operationHash = hash?.slice(0, hashLength) ?? null;
    this.operationKind = node?.operation ?? null;
    this.codes = codes;
    this.executor = executor;
    this.fallback = executor === 'graphql-js' ? (this.fallback ?? 'unknown') : null;
  }

  /** Called if there is no GraphQL answer: the request was rejected or failed, or its client disconnected. */
  refuse(code: string): void {
    this.answered(null, null, [code], null);
  }

  /** Called when a call to the account service begins. The call is only counted, unless calls are listed or traced. */
  begin(route: string, page?: number, reason?: string): CallFollower | undefined {
    this.upstreamCalls++;
    const { listsCalls } = this.#parts;
    if (!listsCalls && this.#span === null) return undefined;
    const startedMs = performance.now();
    const span = this.#span?.begin(route, page);
    const end = (call: CallEnd) => {
      span?.end(call);
      if (!listsCalls) return;
      const { outcome, tries, status } = call;
      this.#listedCalls ??= [];
      const ms = tenths(performance.now() - startedMs);
      this.#listedCalls.push({ route, page, reason, outcome, status, tries, ms });
    };
    return span === undefined ? { end } : { end, traceparent: span.traceparent };
  }

  because(reason: string): CallObserver {
    if (!this.#parts.listsCalls) return this;
    return {
      begin: (route, page) => this.begin(route, page, reason),
      joined: (requestId) => this.joined(requestId),
      failed: (failure) => this.failed(failure),
    };
  }

  /** Called if a call shares a request of another operation; `requestId` is the x-request-id of that request. */
  joined(requestId: string): void {
    this.joinedRequestIds ??= [];
    if (!this.joinedRequestIds.includes(requestId)) this.joinedRequestIds.push(requestId);
  }

  failed({ attempts, ms, circuit, ...kind }: CallFailure): void {
    this.failures ??= [];
    const { route, cause, serviceCode } = kind;
    const same = this.failures.find(
      (one) => one.route === route && one.cause === cause && one.serviceCode === serviceCode,
    );
    if (same !== undefined) {
      same.calls++;
      same.attempts += attempts;
      same.ms = Math.max(same.ms, ms);
      same.circuit = circuit;
    } else if (this.failures.length < maxFailures) {
      this.failures.push({ ...kind, calls: 1, attempts, ms, circuit });
    }
  }

  /** `reason` is empty unless the slice was shifted or its cursor has expired. */
  slice(...[outcome, reason, ...counts]: Parameters<StatementObserver['slice']>): void {
    this.#parts.metrics.slice(outcome, reason, ...counts);
    if (reason === '') return;
    const slice = `${outcome}:${reason}`;
    this.slices ??= [];
    if (!this.slices.includes(slice)) this.slices.push(slice);
  }

  uses(deprecated: readonly string[]): void {
    this.#deprecated = deprecated;
  }

  /** The calls that have ended so far (docs/observability.md); null if they are not listed, or if there were none. */
  get listedCalls(): readonly object[] | null {
    return this.#parts.showsCalls ? this.#listedCalls : null;
  }

  /** Called when the answer was sent, or with null if the client had disconnected. Only the first call counts. */
  end(status: number | null): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    // A request without an operation was a preflight or a request for a page or file, unless it failed.
    if (!this.#isOperation && (status === null || status >= 400)) {
      this.refuse(status !== null && status >= 500 ? 'INTERNAL_SERVER_ERROR' : 'BAD_REQUEST');
    }
    const { log, metrics } = this.#parts;
    // The span of a preflight, page or file is not ended, so that it is not sent.
    if (!this.#isOperation) {
      metrics.drop();
      return;
    }
    if (status === null) this.codes = ['CLIENT_GONE'];
    this.status = status;
    this.durationMs = tenths(performance.now() - this.#startedMs);
    metrics.end(this, this.#deprecated);
    this.#span?.end(this);
    log.writeInfo(this, 'operation');
    if (this.#listedCalls !== null) {
      log.debug(
        { requestId: this.requestId, upstream: this.#listedCalls },
        'calls of the operation',
      );
    }
  }
}

function tenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}

// Traces: what the rest of the gateway knows of them. Nothing of OpenTelemetry is loaded before somebody wants them.
import type { Build } from '../build.ts';

/** Headers by their lower-case names, as `IncomingMessage.headers` has them. */
export type TraceHeaders = Readonly<NodeJS.Dict<string | string[]>>;

/** A request that may be an operation: `IncomingMessage`. */
export interface TracedRequest {
  readonly method?: string | undefined;
  /** The path, with its query. */
  readonly url?: string | undefined;
  readonly httpVersion: string;
  readonly headers: TraceHeaders;
}

export interface Tracing {
  /** An operation begins, below the client's span where its headers name one (W3C Trace Context). */
  begin(request: TracedRequest): OperationSpan;
  /** Sends what is left, and gives up soon where the collector does not take it. Never rejects. */
  stop(): Promise<void>;
}

/** The server span of one operation. */
export interface OperationSpan {
  readonly traceId: string;
  /** A call begins; `page` is the statement's page that it asks for. */
  begin(route: string, page: number | undefined): CallSpan;
  end(operation: TracedOperation): void;
}

/** The client span of one call to the account service. */
export interface CallSpan {
  /** The header that puts the service's own spans below this one. */
  readonly traceparent: string;
  end(call: TracedCall): void;
}

/** How a call ended: `CallEnd` of src/upstream. */
export interface TracedCall {
  /** `ok`, or the code of its error. */
  readonly outcome: string;
  readonly tries: number;
  readonly isShared: boolean;
  /** HTTP status of the last answer, where one came. */
  readonly status?: number | undefined;
}

/** What a span says of an operation: as the log, and no more. */
export interface TracedOperation {
  readonly requestId: string;
  readonly name: string | null;
  readonly hash: string | null;
  readonly kind: string | null;
  /** The gravest code, OK for none. */
  readonly code: string;
  readonly codes: readonly string[];
  /** Null where the client was gone. */
  readonly status: number | null;
  readonly upstreamCalls: number;
}

/** What became of spans: made here, taken by the collector, or given up as it did not take them. */
export type SpanOutcome = 'made' | 'exported' | 'failed';

export interface TracingSettings {
  /** OTEL_EXPORTER_OTLP_ENDPOINT; null for no traces. */
  readonly endpoint: string | null;
  /** OTEL_SEMCONV_STABILITY_OPT_IN; null for none. */
  readonly semconvOptIn: readonly string[] | null;
  /** The base address of the account service. */
  readonly upstreamUrl: string;
  readonly build: Build;
  readonly onSpans: (outcome: SpanOutcome, count: number) => void;
  readonly log: { warn(message: string): void; info(message: string): void };
}

/** Starts tracing; null, at no cost at all, where there is no endpoint. */
export async function startTracing(settings: TracingSettings): Promise<Tracing | null> {
  const { endpoint } = settings;
  if (endpoint === null) return null;
  const { createOtlpTracing } = await import('./otlp-tracing.ts');
  return createOtlpTracing({ ...settings, endpoint });
}

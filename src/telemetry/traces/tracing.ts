// The interface of traces. OpenTelemetry is loaded only if an endpoint is set.
import type { CallEnd } from '../../upstream/observer.ts';
import type { Build } from '../build.ts';

/** Headers by their lower-case names, as in `IncomingMessage.headers`. */
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
  /** Begins an operation's span, as a child of the client's span if the headers name one (W3C Trace Context). */
  begin(request: TracedRequest): OperationSpan;
  /** Sends the remaining spans, for a second at most. Never rejects. */
  stop(): Promise<void>;
}

/** The server span of one operation. */
export interface OperationSpan {
  readonly traceId: string;
  /** Begins a call's span; `page` is the statement's page that it asks for. */
  begin(route: string, page: number | undefined): CallSpan;
  end(operation: TracedOperation): void;
}

/** The client span of one call to the account service. */
export interface CallSpan {
  /** The header that makes the service's spans children of this one. */
  readonly traceparent: string;
  end(call: CallEnd): void;
}

/** The attributes of an operation's span: those of its log line. */
export interface TracedOperation {
  readonly requestId: string;
  readonly name: string | null;
  readonly hash: string | null;
  readonly kind: string | null;
  /** The gravest code; OK if there is none. */
  readonly code: string;
  readonly codes: readonly string[];
  /** Null if the client had gone. */
  readonly status: number | null;
  readonly upstreamCalls: number;
}

/** Spans are made, then exported to the collector, or failed if it does not accept them. */
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

/**
 * Starts tracing; null if there is no endpoint. OpenTelemetry is an optional dependency: throws if an endpoint is set and
 * it is not installed.
 */
export async function startTracing(settings: TracingSettings): Promise<Tracing | null> {
  const { endpoint } = settings;
  if (endpoint === null) return null;
  try {
    const { createOtlpTracing } = await import('./otlp-tracing.ts');
    return createOtlpTracing({ ...settings, endpoint });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    const message =
      'OTEL_EXPORTER_OTLP_ENDPOINT is set, but OpenTelemetry is not installed: install the optional dependencies.';
    throw new Error(message, { cause });
  }
}

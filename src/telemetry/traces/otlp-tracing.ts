// Traces by OpenTelemetry: makes spans and sends them to an OTLP collector over HTTP.
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { isFault } from '../operation-code.ts';
import {
  callAttributes,
  createOperationDescriber,
  type OperationDescriber,
  requestSpan,
  type RouteSpan,
  routeSpans,
} from './span-attributes.ts';
import { createSpanCounter, createSpanExporter } from './span-exporter.ts';
import type {
  CallSpan,
  OperationSpan,
  TracedOperation,
  TracedRequest,
  TraceHeaders,
  Tracing,
  TracingSettings,
} from './tracing.ts';

/** The longest that a stop waits for the collector. */
const maxStopMs = 1000;

/**
 * Tracing to the collector at `endpoint`. Everything else follows OpenTelemetry's own variables, which its SDK reads:
 * sampling (OTEL_TRACES_SAMPLER), batches and their queue (OTEL_BSP_…), the service's name and resource (OTEL_SERVICE_NAME,
 * OTEL_RESOURCE_ATTRIBUTES), what the collector needs (OTEL_EXPORTER_OTLP_HEADERS, …_TIMEOUT).
 */
export function createOtlpTracing(settings: TracingSettings & { endpoint: string }): Tracing {
  const { version } = settings.build;
  const ownAttributes = { 'service.name': 'account-bff', 'service.version': version };
  const provider = new BasicTracerProvider({
    // The environment's attributes come last, so that they win.
    resource: defaultResource()
      .merge(resourceFromAttributes(ownAttributes))
      .merge(detectResources({ detectors: [envDetector] })),
    // At most 2,048 spans wait for the collector; further ones are dropped.
    spanProcessors: [
      createSpanCounter(settings),
      new BatchSpanProcessor(createSpanExporter(settings)),
    ],
  });
  const tracer = provider.getTracer('account-bff', version);
  const describer = createOperationDescriber(settings.semconvOptIn ?? []);
  const spans = { tracer, describer, routes: routeSpans(settings.upstreamUrl) };
  return {
    begin: (request) => beginOperation(spans, request),
    stop: () => stopWithin(provider, maxStopMs),
  };
}

async function stopWithin(provider: BasicTracerProvider, ms: number): Promise<void> {
  const { promise: deadline, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, ms, undefined);
  // The exporter logs a collector that does not answer.
  await Promise.race([provider.shutdown().catch(() => undefined), deadline]);
  clearTimeout(timer);
}

const propagator = new W3CTraceContextPropagator();

const fromHeaders = {
  get: (headers: TraceHeaders, name: string) => headers[name],
  keys: (headers: TraceHeaders) => Object.keys(headers),
};

/** The parts that spans are made with. */
interface Spans {
  readonly tracer: Tracer;
  readonly describer: OperationDescriber;
  readonly routes: ReadonlyMap<string, RouteSpan>;
}

function beginOperation(spans: Spans, request: TracedRequest): OperationSpan {
  const client = propagator.extract(ROOT_CONTEXT, request.headers, fromHeaders);
  const { name, attributes } = requestSpan(request);
  const span = spans.tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, client);
  const own = trace.setSpan(client, span);
  return {
    traceId: span.spanContext().traceId,
    begin: (route, page) => beginCall(spans, own, route, page),
    end(operation) {
      if (span.isRecording()) describeOperation(span, operation, spans.describer);
      span.end();
    },
  };
}

/** The status has no message, because `error.type` has the code. */
function describeOperation(
  span: Span,
  operation: TracedOperation,
  describer: OperationDescriber,
): void {
  const name = describer.name(operation);
  if (name !== null) span.updateName(name);
  span.setAttributes(describer.attributes(operation));
  if (isFault(operation.code)) span.setStatus({ code: SpanStatusCode.ERROR });
}

function beginCall(
  { tracer, routes }: Spans,
  parent: Context,
  route: string,
  page: number | undefined,
): CallSpan {
  const { name, attributes: ofRoute } = routes.get(route) ?? { name: 'GET', attributes: {} };
  const attributes = page === undefined ? ofRoute : { ...ofRoute, 'account_bff.page': page };
  const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent);
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    // W3C Trace Context 3.2. The client's tracestate is forwarded unchanged.
    traceparent: `00-${traceId}-${spanId}-0${traceFlags}`,
    end(call) {
      span.setAttributes(callAttributes(call));
      if (call.outcome !== 'ok') span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

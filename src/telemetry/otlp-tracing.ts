// Traces by OpenTelemetry: spans made by hand, sent to an OTLP collector over HTTP.
import {
  type Attributes,
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
import type { Build } from './build.ts';
import { isFault } from './operation-code.ts';
import { createSpanCounter, createSpanExporter } from './span-exporter.ts';
import type {
  CallSpan,
  OperationSpan,
  TracedCall,
  TracedOperation,
  TraceHeaders,
  Tracing,
  TracingSettings,
} from './tracing.ts';

/** A stop waits no longer for the collector. */
const maxStopMs = 1000;

/**
 * Tracing to the collector at `endpoint`. Everything else follows OpenTelemetry's own variables, which its SDK reads:
 * sampling (OTEL_TRACES_SAMPLER), batches and their queue (OTEL_BSP_…), the service's name and resource (OTEL_SERVICE_NAME,
 * OTEL_RESOURCE_ATTRIBUTES), what the collector needs (OTEL_EXPORTER_OTLP_HEADERS, …_TIMEOUT).
 */
export function createOtlpTracing(settings: TracingSettings & { endpoint: string }): Tracing {
  const provider = new BasicTracerProvider({
    resource: resourceOf(settings.build),
    // At most 2,048 spans wait for the collector; further ones are dropped.
    spanProcessors: [
      createSpanCounter(settings),
      new BatchSpanProcessor(createSpanExporter(settings)),
    ],
  });
  const tracer = provider.getTracer('account-bff', settings.build.version);
  return {
    begin: (headers) => beginOperation(tracer, headers),
    stop: () => stopWithin(provider, maxStopMs),
  };
}

/** What the environment says wins. */
function resourceOf({ version }: Build) {
  return defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'account-bff', 'service.version': version }))
    .merge(detectResources({ detectors: [envDetector] }));
}

async function stopWithin(provider: BasicTracerProvider, ms: number): Promise<void> {
  const { promise: deadline, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, ms, undefined);
  // A collector that does not answer is told of by the exporter.
  await Promise.race([provider.shutdown().catch(() => undefined), deadline]);
  clearTimeout(timer);
}

const propagator = new W3CTraceContextPropagator();

const fromHeaders = {
  get: (headers: TraceHeaders, name: string) => headers[name],
  keys: (headers: TraceHeaders) => Object.keys(headers),
};

function beginOperation(tracer: Tracer, headers: TraceHeaders): OperationSpan {
  const client = propagator.extract(ROOT_CONTEXT, headers, fromHeaders);
  // Its name is known only when the document was read.
  const span = tracer.startSpan('operation', { kind: SpanKind.SERVER }, client);
  const own = trace.setSpan(client, span);
  return {
    traceId: span.spanContext().traceId,
    begin: (route, page) => beginCall(tracer, own, route, page),
    end: (operation) => endOperation(span, operation),
  };
}

function endOperation(span: Span, operation: TracedOperation): void {
  if (span.isRecording()) describeOperation(span, operation);
  span.end();
}

function describeOperation(span: Span, operation: TracedOperation): void {
  const { name, kind, code } = operation;
  if (kind !== null) span.updateName(name === null ? kind : `${kind} ${name}`);
  span.setAttributes(attributesOf(operation));
  if (isFault(code)) span.setStatus({ code: SpanStatusCode.ERROR, message: code });
}

function attributesOf(operation: TracedOperation): Attributes {
  const { requestId, name, hash, kind, code, codes, status, upstreamCalls } = operation;
  return {
    'account_bff.request_id': requestId,
    'account_bff.upstream_calls': upstreamCalls,
    ...(kind !== null && { 'graphql.operation.type': kind }),
    ...(name !== null && { 'graphql.operation.name': name }),
    ...(hash !== null && { 'account_bff.operation_hash': hash }),
    ...(status !== null && { 'http.response.status_code': status }),
    ...(codes.length > 0 && { 'error.type': code, 'account_bff.error_codes': [...codes] }),
  };
}

/** What is asked, without whom it is about (docs/service.md). */
const templates: Readonly<Record<string, string>> = {
  persons: '/persons',
  companies: '/companies',
  transactions: '/accounts/{accountId}/transactions',
};

function beginCall(
  tracer: Tracer,
  parent: Context,
  route: string,
  page: number | undefined,
): CallSpan {
  const template = templates[route] ?? route;
  const attributes = {
    'http.request.method': 'GET',
    'url.template': template,
    ...(page !== undefined && { 'account_bff.page': page }),
  };
  const span = tracer.startSpan(`GET ${template}`, { kind: SpanKind.CLIENT, attributes }, parent);
  return { traceparent: traceparentOf(span), end: (call) => endCall(span, call) };
}

/** W3C Trace Context 3.2. The client's tracestate goes on beside it as it is. */
function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-0${traceFlags}`;
}

function endCall(span: Span, { outcome, tries, isShared, status }: TracedCall): void {
  span.setAttributes({
    'account_bff.outcome': outcome,
    ...(status !== undefined && { 'http.response.status_code': status }),
    ...(tries > 1 && { 'http.request.resend_count': tries - 1 }),
    ...(isShared && { 'account_bff.shared': true }),
    ...(outcome !== 'ok' && { 'error.type': outcome }),
  });
  if (outcome !== 'ok') span.setStatus({ code: SpanStatusCode.ERROR, message: outcome });
  span.end();
}

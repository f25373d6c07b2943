// Traces with OpenTelemetry, sent to an OTLP collector over HTTP. Loaded only if an endpoint is set.
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import * as api from '@opentelemetry/api';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import * as resources from '@opentelemetry/resources';
import * as sdk from '@opentelemetry/sdk-trace-base';
import type { Settings } from '../settings/settings.ts';
import { endpoints } from '../upstream/endpoints.ts';
import type { CallEnd } from '../upstream/exchange/call.ts';
import { codeOf, type EndedOperation, isFault } from './ended-operation.ts';
import { redactTokens } from './log.ts';
import type { SpanOutcome } from './metrics.ts';

export type TracedRequest = Pick<IncomingMessage, 'method' | 'url' | 'httpVersion' | 'headers'>;

export interface TracingSettings extends Pick<Settings, 'otelSemconvStabilityOptIn'> {
  readonly endpoint: string;
  readonly upstreamUrl: string;
  readonly version: string;
  /** Counts sampled spans. A span that is neither exported nor failed still waits, or was dropped. */
  readonly onSpans: (outcome: SpanOutcome, count: number) => void;
  readonly log: { warn(message: string): void; info(message: string): void };
}

export type Tracing = ReturnType<typeof createOtlpTracing>;

const propagator = new W3CTraceContextPropagator();

/** The value of OTEL_SEMCONV_STABILITY_OPT_IN that selects the GraphQL conventions, which are still in development. */
const graphqlOptIn = 'graphql_latest_experimental';

/** The SDK reads further environment variables (docs/observability.md). Attributes that are undefined are not set. */
export function createOtlpTracing(settings: TracingSettings) {
  const { version, onSpans } = settings;
  const ownAttributes = { 'service.name': 'account-bff', 'service.version': version };
  const provider = new sdk.BasicTracerProvider({
    // The environment's attributes come last, so that they take precedence.
    resource: resources
      .defaultResource()
      .merge(resources.resourceFromAttributes(ownAttributes))
      .merge(resources.detectResources({ detectors: [resources.envDetector] })),
    // By default, at most 2,048 spans wait for the collector; further ones are dropped.
    spanProcessors: [new sdk.BatchSpanProcessor(createExporter(settings))],
  });
  const tracer = provider.getTracer('account-bff', version);
  const isLatest = settings.otelSemconvStabilityOptIn?.includes(graphqlOptIn) ?? false;
  const nameOf = createNamer(isLatest);
  const routes = routeAttributes(settings.upstreamUrl);

  function end(span: api.Span, attributes: api.Attributes, isError: boolean): void {
    span.setAttributes(attributes);
    // The status has no message, because `error.type` has the code.
    if (isError) span.setStatus({ code: api.SpanStatusCode.ERROR });
    if (span.isRecording()) onSpans('made', 1);
    span.end();
  }

  return {
    /** Begins an operation's span, as a child of the client's span if the headers name one (W3C Trace Context). */
    begin(request: TracedRequest) {
      const { traceparent, tracestate = '' } = request.headers;
      // A span exports its tracestate.
      const carrier = { traceparent, tracestate: redactTokens(String(tracestate)) };
      const outer = propagator.extract(api.ROOT_CONTEXT, carrier, api.defaultTextMapGetter);
      const { name, attributes } = requestSpan(request);
      const span = tracer.startSpan(name, { kind: api.SpanKind.SERVER, attributes }, outer);
      const own = api.trace.setSpan(outer, span);
      return {
        traceId: span.spanContext().traceId,
        begin(route: string, page: number | undefined) {
          const attributes = { ...routes.get(route), 'account_bff.page': page };
          const name = `GET ${attributes['url.template']}`;
          const call = tracer.startSpan(name, { kind: api.SpanKind.CLIENT, attributes }, own);
          const { traceId, spanId, traceFlags } = call.spanContext();
          return {
            /** The header that makes the service's spans children of this span (W3C Trace Context 3.2). */
            traceparent: `00-${traceId}-${spanId}-0${traceFlags}`,
            end: (ended: CallEnd) => end(call, callAttributes(ended), ended.outcome !== 'ok'),
          };
        },
        end(operation: EndedOperation) {
          if (!span.isRecording()) return;
          const known = nameOf(operation);
          if (known !== null) span.updateName(redactTokens(known));
          end(span, operationAttributes(operation, isLatest), isFault(codeOf(operation.codes)));
        },
      };
    },
    /** Sends the remaining spans; takes a second at most. Never rejects. */
    async stop(): Promise<void> {
      // The exporter logs failed exports.
      const sent = provider.shutdown().catch(() => undefined);
      await Promise.race([sent, sleep(1000, undefined, { ref: false })]);
    },
  };
}

/** Wraps OpenTelemetry's exporter: counts spans, and logs only when the collector starts or stops refusing spans. */
function createExporter({ endpoint, onSpans, log }: TracingSettings): sdk.SpanExporter {
  // OTLP's path, appended to the path of the endpoint.
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
  let wasTaking = true;
  return {
    export(spans, onResult) {
      exporter.export(spans, ({ code }) => {
        const isTaking = code === ExportResultCode.SUCCESS;
        onSpans(isTaking ? 'exported' : 'failed', spans.length);
        if (isTaking && !wasTaking) log.info('the collector accepts traces again');
        if (!isTaking && wasTaking)
          log.warn('the collector does not accept traces; they are dropped');
        wasTaking = isTaking;
        // Always a success, because the failure has been counted and logged already.
        onResult({ code: ExportResultCode.SUCCESS });
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

const methods = /^(?:CONNECT|DELETE|GET|HEAD|OPTIONS|PATCH|POST|PUT|TRACE)$/;

/** A DNS name of up to nine labels or an IP address (IPv6 in brackets), optionally with a port. */
const hostAndPort =
  /^((?:[a-z\d-]{1,63}\.){0,8}[a-z\d-]{1,63}\.?|\[[\da-f:.]{2,45}\])(?::(\d{1,5}))?$/i;

/** The span's name before its operation is known, and the attributes that samplers may use. */
function requestSpan({ method = '', url = '', headers, httpVersion }: TracedRequest) {
  const isKnown = methods.test(method);
  const route = url.split('?', 1)[0] === '/graphql' ? '/graphql' : undefined;
  const [, address, port] = hostAndPort.exec(redactTokens(headers.host ?? '')) ?? [];
  const attributes: api.Attributes = {
    'http.request.method': isKnown ? method : '_OTHER',
    'http.route': route,
    // Other paths may contain any text from the client.
    'url.path': route ?? 'REDACTED',
    'url.scheme': 'http',
    'network.protocol.version': httpVersion,
    'server.address': address,
    'server.port': port === undefined ? undefined : Number(port),
  };
  const shownMethod = isKnown ? method : 'HTTP';
  return { name: route === undefined ? shownMethod : `${shownMethod} ${route}`, attributes };
}

/** The largest number of operation names that become span names; clients can invent any number of names. */
const maxNames = 200;

/** Names the spans of ended operations; null if a span keeps its name. */
function createNamer(isLatest: boolean) {
  const names = new Set<string>();
  return ({ operationKind: kind, operationName: name }: EndedOperation): string | null => {
    if (isLatest) return kind ?? 'GraphQL Operation';
    if (kind === null || name === null) return kind;
    if (names.size < maxNames) names.add(name);
    return names.has(name) ? `${kind} ${name}` : kind;
  };
}

function operationAttributes(operation: EndedOperation, isLatest: boolean): api.Attributes {
  const { requestId, codes, status, upstreamCalls } = operation;
  const hash = operation.operationHash ?? undefined;
  const name = operation.operationName;
  return {
    'account_bff.request_id': redactTokens(requestId),
    'account_bff.upstream_calls': upstreamCalls,
    'account_bff.operation_hash': hash,
    'account_bff.error_codes': codes.length > 0 ? [...codes] : undefined,
    'error.type': codes.length > 0 ? codeOf(codes) : undefined,
    'graphql.operation.type': operation.operationKind ?? undefined,
    'graphql.operation.name': name === null ? undefined : redactTokens(name),
    'http.response.status_code': status ?? undefined,
    ...(isLatest && { 'graphql.processing.type': 'request', 'graphql.document.hash': hash }),
  };
}

/** The attributes of calls by route. URLs omit the query, and have REDACTED in place of the account id. */
function routeAttributes(upstreamUrl: string) {
  const { protocol, hostname, port } = new URL(upstreamUrl);
  const base = upstreamUrl.replace(/\/+$/, '');
  const attributesOf = (template: string) => ({
    'http.request.method': 'GET',
    'url.template': template,
    'url.full': base + template.replace(/\{\w+\}/g, 'REDACTED'),
    'server.address': hostname,
    'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
  });
  return new Map(Object.entries(endpoints).map(([route, { path }]) => [route, attributesOf(path)]));
}

function callAttributes({ outcome, tries, isShared, status }: CallEnd): api.Attributes {
  return {
    'account_bff.outcome': outcome,
    'account_bff.shared': isShared || undefined,
    'error.type': outcome === 'ok' ? undefined : outcome,
    'http.request.resend_count': tries > 1 ? tries - 1 : undefined,
    'http.response.status_code': status,
  };
}

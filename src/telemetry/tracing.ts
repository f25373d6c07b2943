// Traces with OpenTelemetry, sent to an OTLP collector over HTTP. Loaded only if an endpoint is set.
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Attributes,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import type { Settings } from '../settings.ts';
import { endpoints } from '../upstream/endpoints.ts';
import type { CallEnd } from '../upstream/observer.ts';
import { codeOf, type EndedOperation, isFault } from './ended-operation.ts';
import type { SpanOutcome } from './metrics.ts';

export type TracedRequest = Pick<IncomingMessage, 'method' | 'url' | 'httpVersion' | 'headers'>;

export interface TracingSettings extends Pick<Settings, 'otelSemconvStabilityOptIn'> {
  /** The value of OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly endpoint: string;
  readonly upstreamUrl: string;
  readonly version: string;
  /** Counts sampled spans. A span that is neither exported nor failed still waits, or was dropped. */
  readonly onSpans: (outcome: SpanOutcome, count: number) => void;
  readonly log: { warn(message: string): void; info(message: string): void };
}

export type Tracing = ReturnType<typeof createOtlpTracing>;

const maxStopMs = 1000;

const propagator = new W3CTraceContextPropagator();

/** OpenTelemetry's SDK reads further settings from its own environment variables; docs/observability.md lists them. */
export function createOtlpTracing(settings: TracingSettings) {
  const { version, onSpans } = settings;
  const ownAttributes = { 'service.name': 'account-bff', 'service.version': version };
  const provider = new BasicTracerProvider({
    // The environment's attributes come last, so that they take precedence.
    resource: defaultResource()
      .merge(resourceFromAttributes(ownAttributes))
      .merge(detectResources({ detectors: [envDetector] })),
    // At most 2,048 spans wait for the collector; further ones are dropped.
    spanProcessors: [new BatchSpanProcessor(createExporter(settings))],
  });
  const tracer = provider.getTracer('account-bff', version);
  const describe = createOperationDescriber(settings.otelSemconvStabilityOptIn ?? []);
  const routes = routeSpans(settings.upstreamUrl);
  return {
    /** Begins an operation's span, as a child of the client's span if the headers name one (W3C Trace Context). */
    begin(request: TracedRequest) {
      const client = propagator.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter);
      const { name, attributes } = requestSpan(request);
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, client);
      const own = trace.setSpan(client, span);
      return {
        traceId: span.spanContext().traceId,
        begin(route: string, page: number | undefined) {
          const ofRoute = routes.get(route) ?? { name: 'GET', attributes: {} };
          const attributes = { ...ofRoute.attributes };
          if (page !== undefined) attributes['account_bff.page'] = page;
          const call = tracer.startSpan(ofRoute.name, { kind: SpanKind.CLIENT, attributes }, own);
          const { traceId, spanId, traceFlags } = call.spanContext();
          return {
            /** The header that makes the service's spans children of this span (W3C Trace Context 3.2). */
            traceparent: `00-${traceId}-${spanId}-0${traceFlags}`,
            end(ended: CallEnd) {
              call.setAttributes(callAttributes(ended));
              if (ended.outcome !== 'ok') call.setStatus({ code: SpanStatusCode.ERROR });
              if (call.isRecording()) onSpans('made', 1);
              call.end();
            },
          };
        },
        end(operation: EndedOperation) {
          if (span.isRecording()) {
            const described = describe(operation);
            if (described.name !== null) span.updateName(described.name);
            span.setAttributes(described.attributes);
            // The status has no message, because `error.type` has the code.
            if (isFault(codeOf(operation.codes))) span.setStatus({ code: SpanStatusCode.ERROR });
            onSpans('made', 1);
          }
          span.end();
        },
      };
    },
    /** Sends the remaining spans; takes a second at most. Never rejects. */
    async stop(): Promise<void> {
      // If the collector does not answer, the exporter logs that.
      const sent = provider.shutdown().catch(() => undefined);
      await Promise.race([sent, sleep(maxStopMs, undefined, { ref: false })]);
    },
  };
}

/** Wraps OpenTelemetry's exporter: counts spans, and logs only when the collector starts or stops refusing spans. */
function createExporter({ endpoint, onSpans, log }: TracingSettings): SpanExporter {
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
        // Always a success, because OpenTelemetry would log a reported failure again.
        onResult({ code: ExportResultCode.SUCCESS });
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

/** The value of OTEL_SEMCONV_STABILITY_OPT_IN that selects the GraphQL conventions, which are still in development. */
const graphqlOptIn = 'graphql_latest_experimental';

const operationsPath = '/graphql';

const method = /^(?:CONNECT|DELETE|GET|HEAD|OPTIONS|PATCH|POST|PUT|TRACE)$/;

/** A DNS name or an IP address (IPv6 in brackets), optionally with a port; any other Host header is not shown. */
const hostAndPort =
  /^((?:[a-z\d-]{1,63}\.){0,8}[a-z\d-]{1,63}\.?|\[[\da-f:.]{2,45}\])(?::(\d{1,5}))?$/i;

/** The span's name before its operation is known, and the attributes that samplers may use. */
function requestSpan(request: TracedRequest): { name: string; attributes: Attributes } {
  const { method: sent = '', url = '', headers, httpVersion } = request;
  const isKnown = method.test(sent);
  const path = url.split('?', 1)[0];
  const route = path === operationsPath ? operationsPath : null;
  const [, address, port] = hostAndPort.exec(headers.host ?? '') ?? [];
  const attributes: Attributes = {
    'http.request.method': isKnown ? sent : '_OTHER',
    // Other paths may contain any text from the client.
    'url.path': route ?? 'REDACTED',
    'url.scheme': 'http',
    'network.protocol.version': httpVersion,
    ...(route !== null && { 'http.route': route }),
    ...(address !== undefined && { 'server.address': address }),
    ...(port !== undefined && { 'server.port': Number(port) }),
  };
  const shownMethod = isKnown ? sent : 'HTTP';
  return { name: route === null ? shownMethod : `${shownMethod} ${route}`, attributes };
}

/** The largest number of operation names that become span names; clients can invent any number of names. */
const maxNames = 200;

/** Describes ended operations; if `name` is null, the span keeps its name. `optIn`: OTEL_SEMCONV_STABILITY_OPT_IN. */
function createOperationDescriber(optIn: readonly string[]) {
  const isLatest = optIn.includes(graphqlOptIn);
  const names = new Set<string>();
  return (operation: EndedOperation): { name: string | null; attributes: Attributes } => {
    const { requestId, codes, status, upstreamCalls } = operation;
    const { operationName: name, operationHash: hash, operationKind: kind } = operation;
    if (name !== null && names.size < maxNames) names.add(name);
    const isNamed = kind !== null && name !== null && names.has(name);
    const usualName = isNamed ? `${kind} ${name}` : kind;
    const attributes = {
      'account_bff.request_id': requestId,
      'account_bff.upstream_calls': upstreamCalls,
      ...(kind !== null && { 'graphql.operation.type': kind }),
      ...(name !== null && { 'graphql.operation.name': name }),
      ...(hash !== null && { 'account_bff.operation_hash': hash }),
      ...(status !== null && { 'http.response.status_code': status }),
      ...(codes.length > 0 && {
        'error.type': codeOf(codes),
        'account_bff.error_codes': [...codes],
      }),
      ...(isLatest && { 'graphql.processing.type': 'request' }),
      ...(isLatest && hash !== null && { 'graphql.document.hash': hash }),
    };
    return { name: isLatest ? (kind ?? 'GraphQL Operation') : usualName, attributes };
  };
}

/** The spans' names and attributes by route. URLs omit the query and the account id, which are personal data. */
function routeSpans(
  upstreamUrl: string,
): ReadonlyMap<string, { readonly name: string; readonly attributes: Attributes }> {
  const { protocol, hostname, port } = new URL(upstreamUrl);
  const base = upstreamUrl.replace(/\/+$/, '');
  const defaultPort = protocol === 'https:' ? 443 : 80;
  return new Map(
    Object.entries(endpoints).map(([route, { path: template }]) => {
      const attributes = {
        'http.request.method': 'GET',
        'url.template': template,
        'url.full': base + template.replace(/\{\w+\}/g, 'REDACTED'),
        'server.address': hostname,
        'server.port': port === '' ? defaultPort : Number(port),
      };
      return [route, { name: `GET ${template}`, attributes }];
    }),
  );
}

function callAttributes({ outcome, tries, isShared, status }: CallEnd): Attributes {
  return {
    'account_bff.outcome': outcome,
    ...(status !== undefined && { 'http.response.status_code': status }),
    ...(tries > 1 && { 'http.request.resend_count': tries - 1 }),
    ...(isShared && { 'account_bff.shared': true }),
    ...(outcome !== 'ok' && { 'error.type': outcome }),
  };
}

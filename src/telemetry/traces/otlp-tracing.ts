// Traces with OpenTelemetry, sent to an OTLP collector over HTTP. Loaded only if an endpoint is set.
import { setTimeout as sleep } from 'node:timers/promises';
import {
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
import type { Settings } from '../../settings.ts';
import type { CallEnd } from '../../upstream/observer.ts';
import { codeOf, type EndedOperation, isFault } from '../ended-operation.ts';
import type { SpanOutcome } from '../metrics/metrics.ts';
import {
  callAttributes,
  createOperationDescriber,
  requestSpan,
  routeSpans,
  type TracedRequest,
} from './span-attributes.ts';

export interface TracingSettings extends Pick<Settings, 'semconvOptIn'> {
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
  const describe = createOperationDescriber(settings.semconvOptIn ?? []);
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

// Sends spans to the OTLP collector, and logs if it rejects them.
import { TraceFlags } from '@opentelemetry/api';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { TracingSettings } from './tracing.ts';

/**
 * OpenTelemetry's exporter of JSON over HTTP, with counts. It logs when the collector starts and stops accepting spans, not
 * each batch, and not OpenTelemetry's own message, which quotes the collector's answer.
 */
export function createSpanExporter(
  settings: TracingSettings & { readonly endpoint: string },
): SpanExporter {
  const { endpoint, onSpans } = settings;
  // The specification's path, below the endpoint's.
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  const exporter = new OTLPTraceExporter({ url });
  const tell = createTeller(settings);
  return {
    export(spans: ReadableSpan[], onResult: (result: ExportResult) => void) {
      exporter.export(spans, (result) => {
        const isDone = result.code === ExportResultCode.SUCCESS;
        onSpans(isDone ? 'exported' : 'failed', spans.length);
        tell(isDone);
        // OpenTelemetry would log a failure again.
        onResult({ code: ExportResultCode.SUCCESS });
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

/** Counts sampled spans: those that are neither exported nor failed in the end were dropped. */
export function createSpanCounter({ onSpans }: Pick<TracingSettings, 'onSpans'>): SpanProcessor {
  return {
    onStart: () => undefined,
    onEnd(span) {
      if ((span.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0) onSpans('made', 1);
    },
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  };
}

function createTeller({ log }: Pick<TracingSettings, 'log'>): (isTaking: boolean) => void {
  let wasTaking = true;
  return (isTaking) => {
    if (isTaking === wasTaking) return;
    wasTaking = isTaking;
    if (isTaking) log.info('the collector takes traces again');
    else log.warn('the collector takes no traces; they are dropped meanwhile');
  };
}

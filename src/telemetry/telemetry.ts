// Starts metrics and traces, and combines them with the log for the records of operations.
import { readFileSync } from 'node:fs';
import type { Settings } from '../settings/settings.ts';
import { createClients } from './clients.ts';
import type { Log } from './log.ts';
import { createMetrics } from './metrics.ts';
import type { Tracing, TracingSettings } from './tracing.ts';

type TelemetrySettings = Settings & {
  readonly upstreamUrl: string;
  readonly log: Log;
  /** The schema coordinates of deprecated fields and arguments. */
  readonly deprecated: readonly string[];
  /** Whether the operations manifest has an operation with this name. */
  readonly isReleased: (operationName: string) => boolean;
};

export type RecorderParts = Awaited<ReturnType<typeof startTelemetry>>['recorder'];

export async function startTelemetry(settings: TelemetrySettings) {
  const { log, otelExporterOtlpEndpoint: endpoint, isProduction } = settings;
  const packageFile = new URL('../../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string };
  const clients = createClients(settings.clients ?? []);
  const metrics = createMetrics(version, clients.all, settings, log);
  const tracing =
    endpoint === null
      ? null
      : await startTracing({ ...settings, endpoint, version, onSpans: metrics.spans });
  return {
    metrics,
    recorder: {
      log,
      metrics: metrics.operations,
      tracing,
      clients,
      listsCalls: !isProduction || log.isLevelEnabled('debug'),
      // In production, answers do not list the calls that were made for them.
      showsCalls: !isProduction,
    },
    /** Sends the remaining traces; takes a second at most. */
    stopTracing: async () => tracing?.stop(),
  };
}

/** Loads and starts tracing. Throws if OpenTelemetry, an optional dependency, is not installed. */
async function startTracing(settings: TracingSettings): Promise<Tracing> {
  try {
    return (await import('./tracing.ts')).createOtlpTracing(settings);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    const message =
      'OTEL_EXPORTER_OTLP_ENDPOINT is set, but OpenTelemetry is not installed: install the optional dependencies.';
    throw new Error(message, { cause });
  }
}

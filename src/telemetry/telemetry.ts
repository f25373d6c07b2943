// Metrics, records of operations and traces, as one part.
import type { AnswerMetrics } from './metrics/answer-metrics.ts';
import { readBuild } from './build.ts';
import { createClients, type ListedClient } from './clients.ts';
import type { Log } from './log/log.ts';
import { createMetrics, type Metrics } from './metrics/metrics.ts';
import { createOpenSets, type OpenSets, type OpenSetsParts } from './metrics/open-sets.ts';
import { createRecorder, type Recorder } from './operation-record.ts';
import { startTracing } from './traces/tracing.ts';

export interface TelemetrySettings {
  /** OTEL_EXPORTER_OTLP_ENDPOINT; null for no traces. */
  readonly otlpEndpoint: string | null;
  /** OTEL_SEMCONV_STABILITY_OPT_IN; null for none. */
  readonly semconvOptIn: readonly string[] | null;
  /** The base address of the account service. */
  readonly upstreamUrl: string;
  /** In production, answers do not list the calls that were made for them. */
  readonly isProduction: boolean;
  /** By field, the documented values of each open set. */
  readonly documentedValues: OpenSetsParts['documented'];
  /** CLIENTS; null for none. */
  readonly clients: readonly ListedClient[] | null;
  readonly log: Log;
}

export interface Telemetry {
  readonly metrics: Metrics;
  readonly recorder: Recorder;
  /** For `AnswerObserver` of src/upstream. */
  readonly answers: Pick<AnswerMetrics, 'violation'> & OpenSets;
  /** Sends the remaining traces; waits a second at most. */
  stop(): Promise<void>;
}

/** Starts metrics, and traces if an endpoint is set. */
export async function startTelemetry(settings: TelemetrySettings): Promise<Telemetry> {
  const { log, otlpEndpoint: endpoint, semconvOptIn, upstreamUrl, isProduction } = settings;
  const build = readBuild();
  const clients = createClients(settings.clients ?? []);
  const metrics = createMetrics(build, clients.all);
  const onSpans: Metrics['spans'] = (outcome, count) => metrics.spans(outcome, count);
  const tracing = await startTracing({
    endpoint,
    semconvOptIn,
    upstreamUrl,
    build,
    onSpans,
    log,
  });
  const recorder = createRecorder({
    log,
    metrics: metrics.operations,
    tracing,
    clients,
    tellsCalls: !isProduction,
  });
  const openSets = createOpenSets({
    documented: settings.documentedValues,
    metrics: metrics.answers,
    log,
  });
  return {
    metrics,
    recorder,
    answers: {
      violation: (pointer) => metrics.answers.violation(pointer),
      value: (field, value) => openSets.value(field, value),
    },
    stop: async () => tracing?.stop(),
  };
}

// All metrics of a gateway, and their text format.
import { Counter, Gauge, Registry } from 'prom-client';
import type { StatementObserver } from '../../statement/shift.ts';
import type { UpstreamObserver } from '../../upstream/observer.ts';
import { type AnswerMetrics, createAnswerMetrics } from './answer-metrics.ts';
import type { Build } from '../build.ts';
import type { Client } from '../clients.ts';
import { createOperationMetrics, type OperationMetrics } from './operation-metrics.ts';
import { processMetrics } from './process-metrics.ts';
import { createStatementMetrics } from './statement-metrics.ts';
import type { SpanOutcome } from '../traces/tracing.ts';
import { createUpstreamMetrics } from './upstream-metrics.ts';

/** docs/observability.md has a row for each; test/contract/metrics.test.ts compares the two. */
export interface Metrics {
  /** The media type of `text`. */
  readonly contentType: string;
  /** All metrics in Prometheus' text format. */
  text(): Promise<string>;
  readonly operations: OperationMetrics;
  readonly upstream: UpstreamObserver;
  readonly statements: StatementObserver;
  readonly answers: AnswerMetrics;
  /** A use of Redis failed (shared-store.ts). */
  redisFailed(): void;
  /** A defect of the fast path; graphql-js answered instead. */
  fastPathFailed(): void;
  /** Counts spans; not called if traces are off. */
  spans(outcome: SpanOutcome, count: number): void;
}

/** Creates the metrics of one gateway. */
export function createMetrics(build: Build, clients: readonly Client[]): Metrics {
  const registry = new Registry();
  // Created first, because it measures from now on.
  const process = processMetrics();
  addBuildInfo(registry, build);
  const redisFailures = new Counter({
    name: 'account_bff_redis_failures_total',
    help: 'Uses of Redis that failed; the gateway went on without it.',
    registers: [registry],
  });
  const fastPathFailures = new Counter({
    name: 'account_bff_fast_path_failures_total',
    help: 'Defects of compiled operations; graphql-js answered in their place.',
    registers: [registry],
  });
  const spans = new Counter({
    name: 'account_bff_trace_spans_total',
    help: 'Spans made to be sent, taken by the OTLP collector (exported), given up as it did not take them (failed).',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of ['made', 'exported', 'failed']) spans.inc({ outcome }, 0);
  const answers = createAnswerMetrics(registry);
  return {
    contentType: registry.contentType,
    text: async () => `${await registry.metrics()}\n${await process.metrics()}`,
    operations: createOperationMetrics(registry, clients),
    upstream: createUpstreamMetrics(registry, answers),
    statements: createStatementMetrics(registry),
    answers,
    redisFailed: () => redisFailures.inc(),
    fastPathFailed: () => fastPathFailures.inc(),
    spans: (outcome, count) => spans.inc({ outcome }, count),
  };
}

function addBuildInfo(registry: Registry, { version, node }: Build): void {
  const gauge = new Gauge({
    name: 'account_bff_build_info',
    help: 'Always 1; its labels say what runs.',
    labelNames: ['version', 'node'],
    registers: [registry],
  });
  gauge.set({ version, node }, 1);
}

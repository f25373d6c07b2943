// All metrics of a gateway, and their text format. docs/observability.md has a row for each metric.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { StatementObserver } from '../../statement/shift.ts';
import { documentedValues } from '../../upstream/shape/shapes.ts';
import { endpoints } from '../../upstream/endpoints.ts';
import type { AnswerObserver, UpstreamObserver } from '../../upstream/observer.ts';
import type { Client } from '../clients.ts';
import { codeOf, type EndedOperation, isFault } from '../ended-operation.ts';
import { createAnswerMetrics } from './answer-metrics.ts';

/** A span is counted as made, then as exported to the collector, or as failed if the collector does not accept it. */
const spanOutcomes = ['made', 'exported', 'failed'] as const;
export type SpanOutcome = (typeof spanOutcomes)[number];

/** How an operation ended: without error, with errors of the request, or with a fault of the gateway or service. */
const clientOutcomes = ['ok', 'error', 'fault'];
const refusalReasons = ['circuit_open', 'queue_full'];
const breakerStates = ['closed', 'half_open', 'open'];

/** The outcomes of slices and their reasons, as in shift.ts and search.ts of src/statement. */
const sliceReasons = {
  still: [''],
  shifted: ['arrivals', 'moved', 'neighbour', 'createdAt', 'tieOrder', 'during'],
  expired: ['gone', 'ties', 'tieOrder', 'noId', 'tooFar', 'unsettled'],
  violation: [''],
  failed: [''],
};

/** Buckets for durations in seconds, from the fastest answers to the default of OPERATION_TIMEOUT_MS. */
const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Buckets for numbers of calls, from none to the default of MAX_UPSTREAM_CALLS. */
const callBuckets = [0, 1, 2, 3, 5, 10, 20, 50];

/** One registry per process, even with several gateways, because collecting default metrics cannot be stopped. */
const processRegistry = new Registry();
collectDefaultMetrics({ register: processRegistry });

export function createMetrics(
  version: string,
  clients: readonly Client[],
  log: Parameters<typeof createAnswerMetrics>[2],
) {
  const registry = new Registry();
  new Gauge({
    name: 'account_bff_build_info',
    help: 'Always 1; the labels have the versions in use.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version, node: process.version }, 1);
  const redisFailures = counter(
    registry,
    'account_bff_redis_failures_total',
    'Commands to Redis that failed; the gateway continued without Redis.',
  );
  const fastPathFailures = counter(
    registry,
    'account_bff_fast_path_failures_total',
    'Defects of the fast path; graphql-js answered these operations instead.',
  );
  const spans = counter(
    registry,
    'account_bff_trace_spans_total',
    'Spans by outcome: created, accepted by the OTLP collector (exported), or dropped because it did not accept them (failed).',
    spanOutcomes.map((outcome) => ({ outcome })),
  );
  const answers = createAnswerMetrics(registry, documentedValues, log);
  const operations = createOperationMetrics(registry, clients);
  const upstream = createUpstreamMetrics(registry, answers);
  return {
    contentType: registry.contentType,
    text: async () => `${await registry.metrics()}\n${await processRegistry.metrics()}`,
    operations: { ...operations, ...createStatementMetrics(registry) },
    upstream,
    redisFailed: () => redisFailures.inc(),
    fastPathFailed: () => fastPathFailures.inc(),
    spans: (outcome: SpanOutcome, count: number) => spans.inc({ outcome }, count),
  };
}

/** Creates a counter. Series of `known` labels start at 0: Prometheus sees no increase in a series that starts at 1. */
function counter<Label extends string = never>(
  registry: Registry,
  name: string,
  help: string,
  known: readonly Readonly<Record<Label, string>>[] = [],
): Counter<Label> {
  const labelNames = Object.keys(known[0] ?? {}) as Label[];
  const created = new Counter({ name, help, labelNames, registers: [registry] });
  for (const labels of known) created.inc(labels, 0);
  return created;
}

/** Label values come from closed lists, such as CLIENTS and the schema, never from a request. */
function createOperationMetrics(registry: Registry, clients: readonly Client[]) {
  const registers = [registry];
  const underWay = new Gauge({
    name: 'account_bff_operations_under_way',
    help: 'Requests in progress.',
    registers,
  });
  const operations = new Counter({
    name: 'account_bff_operations_total',
    help: 'Operations answered, by most severe error code (OK if there was no error) and HTTP status (none if the client had disconnected).',
    labelNames: ['code', 'status'],
    registers,
  });
  const duration = new Histogram({
    name: 'account_bff_operation_duration_seconds',
    help: 'Time from a request to its answer.',
    buckets: durationBuckets,
    registers,
  });
  const calls = new Histogram({
    name: 'account_bff_operation_upstream_calls',
    help: 'Calls to the account service per operation.',
    buckets: callBuckets,
    registers,
  });
  const clientOperations = counter(
    registry,
    'account_bff_client_operations_total',
    'Operations answered, by client (CLIENTS) and outcome: ok, error (of the request) or fault (of the gateway or the service).',
    clients.flatMap(({ name: client, version }) =>
      clientOutcomes.map((outcome) => ({ client, version, outcome })),
    ),
  );
  const deprecatedUses = new Counter({
    name: 'account_bff_deprecated_uses_total',
    help: 'Operations that used a deprecated field or argument, by its schema coordinate and the client (CLIENTS).',
    labelNames: ['coordinate', 'client', 'version'],
    registers,
  });
  return {
    /** Called when a request arrives that may be an operation. */
    begin: () => underWay.inc(),
    /** Called if the request was not an operation, but a preflight or a request for an explorer's page or file. */
    drop: () => underWay.dec(),
    end(operation: EndedOperation, deprecated: readonly string[]) {
      const { codes, status, durationMs, upstreamCalls } = operation;
      const { clientName: client, clientVersion: version } = operation;
      const code = codeOf(codes);
      underWay.dec();
      operations.inc({ code, status: status ?? 'none' });
      duration.observe(durationMs / 1000);
      calls.observe(upstreamCalls);
      const outcome = code === 'OK' ? 'ok' : isFault(code) ? 'fault' : 'error';
      clientOperations.inc({ client, version, outcome });
      for (const coordinate of deprecated) deprecatedUses.inc({ coordinate, client, version });
    },
  };
}

function createUpstreamMetrics(registry: Registry, answers: AnswerObserver): UpstreamObserver {
  const routes = Object.keys(endpoints).map((route) => ({ route }));
  const durations = new Histogram({
    name: 'account_bff_upstream_exchange_duration_seconds',
    help: 'Time from a request to the account service to its answer; each retry counts.',
    labelNames: ['route', 'outcome'],
    buckets: durationBuckets,
    registers: [registry],
  });
  const countByRoute = (name: string, help: string) => {
    const created = counter(registry, name, help, routes);
    return (route: string) => created.inc({ route });
  };
  const retry = countByRoute('account_bff_upstream_retries_total', 'Calls that were retried.');
  const resent = countByRoute(
    'account_bff_upstream_resent_requests_total',
    'Requests resent at once because the service had closed the connection.',
  );
  const shared = countByRoute(
    'account_bff_upstream_shared_calls_total',
    'Calls that shared the exchange of another call.',
  );
  const refusals = counter(
    registry,
    'account_bff_upstream_refused_calls_total',
    'Calls that failed without a request to the service, by reason.',
    routes.flatMap(({ route }) => refusalReasons.map((reason) => ({ route, reason }))),
  );
  const breaker = new Gauge({
    name: 'account_bff_upstream_breaker_state',
    help: 'The circuit breaker of each route: 1 for its current state, 0 for the others.',
    labelNames: ['route', 'state'],
    registers: [registry],
  });
  const enter = (route: string, state: string) => {
    for (const one of breakerStates) breaker.set({ route, state: one }, one === state ? 1 : 0);
  };
  for (const { route } of routes) enter(route, 'closed');
  const queue = new Gauge({
    name: 'account_bff_upstream_queue_length',
    help: 'Calls that wait for a connection to the account service.',
    registers: [registry],
  });
  return {
    ...answers,
    exchange(route, outcome, durationMs) {
      durations.observe({ route, outcome }, durationMs / 1000);
      // The answer was rejected before it was parsed, so there is no JSON pointer.
      if (outcome === 'violation') answers.violation('');
    },
    retry,
    resent,
    shared,
    refused: (route, reason) => refusals.inc({ route, reason }),
    breaker: enter,
    queue: (length) => queue.set(length),
  };
}

function createStatementMetrics(registry: Registry): StatementObserver {
  const slices = counter(
    registry,
    'account_bff_statement_slices_total',
    'Slices of statements, by outcome and reason; shifted: rows had moved, and the slice was corrected.',
    Object.entries(sliceReasons).flatMap(([outcome, reasons]) =>
      reasons.map((reason) => ({ outcome, reason })),
    ),
  );
  const rereads = counter(
    registry,
    'account_bff_statement_rereads_total',
    'Pages read again because the statement changed while it was read.',
  );
  return {
    slice(outcome, reason, count) {
      slices.inc({ outcome, reason });
      if (count > 0) rereads.inc(count);
    },
  };
}

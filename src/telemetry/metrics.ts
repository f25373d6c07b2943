// All metrics of a gateway, and their text format. docs/observability.md describes them.
import { hash } from 'node:crypto';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { StatementObserver } from '../statement/shift.ts';
import { documentedValues } from '../upstream/shape/shapes.ts';
import { endpoints } from '../upstream/endpoints.ts';
import type { AnswerObserver } from '../upstream/shape/check.ts';
import type { UpstreamObserver } from '../upstream/exchange/call.ts';
import type { Clients } from './clients.ts';
import { codeOf, type EndedOperation, isFault } from './ended-operation.ts';
import type { Log } from './log.ts';

/** A span is counted as made, then as exported to the collector, or as failed if the collector does not accept it. */
const spanOutcomes = ['made', 'exported', 'failed'] as const;
export type SpanOutcome = (typeof spanOutcomes)[number];

/** How an operation ended: without error, with errors of the request, or with a fault of the gateway or service. */
const clientOutcomes = ['ok', 'error', 'fault'];
/** The HTTP statuses of answers with INTERNAL_SERVER_ERROR. Their series start at 0, so that the first one alerts. */
const defectStatuses = ['200', '500'];
const refusalReasons = ['circuit_open', 'queue_full', 'memory_full'];
const breakerStates = ['closed', 'half_open', 'open'];

/** The outcomes of slices and their reasons, as in shift.ts and place.ts of src/statement. */
const sliceReasons = {
  still: [''],
  shifted: ['arrivals', 'moved', 'neighbour', 'createdAt', 'tieOrder', 'during'],
  expired: ['gone', 'ties', 'noId'],
  unsettled: [''],
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

type Labels = Readonly<Record<string, string>>;

/** A registry that creates metrics. Label values come from closed lists, such as CLIENTS and the schema. */
export class Meters extends Registry {
  /** Series of `known` labels start at 0: Prometheus sees no increase in a series that starts at 1. */
  counter(name: string, help: string, labelNames: string[] = [], known: Labels[] = []) {
    const counter = new Counter({ name, help, labelNames, registers: [this] });
    for (const labels of known) counter.inc(labels, 0);
    return counter;
  }

  gauge(name: string, help: string, labelNames: string[] = []) {
    return new Gauge({ name, help, labelNames, registers: [this] });
  }

  histogram(name: string, help: string, buckets: number[], labelNames: string[] = []) {
    return new Histogram({ name, help, buckets, labelNames, registers: [this] });
  }
}

/** What is known of operations in advance. */
interface KnownOperations {
  /** The schema coordinates of deprecated fields and arguments. */
  readonly deprecated: readonly string[];
  /** Whether the operations manifest has an operation with this name. */
  readonly isReleased: (operationName: string) => boolean;
}

/** The largest number of operations of the manifest that become labels. */
const maxOperations = 200;

export function createMetrics(
  version: string,
  clients: Clients['all'],
  known: KnownOperations,
  log: Pick<Log, 'info'>,
) {
  const meters = new Meters();
  const versions = { version, node: process.version };
  const help = 'Always 1; the labels have the versions in use.';
  meters.gauge('account_bff_build_info', help, Object.keys(versions)).set(versions, 1);
  const redisFailures = meters.counter(
    'account_bff_redis_failures_total',
    'Commands to Redis that failed; the gateway continued without Redis.',
  );
  const fastPathFailures = meters.counter(
    'account_bff_fast_path_failures_total',
    'Defects of the fast path; graphql-js answered these operations instead.',
  );
  const spans = meters.counter(
    'account_bff_trace_spans_total',
    'Spans by outcome: created, accepted by the OTLP collector (exported), or dropped because it did not accept them (failed).',
    ['outcome'],
    spanOutcomes.map((outcome) => ({ outcome })),
  );
  return {
    contentType: meters.contentType,
    text: async () => `${await meters.metrics()}\n${await processRegistry.metrics()}`,
    operations: createOperationMetrics(meters, clients, known),
    upstream: createUpstreamMetrics(meters, createAnswerMetrics(meters, documentedValues, log)),
    redisFailed: () => redisFailures.inc(),
    fastPathFailed: () => fastPathFailures.inc(),
    spans: (outcome: SpanOutcome, count: number) => spans.inc({ outcome }, count),
  };
}

function createOperationMetrics(
  meters: Meters,
  clients: Clients['all'],
  { deprecated, isReleased }: KnownOperations,
) {
  const underWay = meters.gauge('account_bff_operations_under_way', 'Requests in progress.');
  const operations = meters.counter(
    'account_bff_operations_total',
    'Operations answered, by most severe error code (OK if there was no error) and HTTP status (none if the client had disconnected).',
    ['code', 'status'],
    defectStatuses.map((status) => ({ code: 'INTERNAL_SERVER_ERROR', status })),
  );
  const duration = meters.histogram(
    'account_bff_operation_duration_seconds',
    'Time from a request to its answer, by the name of the operation if the manifest lists it.',
    durationBuckets,
    ['operation'],
  );
  duration.zero({ operation: 'other' });
  const labels = new Map<string, string>();
  const labelOf = (name: string | null) => {
    const known = labels.get(name ?? '');
    if (known !== undefined) return known;
    if (name === null || labels.size >= maxOperations || !isReleased(name)) return 'other';
    // For V8, the name is a part of the operation text, which the label would keep in memory.
    const label = Buffer.from(name).toString();
    labels.set(label, label);
    return label;
  };
  const calls = meters.histogram(
    'account_bff_operation_upstream_calls',
    'Calls to the account service per operation.',
    callBuckets,
  );
  const clientOperations = meters.counter(
    'account_bff_client_operations_total',
    'Operations answered, by client (CLIENTS) and outcome: ok, error (of the request) or fault (of the gateway or the service).',
    ['client', 'version', 'outcome'],
    clients.flatMap(({ name: client, version }) =>
      clientOutcomes.map((outcome) => ({ client, version, outcome })),
    ),
  );
  const deprecatedUses = meters.counter(
    'account_bff_deprecated_uses_total',
    'Operations that used a deprecated field or argument, by its schema coordinate and the client (CLIENTS).',
    ['coordinate', 'client', 'version'],
    deprecated.flatMap((coordinate) =>
      clients.map(({ name: client, version }) => ({ coordinate, client, version })),
    ),
  );
  const slices = meters.counter(
    'account_bff_statement_slices_total',
    'Slices of statements, by outcome and reason; shifted: rows had moved, and the slice was corrected.',
    ['outcome', 'reason'],
    Object.entries(sliceReasons).flatMap(([outcome, reasons]) =>
      reasons.map((reason) => ({ outcome, reason })),
    ),
  );
  const rereads = meters.counter(
    'account_bff_statement_rereads_total',
    'Pages read again because the statement changed while it was read.',
  );
  const shortPages = meters.counter(
    'account_bff_statement_short_pages_total',
    'Pages with fewer rows than their totals count, because the service hides rows after paging.',
  );
  return {
    /** Called when a request arrives that may be an operation. */
    begin: () => underWay.inc(),
    /** Called if the request was not an operation, but a preflight or a request for an explorer's page or file. */
    drop: () => underWay.dec(),
    end(operation: EndedOperation, used: readonly string[]) {
      const { codes, status, durationMs, upstreamCalls } = operation;
      const { clientName: client, clientVersion: version } = operation;
      const code = codeOf(codes);
      underWay.dec();
      operations.inc({ code, status: status ?? 'none' });
      duration.observe({ operation: labelOf(operation.operationName) }, durationMs / 1000);
      calls.observe(upstreamCalls);
      const outcome = code === 'OK' ? 'ok' : isFault(code) ? 'fault' : 'error';
      clientOperations.inc({ client, version, outcome });
      for (const coordinate of used) deprecatedUses.inc({ coordinate, client, version });
    },
    slice(...[outcome, reason, count, short]: Parameters<StatementObserver['slice']>) {
      slices.inc({ outcome, reason });
      if (count > 0) rereads.inc(count);
      if (short > 0) shortPages.inc(short);
    },
  };
}

function createUpstreamMetrics(meters: Meters, answers: AnswerObserver): UpstreamObserver {
  const routes = Object.keys(endpoints).map((route) => ({ route }));
  const durations = meters.histogram(
    'account_bff_upstream_exchange_duration_seconds',
    'Time from a request to the account service to its answer; each retry counts.',
    durationBuckets,
    ['route', 'outcome'],
  );
  const countByRoute = (name: string, help: string) => {
    const counter = meters.counter(name, help, ['route'], routes);
    return (route: string) => counter.inc({ route });
  };
  const refusals = meters.counter(
    'account_bff_upstream_refused_calls_total',
    'Calls that the gateway itself failed, by reason.',
    ['route', 'reason'],
    routes.flatMap(({ route }) => refusalReasons.map((reason) => ({ route, reason }))),
  );
  const breaker = meters.gauge(
    'account_bff_upstream_breaker_state',
    'The circuit breaker of each route: 1 for its current state, 0 for the others.',
    ['route', 'state'],
  );
  const enter = (route: string, state: string) => {
    for (const one of breakerStates) breaker.set({ route, state: one }, one === state ? 1 : 0);
  };
  for (const { route } of routes) enter(route, 'closed');
  const queue = meters.gauge(
    'account_bff_upstream_queue_length',
    'Calls that wait for a connection to the account service.',
  );
  const failures = meters.counter(
    'account_bff_upstream_failed_exchanges_total',
    'Exchanges that failed, by cause: the status, TIMEOUT, or an error code such as ECONNREFUSED.',
    ['route', 'cause'],
  );
  const causes = new Set<string>();
  const expiry = meters.gauge(
    'account_bff_upstream_certificate_expiry_timestamp_seconds',
    'When the first certificate of UPSTREAM_CA or UPSTREAM_CERT expires.',
    ['setting'],
  );
  return {
    ...answers,
    certificate: (setting, expiresAtMs) => expiry.set({ setting }, expiresAtMs / 1000),
    exchange(route, outcome, durationMs) {
      durations.observe({ route, outcome }, durationMs / 1000);
      // The answer was rejected before it was parsed, so there is no JSON pointer.
      if (outcome === 'violation') answers.violation('');
    },
    failed(route, cause) {
      if (causes.size < maxCauses) causes.add(cause);
      failures.inc({ route, cause: causes.has(cause) ? cause : 'other' });
    },
    retry: countByRoute('account_bff_upstream_retries_total', 'Calls that were retried.'),
    resent: countByRoute(
      'account_bff_upstream_resent_requests_total',
      'Requests resent at once because the service had closed the connection.',
    ),
    shared: countByRoute(
      'account_bff_upstream_shared_calls_total',
      'Calls that shared the exchange of another call.',
    ),
    refused: (route, reason) => refusals.inc({ route, reason }),
    breaker: enter,
    queue: (length) => queue.set(length),
  };
}

/** The largest number of causes of failed exchanges that become labels: statuses, and error codes of OpenSSL or undici. */
const maxCauses = 100;

/** The label for a violation by an answer as a whole, because Prometheus treats an empty label as absent. */
const whole = '(answer)';

/** The largest number of JSON pointers that become labels. Without a defect in the code, there are about seventy. */
const maxPointers = 200;

/** The largest number of values that are remembered for a field: more than any open set should have. */
const maxValues = 100;

/** The longest value that `constant` matches. Of a longer value, only a hash is remembered, to save memory. */
const maxLength = 64;

/** Only values that look like constants are logged, because any other value may be personal data. */
const constant = /^[A-Z][A-Z0-9_]{0,63}$/;

/** `documentedValues` has the documented values of each field with an open set; other fields are ignored. */
export function createAnswerMetrics(
  meters: Meters,
  documentedValues: Readonly<Record<string, readonly string[]>>,
  log: Pick<Log, 'info'>,
): AnswerObserver {
  const violations = meters.counter(
    'account_bff_contract_violations_total',
    'Values in answers that are not as documented by the service, by JSON pointer; * stands for any index.',
    ['pointer'],
    [{ pointer: whole }],
  );
  const newValues = meters.counter(
    'account_bff_open_set_new_values_total',
    'Distinct undocumented values seen in fields that may have values other than the documented ones.',
    ['field'],
  );
  const pointers = new Set<string>();
  const known = new Map(
    Object.entries(documentedValues).map(([field, values]) => [field, new Set(values)]),
  );
  return {
    violation(sent) {
      const pointer = sent.replace(/\/\d+(?=\/|$)/g, '/*') || whole;
      if (pointers.size < maxPointers) pointers.add(pointer);
      violations.inc({ pointer: pointers.has(pointer) ? pointer : 'other' });
    },
    value(field, value) {
      const values = known.get(field);
      if (values === undefined || values.has(value)) return;
      const key = value.length <= maxLength ? value : hash('sha256', value);
      if (values.has(key) || values.size >= maxValues) return;
      values.add(key);
      newValues.inc({ field });
      const shown = constant.test(key) ? { field, value } : { field };
      log.info(shown, 'an undocumented value was seen for the first time');
    },
  };
}

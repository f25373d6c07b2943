// How operations end, how long they take and what they cost the service.
import { Counter, Gauge, type Registry } from 'prom-client';
import { durationBuckets } from './duration-buckets.ts';
import { Histogram } from './histogram.ts';

/** What is counted of an operation. Labels come from the closed sets of docs/errors.md, never from what a client sent. */
export interface OperationMetrics {
  /** A request came that may be an operation. */
  begin(): void;
  /** It was none after all: a preflight, the explorer's page. */
  drop(): void;
  /** It was answered. `status` is null where the client was gone. */
  end(code: string, status: number | null, durationMs: number, upstreamCalls: number): void;
}

/** What one operation may need: accounts and statements of a holder, up to MAX_UPSTREAM_CALLS. */
const callBuckets = [0, 1, 2, 3, 5, 10, 20, 50];

export function createOperationMetrics(registry: Registry): OperationMetrics {
  const registers = [registry];
  const underWay = new Gauge({
    name: 'account_bff_operations_under_way',
    help: 'Requests that have come and are not answered yet.',
    registers,
  });
  const operations = new Counter({
    name: 'account_bff_operations_total',
    help: 'Operations answered, by their gravest code (OK for none) and HTTP status (none where the client was gone).',
    labelNames: ['code', 'status'],
    registers,
  });
  const duration = new Histogram({
    name: 'account_bff_operation_duration_seconds',
    help: 'From the request to its answer.',
    buckets: durationBuckets,
    registry,
  }).open();
  const calls = new Histogram({
    name: 'account_bff_operation_upstream_calls',
    help: 'Calls to the account service that one operation made.',
    buckets: callBuckets,
    registry,
  }).open();
  return {
    begin: () => underWay.inc(),
    drop: () => underWay.dec(),
    end(code, status, durationMs, upstreamCalls) {
      underWay.dec();
      operations.inc({ code, status: status ?? 'none' });
      duration.observe(durationMs / 1000);
      calls.observe(upstreamCalls);
    },
  };
}

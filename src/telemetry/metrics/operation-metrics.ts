// How operations end, how long they take, and how many calls they make.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type Client, clientOutcomes } from '../clients.ts';
import { isFault } from '../operation-code.ts';

/** Counts operations. Labels come from docs/errors.md and from CLIENTS, never from a request. */
export interface OperationMetrics {
  /** A request that may be an operation has arrived. */
  begin(): void;
  /** The request was not an operation: a preflight, the explorer's page. */
  drop(): void;
  /** The operation was answered. */
  end(operation: CountedOperation): void;
}

export interface CountedOperation {
  readonly code: string;
  /** Null if the client was gone. */
  readonly status: number | null;
  readonly durationMs: number;
  readonly upstreamCalls: number;
  readonly client: Client;
  /** Coordinates of the deprecated fields and arguments that it used. */
  readonly deprecated: readonly string[];
}

/** Seconds: from an answer from memory to OPERATION_TIMEOUT_MS. All histograms of durations share them. */
export const durationBuckets = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** From no call to MAX_UPSTREAM_CALLS. */
const callBuckets = [0, 1, 2, 3, 5, 10, 20, 50];

export function createOperationMetrics(
  registry: Registry,
  clients: readonly Client[],
): OperationMetrics {
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
    registers,
  });
  const calls = new Histogram({
    name: 'account_bff_operation_upstream_calls',
    help: 'Calls to the account service that one operation made.',
    buckets: callBuckets,
    registers,
  });
  addClientOperations(registry, clients);
  addDeprecatedUses(registry, clients);
  return {
    begin: () => underWay.inc(),
    drop: () => underWay.dec(),
    end({ code, status, durationMs, upstreamCalls, client, deprecated }) {
      underWay.dec();
      operations.inc({ code, status: status ?? 'none' });
      duration.observe(durationMs / 1000);
      calls.observe(upstreamCalls);
      client.ended[code === 'OK' ? 'ok' : isFault(code) ? 'fault' : 'error']++;
      for (const coordinate of deprecated) {
        client.usedDeprecated.set(coordinate, (client.usedDeprecated.get(coordinate) ?? 0) + 1);
      }
    },
  };
}

/** An operation only increments a number of its client; the labels are added at each scrape. */
function addClientOperations(registry: Registry, clients: readonly Client[]): void {
  new Counter({
    name: 'account_bff_client_operations_total',
    help: 'Operations answered, by the app that asked (CLIENTS): ok, error of the request, fault of the gateway or the service.',
    labelNames: ['client', 'version', 'outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { name: client, version, ended } of clients) {
        for (const outcome of clientOutcomes) {
          this.inc({ client, version, outcome }, ended[outcome]);
        }
      }
    },
  });
}

function addDeprecatedUses(registry: Registry, clients: readonly Client[]): void {
  new Counter({
    name: 'account_bff_deprecated_uses_total',
    help: 'Operations that used a deprecated field or argument, by its coordinate and the app that asked (CLIENTS).',
    labelNames: ['coordinate', 'client', 'version'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { name: client, version, usedDeprecated } of clients) {
        for (const [coordinate, uses] of usedDeprecated) {
          this.inc({ coordinate, client, version }, uses);
        }
      }
    },
  });
}

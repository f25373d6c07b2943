// Exchanges with the account service, and how the gateway handles its failures.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { UpstreamObserver } from '../../upstream/observer.ts';
import type { AnswerMetrics } from './answer-metrics.ts';
import { durationBuckets } from './operation-metrics.ts';

const routes = ['persons', 'companies', 'transactions'];
const reasons = ['circuit_open', 'queue_full'];
const breakerStates = ['closed', 'half_open', 'open'];

export function createUpstreamMetrics(
  registry: Registry,
  answers: Pick<AnswerMetrics, 'violation'>,
): UpstreamObserver {
  const durations = new Histogram({
    name: 'account_bff_upstream_exchange_duration_seconds',
    help: 'Requests to the account service with their answers, retries counted each.',
    labelNames: ['route', 'outcome'],
    buckets: durationBuckets,
    registers: [registry],
  });
  const retries = counter(registry, 'retries', 'Calls tried again.');
  const resent = counter(
    registry,
    'resent_requests',
    'Requests sent again at once, as the service had closed their connection.',
  );
  const shared = counter(registry, 'shared_calls', "Calls answered by another call's exchange.");
  const refusals = refusalCounter(registry);
  const breaker = breakerGauge(registry);
  const queue = queueGauge(registry);
  return {
    exchange(route, outcome, durationMs) {
      durations.observe({ route, outcome }, durationMs / 1000);
      // The answer was rejected by its head or its size, so there is no JSON pointer.
      if (outcome === 'violation') answers.violation('');
    },
    retry: (route) => retries.inc({ route }),
    resent: (route) => resent.inc({ route }),
    shared: (route) => shared.inc({ route }),
    refused: (route, reason) => refusals.inc({ route, reason }),
    breaker: (state) => setState(breaker, state),
    queue: (length) => queue.set(length),
  };
}

/** Counters start at 0 for every route: Prometheus sees no increase in a series that begins with 1. */
function counter(registry: Registry, name: string, help: string): Counter<'route'> {
  const fullName = `account_bff_upstream_${name}_total`;
  const labelNames = ['route' as const];
  const created = new Counter({ name: fullName, help, labelNames, registers: [registry] });
  for (const route of routes) created.inc({ route }, 0);
  return created;
}

function refusalCounter(registry: Registry): Counter<'route' | 'reason'> {
  const created = new Counter({
    name: 'account_bff_upstream_refused_calls_total',
    help: 'Calls refused without asking the service.',
    labelNames: ['route', 'reason'],
    registers: [registry],
  });
  for (const route of routes) {
    for (const reason of reasons) created.inc({ route, reason }, 0);
  }
  return created;
}

function breakerGauge(registry: Registry): Gauge<'state'> {
  const gauge = new Gauge({
    name: 'account_bff_upstream_breaker_state',
    help: 'The circuit breaker: 1 for the state that it is in.',
    labelNames: ['state'],
    registers: [registry],
  });
  setState(gauge, 'closed');
  return gauge;
}

function setState(gauge: Gauge<'state'>, state: string): void {
  for (const one of breakerStates) gauge.set({ state: one }, one === state ? 1 : 0);
}

function queueGauge(registry: Registry): Gauge {
  return new Gauge({
    name: 'account_bff_upstream_queue_length',
    help: 'Calls that wait for a connection to the account service.',
    registers: [registry],
  });
}

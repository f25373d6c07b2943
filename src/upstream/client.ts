// The client of the REST service: one method for each endpoint.
import type { UpstreamCall } from './call.ts';
import { type Endpoint, endpoints } from './endpoints.ts';
import { Circuit } from './exchange/circuit.ts';
import { Connections } from './exchange/connection-pool.ts';
import { createRetryBudget } from './exchange/retry.ts';
import type { UpstreamObserver } from './observer.ts';
import type { ReadParts } from './reads/read.ts';
import { createReads } from './reads/shared-reads.ts';

export * from './call.ts';
export { UpstreamStatusError } from './exchange/failure.ts';

type Method<E> =
  E extends Endpoint<infer Ask, infer T> ? (call: UpstreamCall, ask: Ask) => Promise<T> : never;

type Methods = { readonly [Name in keyof typeof endpoints]: Method<(typeof endpoints)[Name]> };

/** Every method rejects with a GatewayError only; with an UpstreamStatusError if the service answered with a status. */
export interface UpstreamClient extends Methods {
  /** Whether the queue for connections is so long that more operations should be rejected. */
  isSaturated(): boolean;
  /** Waits for the exchanges in progress, then closes the connections. */
  close(): Promise<void>;
}

export interface UpstreamSettings {
  /** The service's base address; a path in it is kept. */
  readonly url: string;
  /** Deadline of one exchange, from the call to the last byte of its answer, including the wait for a connection. */
  readonly timeoutMs: number;
  /** Retries after a connection error, 502 or 503. */
  readonly retries: number;
  readonly maxBodyBytes: number;
  readonly connections: number;
  /** The part of pino's logger that is used. */
  readonly log: { warn(fields: object, message: string): void };
  readonly observer: UpstreamObserver;
  /** From 0 to 1, for the jitter of retries; Math.random by default. */
  readonly random?: () => number;
}

/** Creates the client; it opens no connection before the first call. */
export function createUpstreamClient(settings: UpstreamSettings): UpstreamClient {
  const { url, timeoutMs, retries, random = Math.random, log, observer } = settings;
  const { origin, pathname } = new URL(url);
  const basePath = pathname.replace(/\/+$/, '');
  const onQueue = (length: number) => observer.queue(length);
  const connections = new Connections({ ...settings, origin, onQueue });
  const now = () => performance.now();
  const circuit = new Circuit({
    now,
    onChange(state) {
      observer.breaker(state);
      log.warn({ state }, 'the circuit to the service changed');
      if (state === 'open') connections.refuseWaiting();
    },
  });
  const parts: ReadParts = {
    connections,
    circuit,
    retry: { retries, timeoutMs, random, budget: createRetryBudget() },
    observer,
    onRetry(route, error) {
      observer.retry(route);
      log.warn({ endpoint: route, err: error.cause }, 'upstream is asked again');
    },
    now,
  };
  const methodOf = <Ask, T>(endpoint: Endpoint<Ask, T>): Method<Endpoint<Ask, T>> => {
    const { path, pageOf } = endpoint;
    const parse = (utf8: Buffer) => endpoint.read(utf8, observer);
    const read = createReads(parts, { ...endpoint, parse });
    return (call, ask) => read(call, basePath + path(ask), pageOf?.(ask));
  };
  const rows: readonly [string, Endpoint<never, unknown>][] = Object.entries(endpoints);
  const methods = rows.map(([name, row]) => [name, methodOf(row)]);
  return {
    // Object.fromEntries loses the type of each row's method.
    ...(Object.fromEntries(methods) as Methods),
    isSaturated: () => connections.isSaturated,
    close: () => connections.close(),
  };
}

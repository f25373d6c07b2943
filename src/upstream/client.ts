// The client of the REST service.
import type { UpstreamCall } from './call.ts';
import { type AnswerOf, endpoints, type ParametersOf, type UpstreamRoute } from './endpoints.ts';
import { Circuit } from './exchange/circuit.ts';
import { Connections } from './exchange/connection-pool.ts';
import { Retries } from './exchange/retry.ts';
import type { BreakerState, UpstreamObserver } from './observer.ts';
import type { ReadParts } from './reads/read.ts';
import { createReads } from './reads/shared-reads.ts';

export * from './call.ts';
export { UpstreamStatusError } from './exchange/failure.ts';

export interface UpstreamReader<Routes extends UpstreamRoute> {
  read(
    call: UpstreamCall,
    route: Routes,
    parameters: ParametersOf<Routes>,
  ): Promise<AnswerOf<Routes>>;
}

export type UpstreamClient = ReturnType<typeof createUpstreamClient>;

export interface UpstreamSettings {
  /** The service's base address; a path in it is kept. */
  readonly url: string;
  /** The longest time that one exchange may take, including its wait for a connection. */
  readonly timeoutMs: number;
  /** The largest number of retries of a call after connection errors, 502 and 503. */
  readonly retries: number;
  readonly maxBodyBytes: number;
  readonly connections: number;
  readonly log: { warn(fields: object, message: string): void };
  readonly observer: UpstreamObserver;
  /** Returns a number from 0 to 1, for the jitter of retries; Math.random by default. */
  readonly random?: () => number;
}

/** Creates the client; it opens no connection before the first call. */
export function createUpstreamClient(settings: UpstreamSettings) {
  const { url, timeoutMs, retries, random = Math.random, log, observer } = settings;
  const { origin, pathname } = new URL(url);
  const basePath = pathname.replace(/\/+$/, '');
  const onQueue = (length: number) => observer.queue(length);
  const connections = new Connections({ ...settings, origin, onQueue });
  const now = () => performance.now();
  const parts: Omit<ReadParts, 'circuit'> = {
    connections,
    retries: new Retries(retries, timeoutMs, random),
    observer,
    onRetry(route, error) {
      observer.retry(route);
      log.warn({ endpoint: route, err: error.cause }, 'a call to the service is retried');
    },
    now,
  };
  const routes = Object.keys(endpoints) as UpstreamRoute[];
  const readers = new Map(
    routes.map((route) => {
      const { notFound, read } = endpoints[route];
      const onChange = (state: BreakerState) => {
        observer.breaker(route, state);
        log.warn({ endpoint: route, state }, 'the circuit of an endpoint changed its state');
        if (state === 'open') connections.refuseWaiting(route);
      };
      const ofRoute = { ...parts, circuit: new Circuit(now, onChange) };
      const reads = createReads(ofRoute, {
        route,
        notFound,
        parse: (utf8) => read(utf8, observer),
      });
      return [route, { reads, pathOf: pathWriter(basePath, endpoints[route]) }];
    }),
  );
  return {
    /** Rejects only with a GatewayError: an UpstreamStatusError if the status of the answer is not 200. */
    read<Route extends UpstreamRoute>(
      call: UpstreamCall,
      route: Route,
      parameters: ParametersOf<Route>,
    ): Promise<AnswerOf<Route>> {
      const { page }: Parameters = parameters;
      const reader = readers.get(route);
      const path = reader?.pathOf(parameters) ?? '';
      // The answer has this type, because the parser of the same route returned it.
      const answer = reader?.reads(call, path, typeof page === 'number' ? page : undefined);
      return answer as Promise<AnswerOf<Route>>;
    },
    /** Whether the queue for connections is so long that further operations should be rejected. */
    isSaturated: () => connections.isSaturated,
    /** Waits for the exchanges in progress, then closes the connections. */
    close: () => connections.close(),
  };
}

type Parameters = Readonly<Record<string, string | number | null | undefined>>;

/** Creates a function that writes the paths of an endpoint, with their queries. The template is parsed only once. */
function pathWriter(
  basePath: string,
  { path, query }: { readonly path: string; readonly query: readonly string[] },
): (parameters: Parameters) => string {
  const [start = '', ...parts] = path.split(/[{}]/);
  return (parameters) => {
    let filled = basePath + start;
    for (let k = 0; k < parts.length; k += 2) {
      filled += encodeURIComponent(parameters[parts[k] ?? ''] ?? '') + (parts[k + 1] ?? '');
    }
    let separator = '?';
    for (const name of query) {
      const value = parameters[name] ?? null;
      if (value === null) continue;
      filled += `${separator}${name}=${encodeURIComponent(value)}`;
      separator = '&';
    }
    return filled;
  };
}

// The client of the REST service.
import type { UpstreamCall, UpstreamSettings } from './exchange/call.ts';
import { type AnswerOf, endpoints, type ParametersOf, type UpstreamRoute } from './endpoints.ts';
import { type BreakerState, Circuit } from './exchange/circuit.ts';
import { watchCertificates } from './exchange/certificate-watch.ts';
import { Connections } from './exchange/connection-pool.ts';
import { Retries } from './exchange/retry.ts';
import type { Parsed } from './reads/read.ts';
import { createReads } from './reads/shared-reads.ts';

import { createTimeZone } from './shape/time-zone.ts';
import { dayAfter } from './shape/timestamp.ts';

export * from './exchange/call.ts';
export { UpstreamStatusError } from './exchange/failure.ts';

export interface UpstreamReader<Routes extends UpstreamRoute> {
  read(
    call: UpstreamCall,
    route: Routes,
    parameters: ParametersOf<Routes>,
  ): Promise<AnswerOf<Routes>>;
}

export type UpstreamClient = ReturnType<typeof createUpstreamClient>;

/** Creates the client; it opens no connection before the first call. */
export function createUpstreamClient(settings: UpstreamSettings) {
  const { url, memory, log, observer } = settings;
  const basePath = new URL(url).pathname.replace(/\/+$/, '');
  const watch = watchCertificates({ files: settings.certificates, log, observer });
  const connections = new Connections(
    { ...settings, context: watch.current()?.context ?? null },
    memory,
  );
  watch.start(({ context }) => connections.renew(context));
  const retries = new Retries(settings);
  const timeZone = settings.timeZone === null ? null : createTimeZone(settings.timeZone);
  const createReader = (route: UpstreamRoute) => {
    const { notFound, read } = endpoints[route];
    const onChange = (state: BreakerState) => {
      observer.breaker(route, state);
      log.warn({ endpoint: route, state }, circuitMessages[state]);
      if (state === 'open') connections.refuseWaiting(route);
    };
    const circuit = new Circuit(() => performance.now(), onChange);
    const parts = { settings, connections, retries, memory, circuit };
    const parse = (utf8: Buffer): Parsed<unknown> => read(utf8, observer, timeZone);
    const reads = createReads(parts, { route, notFound, parse });
    return { reads, pathOf: pathWriter(basePath, endpoints[route]) };
  };
  const readers = Object.fromEntries(
    (Object.keys(endpoints) as UpstreamRoute[]).map((route) => [route, createReader(route)]),
  ) as Record<UpstreamRoute, ReturnType<typeof createReader>>;
  return {
    /** Rejects with a GatewayError: an UpstreamStatusError if the status of the answer is not 200. */
    read<Route extends UpstreamRoute>(
      call: UpstreamCall,
      route: Route,
      parameters: ParametersOf<Route>,
    ): Promise<AnswerOf<Route>> {
      const { page, endDate }: Parameters = parameters;
      const { reads, pathOf } = readers[route];
      const pageNumber = typeof page === 'number' ? page : undefined;
      // The answer has this type, because the parser of the same route returned it.
      const sent =
        settings.endDate === 'exclusive' && typeof endDate === 'string'
          ? { ...parameters, endDate: dayAfter(endDate) }
          : parameters;
      const answer = reads(call, pathOf(sent), pageNumber);
      return answer as Promise<AnswerOf<Route>>;
    },
    /** Reserves memory for what the call's operation makes of its answers; returns false if too little is left. */
    keep: (call: UpstreamCall, bytes: number) => memory.keep(bytes, call),
    /** Whether further operations should be rejected, because the queue for connections is more than half full. */
    isSaturated: () => connections.isSaturated,
    close: () => {
      watch.stop();
      return connections.close();
    },
  };
}

const circuitMessages: Readonly<Record<BreakerState, string>> = {
  open: 'the circuit of an endpoint opened: its calls fail at once, because most of them failed',
  half_open: 'the circuit of an endpoint lets a few calls through',
  closed: 'the circuit of an endpoint closed: all calls are made again',
};

type Parameters = Readonly<Record<string, string | number | null | undefined>>;

/** Creates a function that writes the paths of an endpoint, with their queries. */
function pathWriter(
  basePath: string,
  { path, query }: { readonly path: string; readonly query: readonly string[] },
): (parameters: Parameters) => string {
  // Every second part is the name of a parameter.
  const parts = path.split(/[{}]/);
  return (parameters) => {
    let filled = basePath;
    for (const [k, part] of parts.entries()) {
      filled += k % 2 === 0 ? part : encodeURIComponent(parameters[part] ?? '');
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

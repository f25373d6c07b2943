// The part of a client's request that a router forwards to every subgraph.

/**
 * The headers of the caller, of the trace and of the client app, and the request id that account-bff logs. No other
 * headers are forwarded, and no cookies.
 */
export const forwardedHeaders = [
  'authorization',
  'x-tenant-id',
  'traceparent',
  'tracestate',
  'x-request-id',
  'graphql-client-name',
  'graphql-client-version',
  'apollographql-client-name',
  'apollographql-client-version',
] as const;

/**
 * The headers that determine whose data an answer contains. Every key for joining requests or storing answers has to
 * contain them.
 */
export const callerHeaders: readonly string[] = ['authorization', 'x-tenant-id'];

/** The forwarded headers that a request has. */
export function forwardedOf(
  valueOf: (name: string) => string | null | undefined,
): Record<string, string> {
  const pairs = forwardedHeaders.map((name) => [name, valueOf(name)] as const);
  return Object.fromEntries(
    pairs.filter((pair): pair is [(typeof pair)[0], string] => pair[1] != null),
  );
}

/** A running router. Disposing of it stops it. */
export interface Router extends AsyncDisposable {
  /** The address of its GraphQL endpoint. */
  readonly url: string;
}

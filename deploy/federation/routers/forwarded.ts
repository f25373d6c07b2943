// The part of a client's request that a router forwards to every subgraph.

/** The caller, the trace, and the id under which account-bff logs. No other headers, and no cookies. */
export const forwardedHeaders = [
  'authorization',
  'x-tenant-id',
  'traceparent',
  'tracestate',
  'x-request-id',
] as const;

/** The headers that decide whose data an answer contains: part of every key of joined requests or stored answers. */
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

/** A router that listens. Disposing of it stops it. */
export interface Router extends AsyncDisposable {
  /** The address of its GraphQL endpoint. */
  readonly url: string;
}

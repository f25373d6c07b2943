// Hive Gateway, used as a library. With the command `hive-gateway`, these options belong in gateway.config.ts.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGatewayRuntime, type GatewayConfigSupergraph } from '@graphql-hive/gateway-runtime';
import { callerHeaders, forwardedOf, type Router } from './forwarded.ts';

/** Options of Hive Gateway itself, which replace those below. */
export type HiveOptions = Partial<Omit<GatewayConfigSupergraph, 'supergraph'>>;

/**
 * account-bff's MAX_UPSTREAM_CALLS, minus the two calls for the profile that a request for references may need. No
 * weight can express these two calls.
 */
const maxCalls = 50 - 2;

/** Serves a supergraph, by default on a free port. */
export async function startHive(
  supergraph: string,
  port = 0,
  options: HiveOptions = {},
): Promise<Router> {
  const runtime = createGatewayRuntime({
    supergraph,
    propagateHeaders: {
      // If account-bff has ROUTER_SECRET, _entities and _service require a header. This function also gets
      // `subgraphName`: if it is `account`, add `'x-router-secret': process.env['ROUTER_SECRET']` to the result.
      fromClientToSubgraphs: ({ request }) => forwardedOf((name) => request.headers.get(name)),
    },
    // Concurrent identical requests share an answer if they have the same token and tenant. Other headers do not affect
    // the answer.
    inboundInflightRequestDeduplication: {
      shouldIncludeHeader: (name) => callerHeaders.includes(name.toLowerCase()),
    },
    // No `responseCaching`: it stores answers although account-bff sends no-store. docs/federation.md explains this.
    // A weight of 20 is a call to the account service, and a holder has at most 5 accounts: schema/subgraph-cost.graphql.
    demandControl: { maxCost: 20 * maxCalls, listSize: 5 },
    // Errors of subgraphs keep their code and retryAfter. Only unexpected errors of the router itself are masked.
    maskedErrors: true,
    logging: 'error',
    ...options,
  });
  const server = createServer((request, response) => void runtime(request, response));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      await runtime.dispose();
    },
  };
}

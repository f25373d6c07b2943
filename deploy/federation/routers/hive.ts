// Hive Gateway, as a library. With the command of the same name, what is given here goes into gateway.config.ts.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime';
import { forwardedOf, type Router } from './forwarded.ts';

/** Serves a supergraph, by default on a free port. */
export async function startHive(supergraph: string, port = 0): Promise<Router> {
  const runtime = createGatewayRuntime({
    supergraph,
    propagateHeaders: {
      fromClientToSubgraphs: ({ request }) => forwardedOf((name) => request.headers.get(name)),
    },
    // Errors of subgraphs keep their code and retryAfter; what is masked is a defect of the router itself.
    maskedErrors: true,
    logging: 'error',
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

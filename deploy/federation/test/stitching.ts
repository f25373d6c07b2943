// GraphQL Yoga with a stitched schema, which GraphQL Mesh makes from a supergraph: a router for tests of account-bff.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getStitchedSchemaFromSupergraphSdl } from '@graphql-tools/federation';
import { createYoga, type Plugin } from 'graphql-yoga';
import { forwardedOf, type Router } from '../routers/forwarded.ts';

interface Context {
  readonly request: Request;
}

export async function startStitching(
  supergraph: string,
  plugins: readonly Plugin[] = [],
): Promise<Router> {
  const schema = getStitchedSchemaFromSupergraphSdl({
    supergraphSdl: supergraph,
    httpExecutorOpts: {
      headers: (executed) => {
        const { headers } = (executed?.context as Context).request;
        return forwardedOf((name) => headers.get(name));
      },
    },
  });
  const yoga = createYoga({ schema, plugins: [...plugins], logging: 'error' });
  const server = createServer((request, response) => void yoga(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      await yoga.dispose();
    },
  };
}

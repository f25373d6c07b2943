// @apollo/gateway in Apollo Server. Its licence is Elastic-2.0: see docs/federation.md.
import { ApolloGateway, RemoteGraphQLDataSource } from '@apollo/gateway';
import { ApolloServer, type ApolloServerPlugin } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { GraphQLError } from 'graphql';
import { forwardedOf, type Router } from './forwarded.ts';

/** The headers of a client's request that the router forwards. */
interface Context {
  readonly forwarded?: Readonly<Record<string, string>>;
}

type Sent = Parameters<NonNullable<RemoteGraphQLDataSource<Context>['willSendRequest']>>[0];
type Received = Parameters<RemoteGraphQLDataSource['errorFromResponse']>[0];

/** Calls a subgraph on behalf of the client. */
class ForwardingDataSource extends RemoteGraphQLDataSource<Context> {
  override willSendRequest({ request, context }: Sent): void {
    const { forwarded = {} } = context as Context;
    for (const [name, value] of Object.entries(forwarded)) {
      request.http?.headers.set(name, value);
    }
  }

  /**
   * If account-bff rejects a request, it sends a status and a GraphQL error. Only that error is passed on, without the
   * subgraph's address and the rest of the body.
   */
  override async errorFromResponse(response: Received): Promise<GraphQLError> {
    const body: unknown = await this.parseBody(response);
    const { message, extensions } = firstErrorOf(body) ?? {
      message: 'A subgraph refused the request.',
      extensions: { code: 'SUBGRAPH_REFUSED' },
    };
    return new GraphQLError(message, { extensions });
  }

  /** Called if there was no answer. The error is replaced, because it contains the subgraph's address. */
  override didEncounterError(error: Error): void {
    if (error instanceof GraphQLError) throw error;
    throw new GraphQLError('A subgraph cannot be reached.', {
      extensions: { code: 'SUBGRAPH_UNAVAILABLE' },
      originalError: error,
    });
  }
}

type Refusal = Pick<GraphQLError, 'message' | 'extensions'>;

function firstErrorOf(body: unknown): Refusal | undefined {
  if (typeof body !== 'object' || body === null || !('errors' in body)) return undefined;
  return (body as { errors: readonly Refusal[] }).errors[0];
}

/**
 * Serves a supergraph, by default on a free port. The gateway does not join identical requests. A cache among `plugins`
 * stores no answer with data of account-bff, because the data source honours the subgraph's `Cache-Control: no-store`.
 */
export async function startApolloGateway(
  supergraph: string,
  port = 0,
  plugins: readonly ApolloServerPlugin<Context>[] = [],
): Promise<Router> {
  const gateway = new ApolloGateway({
    supergraphSdl: supergraph,
    // If account-bff has ROUTER_SECRET, _entities and _service require the header x-router-secret. `buildService` also
    // gets the `name` of the subgraph: let the source of `account` set the header in `willSendRequest`.
    buildService: ({ url = '' }) =>
      new ForwardingDataSource({ url, honorSubgraphCacheControlHeader: true }),
  });
  const server = new ApolloServer<Context>({
    gateway,
    plugins: [...plugins],
    includeStacktraceInErrorResponses: false,
    // The caller stops it, as it does the subgraphs.
    stopOnTerminationSignals: false,
  });
  const { url } = await startStandaloneServer(server, {
    listen: { port, host: '127.0.0.1' },
    context: ({ req }) =>
      Promise.resolve({ forwarded: forwardedOf((name) => textOf(req.headers[name])) }),
  });
  return { url, [Symbol.asyncDispose]: () => server.stop() };
}

function textOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

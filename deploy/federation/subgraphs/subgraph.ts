// A listening subgraph: its SDL, its resolvers, and the requests that it received.
import { readFileSync } from 'node:fs';
import { ApolloServer } from '@apollo/server';
import { ApolloServerPluginInlineTraceDisabled } from '@apollo/server/plugin/disabled';
import { startStandaloneServer } from '@apollo/server/standalone';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { type DocumentNode, parse } from 'graphql';

type Module = Extract<
  Extract<Parameters<typeof buildSubgraphSchema>[0], readonly unknown[]>[number],
  { readonly typeDefs: unknown }
>;
type Resolvers = NonNullable<Module['resolvers']>;

/** The name and the resolvers of a subgraph. */
export interface SubgraphParts {
  readonly name: string;
  /** The SDL; by default that in `<name>.graphql`. */
  readonly typeDefs?: DocumentNode;
  readonly resolvers: Resolvers;
}

/** A running subgraph. Disposing of it stops it. */
export interface Subgraph extends AsyncDisposable {
  readonly name: string;
  readonly url: string;
  /** The headers of each received request, by their lower-case names. */
  readonly requests: readonly Readonly<Record<string, string | string[] | undefined>>[];
}

/** The SDL of a subgraph in this folder. */
export function readSubgraph(name: string): DocumentNode {
  return parse(readFileSync(new URL(`${name}.graphql`, import.meta.url), 'utf8'));
}

/** Starts a subgraph on a port, by default any free one. */
export async function startSubgraph(
  { name, typeDefs = readSubgraph(name), resolvers }: SubgraphParts,
  port = 0,
): Promise<Subgraph> {
  const requests: Subgraph['requests'][number][] = [];
  const schema = buildSubgraphSchema([{ typeDefs, resolvers }]);
  const server = new ApolloServer({
    schema,
    plugins: [ApolloServerPluginInlineTraceDisabled()],
    // Otherwise Apollo Server ends the process on SIGTERM, possibly before account-bff is stopped.
    stopOnTerminationSignals: false,
  });
  const { url } = await startStandaloneServer(server, {
    listen: { port, host: '127.0.0.1' },
    context: ({ req }) => {
      requests.push(req.headers);
      return Promise.resolve({});
    },
  });
  return { name, url, requests, [Symbol.asyncDispose]: () => server.stop() };
}

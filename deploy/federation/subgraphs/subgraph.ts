// A subgraph that listens: its SDL, its resolvers, and what it was asked.
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

/** What a subgraph is made of. */
export interface SubgraphParts {
  readonly name: string;
  /** Its SDL is the file of its name. */
  readonly resolvers: Resolvers;
}

/** Disposing of it stops it. */
export interface Subgraph extends AsyncDisposable {
  readonly name: string;
  readonly url: string;
  /** The headers of each request that came, by their names in lower case. */
  readonly requests: readonly Readonly<Record<string, string | string[] | undefined>>[];
}

/** The SDL of a subgraph of this folder. */
export function readSubgraph(name: string): DocumentNode {
  return parse(readFileSync(new URL(`${name}.graphql`, import.meta.url), 'utf8'));
}

/** Starts one on a port, by default any that is free. */
export async function startSubgraph(
  { name, resolvers }: SubgraphParts,
  port = 0,
): Promise<Subgraph> {
  const requests: Subgraph['requests'][number][] = [];
  const schema = buildSubgraphSchema([{ typeDefs: readSubgraph(name), resolvers }]);
  const server = new ApolloServer({ schema, plugins: [ApolloServerPluginInlineTraceDisabled()] });
  const { url } = await startStandaloneServer(server, {
    listen: { port, host: '127.0.0.1' },
    context: ({ req }) => {
      requests.push(req.headers);
      return Promise.resolve({});
    },
  });
  return { name, url, requests, [Symbol.asyncDispose]: () => server.stop() };
}

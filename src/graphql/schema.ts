// The SDL of schema/ and the resolvers -> the executable Federation 2 subgraph schema (docs/federation.md).
import { readdirSync, readFileSync } from 'node:fs';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { addResolversToSchema } from '@graphql-tools/schema';
import { concatAST, type DocumentNode, type GraphQLSchema, parse, Source } from 'graphql';
import { resolvers } from './resolvers/index.ts';
import { scalars } from './resolvers/scalars.ts';

const sdlFolder = new URL('../../schema/', import.meta.url);
/** Made of the other files by `npm run schema`, for those who cannot ask a gateway. */
const shipped = ['client.graphql', 'subgraph.graphql', 'subgraph-cost.graphql'];

/**
 * Reads and builds the schema: once, before anything is served, as it blocks. Throws where the SDL is not valid. The
 * federation library adds `_service` and `_entities` and keeps every description and directive in `_service { sdl }`.
 */
export function createSchema(typeDefs = readTypeDefs()): GraphQLSchema {
  return addResolversToSchema({
    // The scalars go in here: added afterwards they would lose what @specifiedBy says of them.
    schema: buildSubgraphSchema([{ typeDefs, resolvers: scalars }]),
    resolvers,
    // A resolver of a field that the SDL does not have is a mistake, to be found at start.
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  });
}

/** The SDL of every source file of schema/, in the order of their names, as one document; a syntax error names its file. */
export function readTypeDefs(): DocumentNode {
  const names = readdirSync(sdlFolder).filter(
    (name) => name.endsWith('.graphql') && !shipped.includes(name),
  );
  return concatAST(names.sort().map(readSdlFile));
}

function readSdlFile(name: string): DocumentNode {
  const text = readFileSync(new URL(name, sdlFolder), 'utf8');
  return parse(new Source(text, `schema/${name}`));
}

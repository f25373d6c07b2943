// Builds the executable Federation 2 subgraph schema from schema/ and the resolvers (docs/federation.md).
import { readdirSync, readFileSync } from 'node:fs';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { addResolversToSchema } from '@graphql-tools/schema';
import { concatAST, type DocumentNode, type GraphQLSchema, parse, Source, visit } from 'graphql';
import { resolvers } from './resolvers/index.ts';
import { scalars } from './resolvers/scalars.ts';

const sdlFolder = new URL('../../schema/', import.meta.url);
/** Files generated from the others by `npm run schema`, for tools without access to a gateway. */
const shipped = ['client.graphql', 'subgraph.graphql', 'subgraph-cost.graphql'];

/**
 * Builds the schema, by default from the files of schema/. Blocks the process, so call it once, before serving
 * requests. Throws if the SDL is invalid.
 */
export function createSchema(typeDefs = readTypeDefs()): GraphQLSchema {
  return addResolversToSchema({
    // Scalars are passed here, because they would lose their @specifiedBy if added later.
    schema: buildSubgraphSchema([{ typeDefs, resolvers: scalars }]),
    // Startup fails if a resolver has no field in the SDL.
    resolvers,
  });
}

/** Directives of the files in schema/ that the served schema does not have: costs and semantic nullability. */
const generatedOnly: ReadonlySet<string> = new Set(['cost', 'listSize', 'semanticNonNull']);

/** The SDL of the served schema, as a document. */
export function readTypeDefs(): DocumentNode {
  return visit(readSchemaFiles(), {
    Directive: ({ name }) => (generatedOnly.has(name.value) ? null : undefined),
  });
}

/** The source files of schema/, in the order of their names, as one document; a syntax error names the file. */
export function readSchemaFiles(): DocumentNode {
  const names = readdirSync(sdlFolder).filter(
    (name) => name.endsWith('.graphql') && !shipped.includes(name),
  );
  const documents = names.sort().map((name) => {
    const text = readFileSync(new URL(name, sdlFolder), 'utf8');
    return parse(new Source(text, `schema/${name}`));
  });
  return concatAST(documents);
}

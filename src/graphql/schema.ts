// Builds the executable Federation 2 subgraph schema from schema/ and the resolvers (docs/federation.md).
import { readdirSync, readFileSync } from 'node:fs';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { addResolversToSchema } from '@graphql-tools/schema';
import { concatAST, type DocumentNode, type GraphQLSchema, parse, Source, visit } from 'graphql';
import { countLists } from './limits/field-values.ts';
import { countedLists, resolvers } from './resolvers/index.ts';
import { scalars } from './resolvers/scalars.ts';

const sdlFolder = new URL('../../schema/', import.meta.url);
/** Generated from the other files by `npm run schema`. */
const shipped = ['client.graphql', 'subgraph.graphql', 'subgraph-cost.graphql'];

/** Blocks the process, so call it once, before serving requests. */
export function createSchema(typeDefs = readTypeDefs()): GraphQLSchema {
  const schema = addResolversToSchema({
    // Scalars are passed here, because they would lose their @specifiedBy if added later.
    schema: buildSubgraphSchema([{ typeDefs, resolvers: scalars }]),
    // Startup fails if a resolver has no field in the SDL.
    resolvers,
  });
  countLists(schema, countedLists);
  return schema;
}

/** Directives of the files in schema/ that the served schema does not have. */
const generatedOnly: ReadonlySet<string> = new Set(['cost', 'listSize', 'semanticNonNull']);

export function readTypeDefs(): DocumentNode {
  return visit(readSchemaFiles(), {
    Directive: ({ name }) => (generatedOnly.has(name.value) ? null : undefined),
  });
}

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

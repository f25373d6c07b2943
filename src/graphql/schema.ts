// Builds the executable Federation 2 subgraph schema from schema/ and the resolvers (docs/federation.md).
import { readdirSync, readFileSync } from 'node:fs';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { addResolversToSchema } from '@graphql-tools/schema';
import {
  concatAST,
  type DocumentNode,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  parse,
  Source,
  visit,
} from 'graphql';
import { resolvers } from './resolvers/index.ts';
import { scalars } from './resolvers/scalars.ts';

const sdlFolder = new URL('../../schema/', import.meta.url);
/** Generated from the other files by `npm run schema`, for tools without access to a gateway. */
const shipped = ['client.graphql', 'subgraph.graphql', 'subgraph-cost.graphql'];

/**
 * Reads and builds the schema; blocks, so call it once before serving. Throws if the SDL is not valid. The federation
 * library adds `_service` and `_entities`, and keeps all descriptions and directives in `_service { sdl }`.
 */
export function createSchema(typeDefs = readTypeDefs()): GraphQLSchema {
  return addResolversToSchema({
    // Scalars that are added later would lose their @specifiedBy.
    schema: buildSubgraphSchema([{ typeDefs, resolvers: scalars }]),
    resolvers: unbound(resolvers),
    // A resolver for a field that the SDL does not have fails at start.
    resolverValidationOptions: { requireResolversToMatchSchema: 'error' },
  });
}

/** A resolver that is given as a function would be bound to its type's object, and views are recognised by identity. */
function unbound(byType: Readonly<Record<string, object>>) {
  return Object.fromEntries(
    Object.entries(byType).map(([type, fields]) => [
      type,
      Object.fromEntries(
        Object.entries(
          fields as Readonly<Record<string, GraphQLFieldResolver<unknown, unknown>>>,
        ).map(([name, resolve]) => [name, name.startsWith('__') ? resolve : { resolve }]),
      ),
    ]),
  );
}

/** Directives of schema/ that only the generated files have: costs and semantic nullability. */
const generatedOnly: ReadonlySet<string> = new Set(['cost', 'listSize', 'semanticNonNull']);

/** The schema as it is served. */
export function readTypeDefs(): DocumentNode {
  return visit(readSchemaFiles(), {
    Directive: ({ name }) => (generatedOnly.has(name.value) ? null : undefined),
  });
}

/** The source files of schema/, in the order of their names, as one document; a syntax error names its file. */
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

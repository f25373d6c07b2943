// The schema with some of its fields and arguments deprecated, as it has none of its own that always are.
import type { GraphQLSchema } from 'graphql';
import { annotate } from '../../scripts/annotate.ts';
import { createSchema, readTypeDefs } from '../../src/graphql/schema.ts';

/** `Type.field` and `Type.field(argument:)` are deprecated. */
export function deprecating(...coordinates: readonly string[]): GraphQLSchema {
  const directive = '@deprecated(reason: "Removed after 2027-06-30.")';
  const annotations = coordinates.map((coordinate) => [coordinate, directive] as const);
  return createSchema(annotate(readTypeDefs(), Object.fromEntries(annotations)));
}

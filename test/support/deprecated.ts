// The schema with some fields and arguments deprecated, because none of its own is deprecated permanently.
import type { GraphQLSchema } from 'graphql';
import { annotate } from '../../scripts/annotate.ts';
import { createSchema, readTypeDefs } from '../../src/graphql/schema.ts';

/** Deprecates `Type.field` and `Type.field(argument:)`. */
export function deprecating(...coordinates: readonly string[]): GraphQLSchema {
  const directive = '@deprecated(reason: "Removed after 2027-06-30.")';
  const annotations = coordinates.map((coordinate) => [coordinate, directive] as const);
  return createSchema(annotate(readTypeDefs(), Object.fromEntries(annotations)));
}

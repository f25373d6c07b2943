// The schema for clients: without the directives between subgraph and router, which most code generators reject, and with
// a mark on fields that are null only together with an error.
import { print, visit } from 'graphql';
import { readSchemaFiles } from '../src/graphql/schema.ts';

/** As defined by https://specs.apollo.dev/nullability/v0.4; Relay and graphql-codegen recognise it by its name. */
const definition = `"""
The field is null only together with an error on its path, or on a path above or below it. A client that throws on errors, or
catches them, can treat it as non-null. Level 0 is the field itself, level 1 the items of its list.
"""
directive @semanticNonNull(levels: [Int!]! = [0]) on FIELD_DEFINITION`;

const kept: ReadonlySet<string> = new Set(['specifiedBy', 'deprecated', 'semanticNonNull']);

/** The SDL of schema/, deprecations included, with `@semanticNonNull`, without the directives of federation. */
export function clientSchema(source = readSchemaFiles()): string {
  const document = visit(source, {
    SchemaExtension: () => null,
    Directive: ({ name }) => (kept.has(name.value) ? undefined : null),
  });
  return `${definition}\n\n${print(document)}\n`;
}

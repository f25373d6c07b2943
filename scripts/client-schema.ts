// The schema as clients know it: without what is between subgraph and router, which most code generators do not take.
import { print, visit } from 'graphql';
import { readTypeDefs } from '../src/graphql/schema.ts';

/** The SDL of schema/, with descriptions, less `@link` and every other directive of federation. */
export function clientSchema(): string {
  const document = visit(readTypeDefs(), {
    SchemaExtension: () => null,
    Directive: ({ name }) => (name.value === 'specifiedBy' ? undefined : null),
  });
  return `${print(document)}\n`;
}

// The subgraph schema for routers with demand control: Federation 2.9, with the cost of each field in calls to the
// account service.
import { parse, print, visit } from 'graphql';
import { readSchemaFiles } from '../src/graphql/schema.ts';

const link =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable", "@cost", "@listSize"])';

/** The SDL of schema/ with `@cost` and `@listSize`, linked to Federation 2.9. */
export function costSchema(): string {
  const [extension] = parse(link).definitions;
  const document = visit(readSchemaFiles(), {
    SchemaExtension: () => extension,
    Directive: ({ name }) => (name.value === 'semanticNonNull' ? null : undefined),
  });
  return `${print(document)}\n`;
}

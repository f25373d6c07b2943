// The variables that decide what an operation includes.
import { type DocumentNode, Kind, visit } from 'graphql';

/** The names of the variables that stand in a document's directives, each once. */
export function conditionNames(document: DocumentNode): readonly string[] {
  const names = new Set<string>();
  visit(document, {
    Directive({ arguments: args = [] }) {
      for (const { value } of args) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
      return false;
    },
  });
  return [...names];
}

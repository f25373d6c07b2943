// Whether an operation reads the service or only the schema, found out once a document.
import { type DocumentNode, Kind, type OperationDefinitionNode } from 'graphql';
import { type SelectionScope, selectedFields } from './selection.ts';

/** Root fields that are answered from the schema alone, for anyone. */
const schemaFields: ReadonlySet<string> = new Set(['__typename', '__schema', '__type', '_service']);

const known = new WeakMap<OperationDefinitionNode, boolean>();

/**
 * Whether an operation asks for anything but the schema, be it where @skip or @include leaves it out. Remembered with
 * the operation's node, as Apollo Server remembers documents.
 */
export function readsService(operation: OperationDefinitionNode, document: DocumentNode): boolean {
  const remembered = known.get(operation);
  if (remembered !== undefined) return remembered;
  const answer = selectedFields(operation.selectionSet, scopeOf(document)).some(
    (field) => !schemaFields.has(field.name.value),
  );
  known.set(operation, answer);
  return answer;
}

function scopeOf({ definitions }: DocumentNode): SelectionScope {
  return {
    fragment: (name) =>
      definitions
        .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
        .find((fragment) => fragment.name.value === name),
    isIncluded: () => true,
  };
}

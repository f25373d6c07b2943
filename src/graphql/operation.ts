// What an operation needs before it may run, found out once a document.
import { type DocumentNode, Kind, type OperationDefinitionNode } from 'graphql';
import { type SelectionScope, selectedFields } from './selection.ts';

/** By the operation's root fields, be it that @skip or @include leaves one out. */
export interface OperationNeeds {
  /** A caller: it asks for anything but the schema. */
  readonly caller: boolean;
  /** The router's secret, where there is one: it asks for what only a router has a use for. */
  readonly router: boolean;
}

/** Root fields that are answered from the schema alone, for anyone. */
const schemaFields: ReadonlySet<string> = new Set(['__typename', '__schema', '__type', '_service']);

/** Root fields of Apollo Federation. */
const routerFields: ReadonlySet<string> = new Set(['_service', '_entities']);

const known = new WeakMap<OperationDefinitionNode, OperationNeeds>();

/** Remembered with the operation's node, as Apollo Server remembers documents. */
export function needsOf(
  operation: OperationDefinitionNode,
  document: DocumentNode,
): OperationNeeds {
  const remembered = known.get(operation);
  if (remembered !== undefined) return remembered;
  const fields = selectedFields(operation.selectionSet, scopeOf(document));
  const names = [...fields].map((field) => field.name.value);
  const needs = {
    caller: names.some((name) => !schemaFields.has(name)),
    router: names.some((name) => routerFields.has(name)),
  };
  known.set(operation, needs);
  return needs;
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

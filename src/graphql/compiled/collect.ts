// The fields that a selection selects of an object type: CollectFields of the specification (6.3.2), once for each plan.
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  type InlineFragmentNode,
  isAbstractType,
  Kind,
  type NamedTypeNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { SelectionScope } from '../operation/selection.ts';

/** The scope of a selection, with the schema for type conditions. */
export interface CollectScope extends SelectionScope {
  readonly schema: GraphQLSchema;
}

/** The nodes of one field of the answer. */
export type FieldNodes = readonly [FieldNode, ...FieldNode[]];

/** The fields of `type`, by their keys and in the answer's order, from selection sets that are merged. */
export function collectFields(
  scope: CollectScope,
  type: GraphQLObjectType,
  sets: readonly (SelectionSetNode | undefined)[],
): ReadonlyMap<string, FieldNodes> {
  const collection = {
    fields: new Map<string, [FieldNode]>(),
    seen: new Set<string>(),
    scope,
    type,
  };
  for (const set of sets) collectInto(collection, set);
  return collection.fields;
}

interface Collection {
  readonly fields: Map<string, [FieldNode, ...FieldNode[]]>;
  /** Names of the fragments that were spread: a second spread adds nothing. */
  readonly seen: Set<string>;
  readonly scope: CollectScope;
  readonly type: GraphQLObjectType;
}

function collectInto(collection: Collection, set: SelectionSetNode | undefined): void {
  for (const selection of set?.selections ?? []) {
    if (collection.scope.isIncluded(selection)) addSelection(collection, selection);
  }
}

function addSelection(collection: Collection, selection: SelectionNode): void {
  if (selection.kind === Kind.FIELD) {
    const key = (selection.alias ?? selection.name).value;
    const nodes = collection.fields.get(key);
    if (nodes === undefined) collection.fields.set(key, [selection]);
    else nodes.push(selection);
    return;
  }
  const { seen, scope } = collection;
  let fragment: InlineFragmentNode | FragmentDefinitionNode | undefined;
  if (selection.kind === Kind.INLINE_FRAGMENT) {
    fragment = selection;
  } else if (!seen.has(selection.name.value)) {
    seen.add(selection.name.value);
    fragment = scope.fragment(selection.name.value);
  }
  if (fragment === undefined || !fits(collection, fragment.typeCondition)) return;
  collectInto(collection, fragment.selectionSet);
}

function fits({ scope, type }: Collection, condition: NamedTypeNode | undefined): boolean {
  if (condition === undefined) return true;
  const wanted = scope.schema.getType(condition.name.value);
  return wanted === type || (isAbstractType(wanted) && scope.schema.isSubType(wanted, type));
}

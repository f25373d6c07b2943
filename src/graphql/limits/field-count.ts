// The most fields that the answer to a selection can have, which bounds its cost.
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLResolveInfo,
  Kind,
  type SelectionSetNode,
} from 'graphql';

/** Fields that cost as much as a hundred or more others. */
const largeFields: ReadonlySet<string> = new Set(['transactions', 'investmentAccount']);

const largeFieldCount = 100;

/** Finds a fragment by name; undefined if the document has no such fragment. */
export type FragmentOf = (name: string) => FragmentDefinitionNode | undefined;

/**
 * The fields of a selection set and all nested sets, for one object: a fragment counts wherever it is spread, a large field
 * as 100, and @skip and @include are ignored. The document must be valid.
 */
export function countFields(
  set: SelectionSetNode | undefined,
  fragmentOf: FragmentOf,
  known = new Map<string, number>(),
): number {
  let count = 0;
  for (const selection of set?.selections ?? []) {
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      count += countOfFragment(selection.name.value, fragmentOf, known);
      continue;
    }
    count += countFields(selection.selectionSet, fragmentOf, known);
    if (selection.kind === Kind.FIELD) {
      count += largeFields.has(selection.name.value) ? largeFieldCount : 1;
    }
  }
  return count;
}

/** Each fragment is counted once, because nested spreads can multiply exponentially. */
function countOfFragment(name: string, fragmentOf: FragmentOf, known: Map<string, number>): number {
  const before = known.get(name);
  if (before !== undefined) return before;
  const count = countFields(fragmentOf(name)?.selectionSet, fragmentOf, known);
  known.set(name, count);
  return count;
}

/** Kept as long as the document. */
const counts = new WeakMap<FieldNode, number>();

/** The fields below the field that a resolver is called for. */
export function countFieldsWithin({ fieldNodes, fragments }: GraphQLResolveInfo): number {
  let sum = 0;
  for (const node of fieldNodes) {
    let count = counts.get(node);
    if (count === undefined) {
      count = countFields(node.selectionSet, (name) => fragments[name]);
      counts.set(node, count);
    }
    sum += count;
  }
  return sum;
}

// The fields that a selection selects of an object type: CollectFields of the specification (6.3.2).
import {
  type FieldNode,
  type FragmentDefinitionNode,
  getDirectiveValues,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  type InlineFragmentNode,
  isAbstractType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** Resolves the type conditions, fragments and directives of a selection. */
export type CollectScope = Pick<GraphQLResolveInfo, 'schema' | 'fragments' | 'variableValues'>;

/** The nodes of one field of the answer. */
export type FieldNodes = readonly [FieldNode, ...FieldNode[]];

/**
 * The fields of `type`, by their keys and in the answer's order, from selection sets that are merged. Throws if a @skip or
 * @include has no usable condition.
 */
export function collectFields(
  { schema, fragments, variableValues }: CollectScope,
  type: GraphQLObjectType,
  sets: readonly (SelectionSetNode | undefined)[],
): ReadonlyMap<string, FieldNodes> {
  const fields = new Map<string, [FieldNode, ...FieldNode[]]>();
  /** Names of the fragments that were spread: a second spread adds nothing. */
  const spread = new Set<string>();

  function collect(set: SelectionSetNode | undefined): void {
    for (const selection of set?.selections ?? []) {
      if (!isIncluded(selection, variableValues)) continue;
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        const nodes = fields.get(key);
        if (nodes === undefined) fields.set(key, [selection]);
        else nodes.push(selection);
        continue;
      }
      let fragment: InlineFragmentNode | FragmentDefinitionNode | undefined;
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        fragment = selection;
      } else if (!spread.has(selection.name.value)) {
        spread.add(selection.name.value);
        fragment = fragments[selection.name.value];
      }
      const condition = fragment?.typeCondition;
      const wanted = condition === undefined ? type : schema.getType(condition.name.value);
      const fits = wanted === type || (isAbstractType(wanted) && schema.isSubType(wanted, type));
      if (fits) collect(fragment?.selectionSet);
    }
  }

  for (const set of sets) collect(set);
  return fields;
}

function isIncluded(
  { directives = [] }: SelectionNode,
  variables: CollectScope['variableValues'],
): boolean {
  if (directives.length === 0) return true;
  const skip = getDirectiveValues(GraphQLSkipDirective, { directives }, variables);
  const include = getDirectiveValues(GraphQLIncludeDirective, { directives }, variables);
  return skip?.['if'] !== true && include?.['if'] !== false;
}

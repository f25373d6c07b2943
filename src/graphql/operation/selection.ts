// The fields of a selection set, through fragments.
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  getDirectiveValues,
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  type InlineFragmentNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** Resolves fragments and conditions of a selection set. */
export interface SelectionScope {
  /** The fragment of this name; undefined if the document has none. */
  readonly fragment: (name: string) => FragmentDefinitionNode | undefined;
  /** Whether a selection is included. */
  readonly isIncluded: (selection: SelectionNode) => boolean;
}

/** Every field selected directly or through a fragment, each fragment once; without the fields below them. */
function* selectedFields(
  selectionSet: SelectionSetNode | undefined,
  scope: SelectionScope,
  seen = new Set<string>(),
): Generator<FieldNode> {
  for (const selection of selectionSet?.selections ?? []) {
    if (!scope.isIncluded(selection)) continue;
    if (selection.kind === Kind.FIELD) yield selection;
    else yield* selectedFields(fragmentSelection(selection, scope, seen), scope, seen);
  }
}

/** Whether only these fields of `info`'s field are selected, after @skip and @include. */
export function selectsOnly(info: GraphQLResolveInfo, names: ReadonlySet<string>): boolean {
  const { fragments, variableValues } = info;
  const scope: SelectionScope = {
    fragment: (name) => fragments[name],
    isIncluded: (selection) => isIncluded(selection, variableValues),
  };
  return info.fieldNodes.every(({ selectionSet }) =>
    selectedFields(selectionSet, scope).every((field) => names.has(field.name.value)),
  );
}

/** The selection set of an inline fragment or a spread; undefined if the fragment is unknown or was visited. */
function fragmentSelection(
  selection: InlineFragmentNode | FragmentSpreadNode,
  scope: SelectionScope,
  seen: Set<string>,
): SelectionSetNode | undefined {
  if (selection.kind === Kind.INLINE_FRAGMENT) return selection.selectionSet;
  const name = selection.name.value;
  if (seen.has(name)) return undefined;
  seen.add(name);
  return scope.fragment(name)?.selectionSet;
}

/** Whether @skip and @include include a selection; throws if one has no usable condition. */
export function isIncluded(
  selection: SelectionNode,
  variables: Readonly<Record<string, unknown>>,
): boolean {
  const skip = getDirectiveValues(GraphQLSkipDirective, selection, variables);
  const include = getDirectiveValues(GraphQLIncludeDirective, selection, variables);
  return skip?.['if'] !== true && include?.['if'] !== false;
}

// Depth and size of a document's operations and fragments; a fragment counts wherever it is spread.
import {
  type DirectiveNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** The size of an operation or a part of one. */
export interface Size {
  /** Nested fields, counted from the root field, without introspection. */
  readonly depth: number;
  /** Depth of `__schema` or `__type`. */
  readonly introspection: number;
  readonly aliases: number;
  readonly directives: number;
}

const nothing: Size = { depth: 0, introspection: 0, aliases: 0, directives: 0 };

/**
 * The size of each operation of a document, and of each fragment by itself, because validation also visits unused ones.
 * The document need not be valid.
 */
export function* documentSizes({ definitions }: DocumentNode): Generator<Size> {
  const fragments = new FragmentSizes(definitions.filter(isFragment));
  for (const definition of definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) {
      yield withDirectives(sizeOfSet(definition.selectionSet, fragments), definition.directives);
    } else if (isFragment(definition)) {
      const { depth, introspection, ...rest } = fragments.of(definition.name.value);
      // A fragment by itself may be one of introspection.
      yield { ...rest, depth: 0, introspection: Math.max(depth, introspection) };
    }
  }
}

function isFragment(definition: { kind: Kind }): definition is FragmentDefinitionNode {
  return definition.kind === Kind.FRAGMENT_DEFINITION;
}

/** Fragments by name, each measured once, so that the time is linear even with nested spreads. */
class FragmentSizes {
  readonly #definitions: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #sizes = new Map<string, Size>();

  constructor(definitions: readonly FragmentDefinitionNode[]) {
    this.#definitions = new Map(definitions.map((one) => [one.name.value, one]));
  }

  /** Empty for an unknown fragment, and for one that spreads itself: other rules reject both. */
  of(name: string): Size {
    const known = this.#sizes.get(name);
    if (known !== undefined) return known;
    this.#sizes.set(name, nothing);
    const definition = this.#definitions.get(name);
    const size = sizeOfSet(definition?.selectionSet, this);
    this.#sizes.set(name, size);
    return size;
  }
}

function sizeOfSet(set: SelectionSetNode | undefined, fragments: FragmentSizes): Size {
  let size = nothing;
  for (const selection of set?.selections ?? []) {
    const inner = withDirectives(sizeOfSelection(selection, fragments), selection.directives);
    size = {
      depth: Math.max(size.depth, inner.depth),
      introspection: Math.max(size.introspection, inner.introspection),
      aliases: size.aliases + inner.aliases,
      directives: size.directives + inner.directives,
    };
  }
  return size;
}

function sizeOfSelection(selection: SelectionNode, fragments: FragmentSizes): Size {
  if (selection.kind === Kind.FRAGMENT_SPREAD) return fragments.of(selection.name.value);
  const inner = sizeOfSet(selection.selectionSet, fragments);
  if (selection.kind === Kind.INLINE_FRAGMENT) return inner;
  const { name, alias } = selection;
  const aliases = inner.aliases + (alias === undefined ? 0 : 1);
  return name.value === '__schema' || name.value === '__type'
    ? { ...inner, aliases, depth: 1, introspection: inner.depth + 1 }
    : { ...inner, aliases, depth: inner.depth + 1 };
}

function withDirectives(size: Size, directives: readonly DirectiveNode[] = []): Size {
  return { ...size, directives: size.directives + directives.length };
}

// How deep and how large a document's operations and fragments are, with each fragment counted wherever it is spread.
import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** How large an operation, or a part of one, is. */
export interface Size {
  /** Fields within one another, the root field being the first; of everything but introspection. */
  readonly depth: number;
  /** Depth of `__schema` or `__type`. */
  readonly introspection: number;
  readonly aliases: number;
  readonly directives: number;
}

const nothing: Size = { depth: 0, introspection: 0, aliases: 0, directives: 0 };

/**
 * The size of each of a document's operations, and of each fragment by itself, as validation also looks at those that
 * nothing spreads; whatever else is wrong with the document does not matter here.
 */
export function* documentSizes({ definitions }: DocumentNode): Generator<Size> {
  const fragments = new FragmentSizes(definitions.filter(isFragment));
  for (const definition of definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) {
      yield withDirectives(sizeOfSet(definition.selectionSet, fragments), definition.directives);
    } else if (isFragment(definition)) {
      const { depth, introspection, ...rest } = fragments.of(definition.name.value);
      // By itself it could be one of introspection.
      yield { ...rest, depth: 0, introspection: Math.max(depth, introspection) };
    }
  }
}

function isFragment(definition: { kind: Kind }): definition is FragmentDefinitionNode {
  return definition.kind === Kind.FRAGMENT_DEFINITION;
}

/** Fragments by name, each measured once, so that spreads of spreads cost no more than they are long. */
class FragmentSizes {
  readonly #definitions: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #sizes = new Map<string, Size>();

  constructor(definitions: readonly FragmentDefinitionNode[]) {
    this.#definitions = new Map(definitions.map((one) => [one.name.value, one]));
  }

  /** Nothing for an unknown fragment, or within itself: both are for other rules to refuse. */
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
    size = beside(size, sizeOfSelection(selection, fragments));
  }
  return size;
}

function sizeOfSelection(selection: SelectionNode, fragments: FragmentSizes): Size {
  return withDirectives(sizeWithin(selection, fragments), selection.directives);
}

function sizeWithin(selection: SelectionNode, fragments: FragmentSizes): Size {
  if (selection.kind === Kind.FRAGMENT_SPREAD) return fragments.of(selection.name.value);
  const inner = sizeOfSet(selection.selectionSet, fragments);
  return selection.kind === Kind.FIELD ? sizeOfField(selection, inner) : inner;
}

function sizeOfField({ name, alias }: FieldNode, inner: Size): Size {
  const aliases = inner.aliases + (alias === undefined ? 0 : 1);
  return name.value === '__schema' || name.value === '__type'
    ? { ...inner, aliases, depth: 1, introspection: inner.depth + 1 }
    : { ...inner, aliases, depth: inner.depth + 1 };
}

function withDirectives(size: Size, directives: readonly DirectiveNode[] = []): Size {
  return { ...size, directives: size.directives + directives.length };
}

function beside(one: Size, other: Size): Size {
  return {
    depth: Math.max(one.depth, other.depth),
    introspection: Math.max(one.introspection, other.introspection),
    aliases: one.aliases + other.aliases,
    directives: one.directives + other.directives,
  };
}

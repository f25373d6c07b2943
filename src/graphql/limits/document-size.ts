// Measures the depth and size of a document's operations. A fragment counts at each place where it is spread.
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLResolveInfo,
  Kind,
  type SelectionSetNode,
} from 'graphql';

const nothing = {
  /** `__schema` and `__type` count as levels; the fields below them do not. */
  depth: 0,
  /** The number of field levels from `__schema` or `__type` on, including that field. */
  introspection: 0,
  aliases: 0,
  directives: 0,
  fields: 0,
  /** The number of fields without those within large fields. Each field counts as one. */
  ownFields: 0,
};

export type Size = Readonly<typeof nothing>;

/** Each of these fields counts as `largeFieldCount` fields, because its value can be large. */
const largeFields: ReadonlySet<string> = new Set(['transactions', 'investmentAccount']);

const largeFieldCount = 100;

export type Fragments = Readonly<Record<string, FragmentDefinitionNode>>;

/** Measures selection sets. Each set is measured once, so the time is linear in the document's size. */
class Meter {
  readonly #fragments: Fragments;
  readonly #sizes = new Map<SelectionSetNode, Size>();

  constructor(fragments: Fragments) {
    this.#fragments = fragments;
  }

  /** An unknown fragment counts as zero, and so does the spread of a fragment in itself: other rules reject both. */
  sizeOf(set: SelectionSetNode | undefined): Size {
    if (set === undefined) return nothing;
    const known = this.#sizes.get(set);
    if (known !== undefined) return known;
    this.#sizes.set(set, nothing);
    // One object per set, because one per field would take more time.
    const size = { ...nothing };
    for (const selection of set.selections) {
      const isSpread = selection.kind === Kind.FRAGMENT_SPREAD;
      const parent = isSpread ? this.#fragments[selection.name.value] : selection;
      const inner = this.sizeOf(parent?.selectionSet);
      size.aliases += inner.aliases;
      size.directives += inner.directives + (selection.directives?.length ?? 0);
      size.fields += inner.fields;
      if (selection.kind !== Kind.FIELD) {
        size.depth = Math.max(size.depth, inner.depth);
        size.introspection = Math.max(size.introspection, inner.introspection);
        size.ownFields += inner.ownFields;
        continue;
      }
      const name = selection.name.value;
      const isSchema = name === '__schema' || name === '__type';
      const levels = isSchema ? inner.depth + 1 : inner.introspection;
      size.depth = Math.max(size.depth, isSchema ? 1 : inner.depth + 1);
      size.introspection = Math.max(size.introspection, levels);
      if (selection.alias !== undefined) size.aliases++;
      const isLarge = largeFields.has(name);
      size.fields += isLarge ? largeFieldCount : 1;
      size.ownFields += isLarge ? 1 : inner.ownFields + 1;
    }
    this.#sizes.set(set, size);
    return size;
  }
}

/** Yields the size of each operation and of each fragment, because validation also visits unused fragments. */
export function* documentSizes(document: DocumentNode): Generator<Size> {
  const meter = new Meter(fragmentsOf(document));
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) {
      const size = meter.sizeOf(definition.selectionSet);
      const own = definition.directives?.length ?? 0;
      yield { ...size, directives: size.directives + own };
    } else if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      const size = meter.sizeOf(definition.selectionSet);
      // An operation may spread the fragment below __schema, where the limit on introspection depth replaces MAX_DEPTH.
      yield { ...size, depth: 0, introspection: Math.max(size.depth, size.introspection) };
    }
  }
}

/** The fragments of a document by name, in an object without a prototype, as in graphql-js. */
export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const fragments = Object.create(null) as Record<string, FragmentDefinitionNode>;
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments[definition.name.value] = definition;
  }
  return fragments;
}

const sizes = new WeakMap<FieldNode, Size>();

/** The number of fields selected below these fields, counted as in `Size`. */
export function countFieldsWithin(
  { fieldNodes, fragments }: Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>,
  counted: 'fields' | 'ownFields' = 'fields',
): number {
  let sum = 0;
  for (const node of fieldNodes) {
    let size = sizes.get(node);
    if (size === undefined) {
      size = new Meter(fragments).sizeOf(node.selectionSet);
      sizes.set(node, size);
    }
    sum += size[counted];
  }
  return sum;
}

// Measures the depth and size of a document's operations. A fragment counts at each place where it is spread.
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLResolveInfo,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

export interface Size {
  /** `__schema` and `__type` count as levels; the fields below them do not. */
  depth: number;
  /** The number of field levels from `__schema` or `__type` on, including this field. */
  introspection: number;
  aliases: number;
  directives: number;
  fields: number;
}

const nothing: Readonly<Size> = {
  depth: 0,
  introspection: 0,
  aliases: 0,
  directives: 0,
  fields: 0,
};

/** Fields that cost at least as much as a hundred other fields. */
const largeFields: ReadonlySet<string> = new Set(['transactions', 'investmentAccount']);

const largeFieldCount = 100;

type FragmentOf = (name: string) => FragmentDefinitionNode | undefined;

/** Measures each fragment of a document once, so the time is linear. */
export class Meter {
  readonly #fragmentOf: FragmentOf;
  readonly #fragments = new Map<string, Readonly<Size>>();

  constructor(fragmentOf: FragmentOf) {
    this.#fragmentOf = fragmentOf;
  }

  /** An unknown fragment, and a spread of a fragment in itself, count as zero, because other rules reject both. */
  fragment(name: string): Readonly<Size> {
    const known = this.#fragments.get(name);
    if (known !== undefined) return known;
    this.#fragments.set(name, nothing);
    const size = this.set(this.#fragmentOf(name)?.selectionSet);
    this.#fragments.set(name, size);
    return size;
  }

  set(set: SelectionSetNode | undefined): Size {
    // One object per set, because creating one per field would take longer than the rest of the measurement.
    const size = { ...nothing };
    for (const selection of set?.selections ?? []) {
      const inner = this.#within(selection);
      size.aliases += inner.aliases;
      size.directives += inner.directives + (selection.directives?.length ?? 0);
      size.fields += inner.fields;
      if (selection.kind !== Kind.FIELD) {
        size.depth = Math.max(size.depth, inner.depth);
        size.introspection = Math.max(size.introspection, inner.introspection);
        continue;
      }
      const name = selection.name.value;
      const isSchema = name === '__schema' || name === '__type';
      const levels = isSchema ? inner.depth + 1 : inner.introspection;
      size.depth = Math.max(size.depth, isSchema ? 1 : inner.depth + 1);
      size.introspection = Math.max(size.introspection, levels);
      if (selection.alias !== undefined) size.aliases++;
      size.fields += largeFields.has(name) ? largeFieldCount : 1;
    }
    return size;
  }

  #within(selection: SelectionNode): Readonly<Size> {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return this.fragment(selection.name.value);
    return selection.selectionSet === undefined ? nothing : this.set(selection.selectionSet);
  }
}

/** Includes each fragment, because validation also visits unused fragments. */
export function* documentSizes(document: DocumentNode): Generator<Size> {
  const fragments = fragmentsOf(document);
  const meter = new Meter((name) => fragments.get(name));
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) {
      const size = meter.set(definition.selectionSet);
      const own = definition.directives?.length ?? 0;
      yield { ...size, directives: size.directives + own };
    } else if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      const size = meter.fragment(definition.name.value);
      // An operation may spread the fragment within __schema, where only the limit on introspection applies.
      yield { ...size, depth: 0, introspection: Math.max(size.depth, size.introspection) };
    }
  }
}

export function fragmentsOf({ definitions }: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION);
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
}

const counts = new WeakMap<FieldNode, number>();

/** The number of fields selected below the field that is resolved, counted as in `Size`. */
export function countFieldsWithin({ fieldNodes, fragments }: GraphQLResolveInfo): number {
  let sum = 0;
  for (const node of fieldNodes) {
    let count = counts.get(node);
    if (count === undefined) {
      count = new Meter((name) => fragments[name]).set(node.selectionSet).fields;
      counts.set(node, count);
    }
    sum += count;
  }
  return sum;
}

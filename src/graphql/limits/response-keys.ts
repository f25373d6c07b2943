// Counts fields that share a response key: validation compares each with every other.
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/**
 * Pairs of fields with one key at one place of the answer, and pairs of fragments spread at one place: the time of the
 * validation rule for them is proportional to this number (docs/limits.md). It allows the same field 141 times; documents
 * that clients generate have some hundred pairs.
 */
const maxPairs = 10_000;

/** Selections that are visited, each wherever it is spread, before the document counts as too complex. */
const maxVisits = 50_000;

/**
 * Whether the fields of a document repeat too many response keys; the time is bounded for any document. Only fragments
 * that spread themselves are deeper than `maxDepth` fields; other rules reject them.
 */
export function repeatsTooMuch({ definitions }: DocumentNode, maxDepth: number): boolean {
  const fragments = new Map(
    definitions
      .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      .map((fragment) => [fragment.name.value, fragment]),
  );
  const repeats = new Repeats(fragments, maxDepth);
  for (const definition of definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) repeats.count([definition.selectionSet]);
  }
  // Validation also compares the fields of unused fragments.
  for (const [name, { selectionSet }] of fragments) {
    if (!repeats.hasReached(name)) repeats.count([selectionSet]);
  }
  return repeats.areTooMany;
}

/** The fields at one place of the answer that have one key. */
interface SameKey {
  fields: number;
  readonly sets: SelectionSetNode[];
}

class Repeats {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #maxDepth: number;
  readonly #reached = new Set<string>();
  #pairs = 0;
  #visits = 0;

  constructor(fragments: ReadonlyMap<string, FragmentDefinitionNode>, maxDepth: number) {
    this.#fragments = fragments;
    this.#maxDepth = maxDepth;
  }

  get areTooMany(): boolean {
    return this.#pairs > maxPairs || this.#visits > maxVisits;
  }

  hasReached(fragment: string): boolean {
    return this.#reached.has(fragment);
  }

  /** Counts the selections at one place and below; returns the number of fragments spread at this place. */
  count(sets: readonly SelectionSetNode[], depth = 0): number {
    if (depth > this.#maxDepth) return 0;
    const keys = new Map<string, SameKey>();
    const spread = new Set<string>();
    const pending = [...sets];
    for (let set = pending.pop(); set !== undefined; set = pending.pop()) {
      for (const selection of set.selections) {
        this.#visits++;
        if (this.areTooMany) return 0;
        const inner = this.#collect(selection, keys, spread);
        if (inner !== undefined) pending.push(inner);
      }
    }
    this.#pairs += pairsOf(spread.size);
    for (const { fields, sets: within } of keys.values()) {
      const fragments = within.length === 0 ? 0 : this.count(within, depth + 1);
      // Each pair of fields is compared through the fragments within them again.
      this.#pairs += pairsOf(fields) * (1 + fragments);
    }
    return spread.size;
  }

  /** Adds a field to those of its key; returns the selections of a fragment, which are at the same place. */
  #collect(
    selection: SelectionNode,
    keys: Map<string, SameKey>,
    spread: Set<string>,
  ): SelectionSetNode | undefined {
    if (selection.kind === Kind.INLINE_FRAGMENT) return selection.selectionSet;
    if (selection.kind === Kind.FIELD) {
      const key = (selection.alias ?? selection.name).value;
      const same = keys.get(key) ?? { fields: 0, sets: [] };
      same.fields++;
      if (selection.selectionSet !== undefined) same.sets.push(selection.selectionSet);
      keys.set(key, same);
      return undefined;
    }
    const name = selection.name.value;
    if (spread.has(name)) return undefined;
    spread.add(name);
    this.#reached.add(name);
    return this.#fragments.get(name)?.selectionSet;
  }
}

function pairsOf(count: number): number {
  return (count * (count - 1)) / 2;
}

// Limits the number of fields that share a response key, because validation compares all pairs of such fields.
import { type DocumentNode, type FieldNode, Kind, type SelectionSetNode } from 'graphql';
import { fragmentsOf } from './document-size.ts';

/** A pair is two fields with the same key, or two fragments, at one place of the answer (docs/limits.md). */
const maxPairs = 10_000;

/** Limits the selections visited; those of a fragment count at every place where the fragment is spread. */
const maxVisits = 50_000;

/** Whether there are too many pairs or visits. Fields deeper than `maxDepth` do not count: other rules reject them. */
export function repeatsTooMuch(document: DocumentNode, maxDepth: number): boolean {
  const fragments = fragmentsOf(document);
  const reached = new Set<string>();
  let pairs = 0;
  let visits = 0;
  const areTooMany = () => pairs > maxPairs || visits > maxVisits;

  /** Returns the number of fragments that are spread at one place of the answer. */
  function count(sets: readonly SelectionSetNode[], depth = 0): number {
    if (depth > maxDepth) return 0;
    const keys = new Map<string, SameKey>();
    const spread = new Set<string>();
    const pending = [...sets];
    for (let set = pending.pop(); set !== undefined; set = pending.pop()) {
      for (const selection of set.selections) {
        visits++;
        if (areTooMany()) return 0;
        if (selection.kind === Kind.FIELD) pairs += addField(selection, keys);
        else if (selection.kind === Kind.INLINE_FRAGMENT) pending.push(selection.selectionSet);
        else if (!spread.has(selection.name.value)) {
          const name = selection.name.value;
          spread.add(name);
          reached.add(name);
          const fragment = fragments[name];
          if (fragment !== undefined) pending.push(fragment.selectionSet);
        }
      }
    }
    pairs += pairsOf(spread.size);
    for (const { fields, sets: within } of keys.values()) {
      const below = within.length === 0 ? 0 : count(within, depth + 1);
      // For each pair of fields, validation again compares the fragments that their selections spread.
      pairs += pairsOf(fields) * below;
    }
    return spread.size;
  }

  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) count([definition.selectionSet]);
  }
  // Validation also compares the fields of unused fragments.
  for (const [name, { selectionSet }] of Object.entries(fragments)) {
    if (!reached.has(name)) count([selectionSet]);
  }
  return areTooMany();
}

/** The fields with the same key at one place of the answer. */
interface SameKey {
  fields: number;
  readonly sets: SelectionSetNode[];
}

/** Returns the number of new pairs: one with each earlier field of the same key. */
function addField({ alias, name, selectionSet }: FieldNode, keys: Map<string, SameKey>): number {
  const key = (alias ?? name).value;
  const same = keys.get(key) ?? { fields: 0, sets: [] };
  if (same.fields === 0) keys.set(key, same);
  if (selectionSet !== undefined) same.sets.push(selectionSet);
  return same.fields++;
}

function pairsOf(count: number): number {
  return (count * (count - 1)) / 2;
}

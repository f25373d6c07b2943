// What a schema takes away from those who use an older one: clients, and supergraphs that were composed with it.
import { type Change, CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';

/** One sentence for each breaking change from one SDL to another; none where everything goes on working. */
export async function breakingChanges(before: string, after: string): Promise<string[]> {
  const changes = await diff(buildSchema(before), buildSchema(after));
  return changes.filter(isBreaking).map(({ message }) => message);
}

/**
 * A federation directive that goes, or an argument of one, is dangerous by the book: what it does is not known there. Here
 * it is a key that other subgraphs refer by, or what lets them share a type.
 */
function isBreaking({ type, criticality }: Change): boolean {
  return (
    criticality.level === CriticalityLevel.Breaking ||
    /^DIRECTIVE_USAGE_.*_REMOVED$/.test(String(type))
  );
}

// Marks for resolvers on the fast path. A resolver without a mark may call the service, and may take arguments.
import type { GraphQLField } from 'graphql';

type Field = GraphQLField<unknown, unknown>;

/** Returns the object that has a field: the parent, or a part of it. */
type SourceFinder = (parent: unknown) => unknown;

/** Marks a resolver that returns a part of its parent synchronously, and reads neither arguments nor `info`. */
export function view<R extends (parent: never, ...others: never[]) => unknown>(resolve: R) {
  return { resolve, extensions: { isView: true } };
}

/** A resolver that returns the property `key` of a part of the parent. */
export function viewOfPart<Parent, Part>(partOf: (parent: Parent) => Part, key: keyof Part) {
  const resolve = (parent: Parent) => partOf(parent)[key];
  return { resolve, extensions: { isView: true, sourceOf: partOf } };
}

export function isView({ extensions }: Field): boolean {
  return extensions['isView'] === true;
}

/** Shared by all fields without a resolver: adjacent fields with the same finder are written together. */
const itself: SourceFinder = (parent) => parent;

/** Returns the function that finds the object with the field; null if the resolver computes the field. */
export function sourceFinder({ resolve, extensions }: Field): SourceFinder | null {
  if (resolve === undefined) return itself;
  return (extensions['sourceOf'] as SourceFinder | undefined) ?? null;
}

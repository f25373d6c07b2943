// Marks for resolvers on the fast path. A resolver without a mark may call the service, and may take arguments.

type Resolver = (parent: never, ...others: never[]) => unknown;

/** Returns the object that has a field: the parent, or a part of it. */
type SourceFinder = (parent: unknown) => unknown;

const views = new WeakSet<object>();
const parts = new WeakMap<object, SourceFinder>();

/** Marks a resolver that returns a part of its parent synchronously, and reads neither arguments nor `info`. */
export function view<R extends Resolver>(resolve: R): R {
  views.add(resolve);
  return resolve;
}

/** A resolver that returns the property `key` of a part of the parent. */
export function viewOfPart<Parent, Part, Key extends keyof Part>(
  partOf: (parent: Parent) => Part,
  key: Key,
): (parent: Parent) => Part[Key] {
  const resolve = view((parent: Parent) => partOf(parent)[key]);
  parts.set(resolve, partOf as SourceFinder);
  return resolve;
}

export function isView(resolve: object): boolean {
  return views.has(resolve);
}

/** Shared by all fields without a resolver: adjacent fields with the same finder are written together. */
const itself: SourceFinder = (parent) => parent;

/** Returns the function that finds the object with the field; null if the resolver computes the field. */
export function sourceFinder(resolve: object | undefined): SourceFinder | null {
  return resolve === undefined ? itself : (parts.get(resolve) ?? null);
}

// The resolvers that the fast path supports: those that call the service, and those that only read their parent.

/** As `Type.field`. Nothing is written before their values have arrived. */
const reads: ReadonlySet<string> = new Set([
  'Query.me',
  'Query.accounts',
  'Query.account',
  'Query.transactions',
  'Account.transactions',
]);

const holderFields = [
  ...['id', 'name', 'document', 'email', 'emailConfirmation', 'phone', 'phoneConfirmation'],
  ...['status', 'onboardingStep', 'hasPin'],
];

/** Fields whose resolvers return a part of their parent, synchronously, whatever the arguments and the context. */
const views: ReadonlySet<string> = new Set([
  ...holderFields.flatMap((name) => [`Person.${name}`, `Company.${name}`]),
  'TransactionConnection.nodes',
  'TransactionEdge.node',
]);

/**
 * How a field with a resolver is compiled. Undefined for a field that is not listed: operations that select it are left
 * to graphql-js, so that a new resolver works at once, and becomes fast when it is listed here.
 */
export function resolverKind(type: string, field: string): 'read' | 'view' | undefined {
  const name = `${type}.${field}`;
  if (reads.has(name)) return 'read';
  return views.has(name) ? 'view' : undefined;
}

/** Fields without a resolver whose texts the gateway makes, without any character that JSON escapes. */
const plainTexts: ReadonlySet<string> = new Set([
  'TransactionEdge.cursor',
  'PageInfo.startCursor',
  'PageInfo.endCursor',
]);

/** Whether a field's text can be written without escaping. */
export function isPlainText(type: string, field: string): boolean {
  return plainTexts.has(`${type}.${field}`);
}

/** Returns the object that a field belongs to: the parent, or a part of it. */
type SourceFinder = (parent: unknown) => unknown;

const itself: SourceFinder = (parent) => parent;
const holderIn: SourceFinder = (parent) => (parent as { readonly holder?: unknown }).holder;

/** By type, for types whose objects may be kept as JSON (src/json/source-object.ts). */
const sources: ReadonlyMap<string, SourceFinder> = new Map([
  ['Person', holderIn],
  ['Company', holderIn],
  ['Individual', itself],
  ['Address', itself],
  ['Account', itself],
  ['Transaction', itself],
  ['TransactionEdge', itself],
]);

/** Finds the object that may have the JSON of a field; null if there is none. */
export function sourceFinder(type: string, field: string): SourceFinder | null {
  const isPart = sources.get(type) === holderIn && !holderFields.includes(field);
  return isPart ? null : (sources.get(type) ?? null);
}

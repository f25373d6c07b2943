// What the compiled path knows of resolvers: which of them ask the service, and which only look at their parent.

/** As `Type.field`. Their values are waited for before anything is written. */
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

/** Those that give a part of their parent, at once, whatever the arguments and the context are. */
const views: ReadonlySet<string> = new Set([
  ...holderFields.flatMap((name) => [`Person.${name}`, `Company.${name}`]),
  'TransactionConnection.nodes',
  'TransactionEdge.node',
]);

/**
 * How a field that has a resolver is compiled. Undefined for one that is not listed: what selects it goes to graphql-js,
 * so that a resolver that is added is right at once, and fast once it stands here.
 */
export function resolverKind(type: string, field: string): 'read' | 'view' | undefined {
  const name = `${type}.${field}`;
  if (reads.has(name)) return 'read';
  return views.has(name) ? 'view' : undefined;
}

/** Fields without a resolver whose texts are made here, of nothing that JSON would escape. */
const plainTexts: ReadonlySet<string> = new Set([
  'TransactionEdge.cursor',
  'PageInfo.startCursor',
  'PageInfo.endCursor',
]);

/** Whether a field's text can be written as it is. */
export function isPlainText(type: string, field: string): boolean {
  return plainTexts.has(`${type}.${field}`);
}

/** Gives the object of which a field is a field: the parent, or a part of it. */
type SourceFinder = (parent: unknown) => unknown;

const itself: SourceFinder = (parent) => parent;
const holderIn: SourceFinder = (parent) => (parent as { readonly holder?: unknown }).holder;

/** By type, for those whose objects may be kept as JSON (src/json/source-object.ts). */
const sources: ReadonlyMap<string, SourceFinder> = new Map([
  ['Person', holderIn],
  ['Company', holderIn],
  ['Individual', itself],
  ['Address', itself],
  ['Account', itself],
  ['Transaction', itself],
  ['TransactionEdge', itself],
]);

/** Where the JSON of a field may be found; null where there is none. */
export function sourceFinder(type: string, field: string): SourceFinder | null {
  const isPart = sources.get(type) === holderIn && !holderFields.includes(field);
  return isPart ? null : (sources.get(type) ?? null);
}

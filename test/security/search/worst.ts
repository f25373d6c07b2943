// The most expensive known attack on each limit. Some were written by hand; the others were found by the search, partly
// in earlier versions of the gateway.
import type { Attack, CallerClass, Selection } from './attack.ts';

export interface WorstAttack extends Attack {
  /** The limit, store or loop under attack. */
  readonly on: string;
}

type Shape = Omit<Selection, 'name' | 'children'>;

function field(name: string, children: readonly Selection[] = [], shape: Shape = {}): Selection {
  return { name, children, ...shape };
}

function attack(
  on: string,
  caller: CallerClass,
  selections: readonly Selection[],
  dials: Attack['dials'],
): WorstAttack {
  return { on, caller, selections, dials };
}

const id = field('id');
const name = field('name');
const typename = [field('__typename')];
const accounts = [field('accounts', [id])];
const type = [field('__type', [name])];
const totalCount = [field('totalCount')];
const rows = [field('nodes', [id, field('amount'), field('createdAt')])];
const transaction = [
  'id',
  'amount',
  'credit',
  'signedAmount',
  'status',
  'externalStatus',
  'category',
  'beneficiaryName',
  'type',
  'createdAt',
].map((one) => field(one));
const all = [
  field('edges', [field('cursor'), field('node', transaction)]),
  field('nodes', transaction),
];
const account = [
  'id',
  'bank',
  'agency',
  'number',
  'balance',
  'status',
  'isEscrow',
  '__typename',
].map((one) => field(one));
const person = [field('... on Person', [name]), field('... on Company', [name])];
const holder = ['id', 'document', 'email', 'phone', 'status', 'onboardingStep', 'hasPin'].map(
  (one) => field(one),
);
const wholePerson = ['Person', 'Company', 'Person'].map((one) =>
  field(`... on ${one}`, [...holder, name]),
);

const three: Shape = { times: 3, aliased: true };
const wide: Shape = { times: 30, aliased: true, fragment: true };

/** Each transaction of the answer has long names. */
const longAliases = [
  field('accounts', [
    field('transactions', [field('nodes', [field('id', [], { times: 29, aliased: true })])]),
  ]),
];

/**
 * Fields with a variable in their directive. They are not in fragments, because a directive in a fragment counts at
 * each spread.
 */
const conditions = Array.from({ length: 4 }, () => field('__typename', [], { conditional: true }));

const entities = (times: number) => [
  field('_entities', [field('... on Account', [id])], { times, aliased: true }),
];

const referencesTo = (children: readonly Selection[]) => [
  field('_entities', [field('... on Account', children)]),
];

const bodies: WorstAttack[] = [
  attack('depth of the JSON', 'none', typename, { depth: 500_000 }),
  attack('allowed depth of the JSON', 'none', typename, { depth: 29_900, spaces: 900_000 }),
  attack('values in the JSON', 'none', typename, { elements: 500_000 }),
  attack('allowed values', 'none', typename, { elements: 59_900, spaces: 900_000 }),
  attack('values in the extensions', 'none', typename, { elements: 500_000, inExtensions: 1 }),
  attack('members of one name', 'none', typename, { duplicates: 100_000 }),
  attack('members', 'none', typename, { members: 100_000 }),
  attack('new names', 'none', typename, { names: 3900, spaces: 900_000 }),
  attack('new short strings', 'none', typename, { names: 11_900, nameKind: 2, spaces: 700_000 }),
  attack('many new names', 'none', typename, { names: 49_000 }),
  attack('objects with new names', 'none', typename, { names: 2300, nameKind: 1, spaces: 900_000 }),
  attack('many objects with new names', 'none', typename, { names: 24_000, nameKind: 1 }),
  attack('headers, and fragments', 'none', [field('__schema', [field('description')])], {
    ...{ headers: 850, waits: 1, fragments: 101 },
  }),
  attack('references in chunks', 'none', referencesTo([id]), {
    ...{ representations: 12_000, freshText: 1, chunks: 1500 },
  }),
  attack(
    'operationName, and equal keys',
    'none',
    [field('me', [field('... on Person', [field('id', [], { times: 1245 })])])],
    {
      operationName: 1_000_000,
    },
  ),
  attack('white space', 'none', typename, { spaces: 1_000_000 }),
  attack('operationName', 'none', typename, { operationName: 1_000_000 }),
  attack('body size', 'none', typename, { spaces: 1_000_000, commas: 1_000_000 }),
  attack('chunks', 'none', typename, { chunks: 20_000, spaces: 1_000_000 }),
  attack('chunks of a byte', 'none', typename, { chunks: 25_000, spaces: 25_000 }),
  attack('a slow body', 'none', typename, { waits: 4, spaces: 100_000 }),
  attack('pipelining', 'none', typename, { requests: 32, pipelined: 32, freshText: 1 }),
  attack('header count', 'none', typename, { headers: 1000 }),
  attack('header size', 'none', typename, { headerLength: 15_000 }),
  attack('media types', 'none', accounts, { mediaTypes: 7700 }),
  attack('GET length', 'none', typename, { get: 1, commas: 4500 }),
  attack('token size', 'refused', accounts, { tokenLength: 10_000, freshCaller: 1 }),
  attack('tenants', 'refused', accounts, { freshCaller: 2 }),
  attack('unknown hashes', 'none', typename, { persisted: 2, requests: 32 }),
  attack('registrations', 'none', typename, { persisted: 1, freshText: 1, commas: 50_000 }),
];

const documents: WorstAttack[] = [
  attack('text length', 'refused', typename, { commas: 1_000_000 }),
  attack('comments', 'refused', typename, { comments: 5000 }),
  attack('tokens', 'refused', [field('accounts', [id], { times: 5000 })], {}),
  attack('equal response keys', 'refused', [field('accounts', [id], { times: 600 })], {
    freshText: 1,
  }),
  attack('equal keys on types', 'refused', [field('me', person, { times: 320 })], { freshText: 1 }),
  attack('equal leaves', 'refused', [field('__typename', [], { times: 4900 })], { freshText: 1 }),
  attack('equal leaves, pipelined', 'refused', [field('__typename', [], { times: 4980 })], {
    ...{ freshText: 1, requests: 32, pipelined: 32 },
  }),
  attack('equal keys in chunks', 'refused', [field('me', person, { times: 166 }), ...type], {
    ...{ freshText: 1, chunks: 1500 },
  }),
  attack('aliases', 'refused', [field('accounts', [id], { times: 30, aliased: true })], {
    freshText: 1,
  }),
  attack('aliases of types', 'refused', [field('me', person, { times: 30, aliased: true })], {
    freshText: 1,
  }),
  attack('directives', 'refused', typename, { directives: 50, freshText: 1 }),
  attack('errors after many lines', 'refused', type, { directives: 50, comments: 4900 }),
  attack(
    'fields over aliases',
    'refused',
    [field('me', wholePerson, { times: 26, aliased: true })],
    {
      freshText: 1,
    },
  ),
  attack('variables', 'refused', typename, { variables: 1600, freshText: 1 }),
  attack('allowed variables', 'none', typename, { variables: 195, freshText: 1 }),
  attack('allowed variables, and definitions', 'refused', typename, {
    ...{ variables: 195, operations: 29, fragments: 169, freshText: 1 },
  }),
  attack('unused variables, and operations', 'refused', typename, {
    ...{ variables: 1200, operations: 20 },
  }),
  attack('operations', 'refused', typename, { operations: 900, freshText: 1 }),
  attack(
    'operations with all selections',
    'refused',
    [field('accounts', [field('transactions', [field('nodes', transaction)])])],
    { operations: 29, wholeOperations: 1, freshText: 1 },
  ),
  attack('fragments', 'refused', typename, { fragments: 500, freshText: 1 }),
  attack('allowed fragments', 'refused', typename, { fragments: 199, freshText: 1 }),
  attack('a string', 'refused', type, { text: 1_000_000 }),
  attack('a block string', 'refused', type, { text: 780_000, textKind: 1 }),
  attack('escapes', 'refused', type, { text: 890_000, textKind: 2 }),
  attack('digits', 'refused', [field('transactions', totalCount)], { digits: 1_000_000 }),
  attack('depth of a literal', 'refused', type, { literalDepth: 2400 }),
];

/** Attacks that are made twice: with a token that the service rejects, and with one that it accepts. */
const operations = (['refused', 'good'] as const).flatMap((caller): WorstAttack[] => [
  attack('references', caller, entities(1), { representations: 500_000, representationKind: 5 }),
  attack('allowed references', caller, referencesTo([id, field('balance')]), {
    ...{ representations: 1000, freshText: 1 },
  }),
  attack('allowed references, and accounts', caller, [...referencesTo([id, name]), ...accounts], {
    ...{ representations: 1000, freshText: 1, elements: 4 },
  }),
  attack('references in a body of the allowed weight', caller, referencesTo([id]), {
    ...{ representations: 1200, freshText: 1, spaces: 900_000 },
  }),
  attack('references with equal leaves', caller, referencesTo([field('id', [], { times: 2490 })]), {
    ...{ representations: 12_000 },
  }),
  attack('references, and an invalid selection', caller, [...referencesTo(account), ...accounts], {
    ...{ representations: 12_000, first: 1 },
  }),
  attack('references over aliases', caller, entities(30), { representations: 25_000 }),
  attack('references in a GET', caller, entities(1), {
    ...{ representations: 5000, representationKind: 5, literalReferences: 1, get: 1 },
  }),
  attack('statements of references', caller, referencesTo([field('transactions', rows, three)]), {
    ...{ representations: 1000, first: 100 },
  }),
  attack('failures of references', caller, referencesTo([field('transactions', rows, wide)]), {
    ...{ representations: 1000, first: 101 },
  }),
  attack('values of statements', caller, [field('accounts', [field('transactions', all, wide)])], {
    ...{ first: 100 },
  }),
  attack('length of an answer', caller, longAliases, {
    first: 100,
    aliasLength: 1000,
    freshText: 1,
  }),
  attack('length of an answer, known', caller, longAliases, { first: 100, aliasLength: 1000 }),
  attack('answers beyond their length', caller, longAliases, {
    ...{ first: 100, aliasLength: 3200, requests: 8 },
  }),
  attack('plans', caller, [field('accounts', account, wide), ...conditions], {
    ...{ settings: 16, requests: 32 },
  }),
  attack('a statement over aliases', caller, [field('transactions', rows, wide)], {
    ...{ first: 100, freshText: 1 },
  }),
  attack(
    'statements of all accounts',
    caller,
    [field('accounts', [field('transactions', rows)], { times: 10, aliased: true })],
    { first: 20, freshText: 1 },
  ),
]);

export const worstAttacks: readonly WorstAttack[] = [...bodies, ...documents, ...operations];

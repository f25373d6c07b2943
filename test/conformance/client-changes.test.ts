// `compareForClients` and `npm run check:clients` report the operations for which a change to the schema is breaking or
// dangerous.
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSchema, parse, print, visit } from 'graphql';
import { describe, expect, test } from 'vitest';
import { compareForClients } from '../../scripts/client-changes.ts';
import { listed, manifestOf } from '../support/manifest.ts';

const root = new URL('../../', import.meta.url);
const schemaFile = new URL('schema/client.graphql', root);

/**
 * The client schema without descriptions, and with additional root fields, which have kinds of arguments and types that
 * the real root fields lack.
 */
const schema = `${print(
  visit(parse(readFileSync(schemaFile, 'utf8')), {
    enter: (node) => ('description' in node ? { ...node, description: undefined } : undefined),
  }),
)}
extend type Query {
  search(filter: Filter, status: TransactionStatus, limit: Int = 10): [Transaction!]
  tags: [String!]!
  labels: [String] @semanticNonNull(levels: [0, 1])
  holder: AccountHolder
}
input Filter {
  text: String
  kind: Kind
  max: Int = 5
}
enum Kind { CARD PIX }
`;

const operations = [
  {
    name: 'Holder',
    body: 'query Holder { me { __typename ... on Person { name individual { income } } } tags labels }',
  },
  { name: 'Email', body: 'query Email { me { ... on AccountHolder { id email } } }' },
  { name: 'Any', body: 'query Any { holder { id } }' },
  {
    name: 'Mine',
    body: 'query Mine { holder { ...Mine } } fragment Mine on Me { __typename }',
  },
  {
    name: 'Statement',
    body: `query Statement($id: ID!, $from: Date, $after: String) {
      transactions(accountId: $id, from: $from, first: 20, after: $after) {
        edges { cursor node { ...Line } } pageInfo { endCursor } totalCount
      }
    }
    fragment Line on Transaction { id amount status }`,
  },
  {
    name: 'Find',
    body: 'query Find($filter: Filter, $kind: Kind) { search(filter: $filter, limit: 5) { id } again: search(filter: { kind: $kind }) { id } }',
  },
  {
    name: 'Page',
    body: `query Page($limit: Int, $size: Int = 5, $max: Int) {
      ...Limits
      again: search(limit: $size, filter: { text: "x", max: $max }) { id }
    }
    fragment Limits on Query { search(limit: $limit, filter: { max: 1 }) { id } }`,
  },
  {
    name: 'Done',
    body: 'query Done { search(status: DONE, filter: { text: "x", kind: CARD }) { id } }',
  },
];

type Expected = Readonly<Record<string, string>>;

const connection = 'transactions(accountId: ID!, from: Date, to: Date, first: Int, after: String';

/**
 * The change, the text in the schema, its replacement, and the findings by operation. Operations that are not listed
 * are safe.
 */
const changes: [string, string, string, Expected][] = [
  // Removed and renamed fields, and renamed types.
  ['a field is removed', '  amount: Decimal\n', '', { Statement: 'breaks Transaction.amount' }],
  [
    'a field is renamed',
    '  totalCount: Int',
    '  total: Int',
    { Statement: 'breaks TransactionConnection.totalCount' },
  ],
  ['an unused field is removed', '  category: String\n', '', {}],
  [
    'a root field is removed',
    '  me: Me\n',
    '',
    { Holder: 'breaks Query.me', Email: 'breaks Query.me' },
  ],
  [
    'a field of the interface is removed',
    'interface AccountHolder {\n  id: ID!\n  name: String\n  document: String\n  email: String\n',
    'interface AccountHolder {\n  id: ID!\n  name: String\n  document: String\n',
    { Email: 'breaks AccountHolder.email' },
  ],
  ['a nested field is removed', '  income: Decimal\n', '', { Holder: 'breaks Individual.income' }],
  ['a type is renamed', 'Individual', 'Natural', { Holder: 'breaks Person.individual' }],
  [
    'the type of a fragment is renamed',
    'type Transaction {',
    'type Entry {',
    {
      Statement: 'breaks Transaction, breaks TransactionEdge.node',
      Find: 'breaks Query.search',
      Page: 'breaks Query.search',
      Done: 'breaks Query.search',
    },
  ],
  // Changes to output types, to the union and to the interface.
  [
    'a scalar becomes another',
    '  amount: Decimal',
    '  amount: Float',
    { Statement: 'breaks Transaction.amount' },
  ],
  [
    'a scalar becomes a list',
    '  amount: Decimal',
    '  amount: [Decimal]',
    { Statement: 'breaks Transaction.amount' },
  ],
  [
    'a list becomes a single value',
    '  edges: [TransactionEdge!]!',
    '  edges: TransactionEdge',
    { Statement: 'breaks TransactionConnection.edges' },
  ],
  [
    'a scalar becomes an object',
    '  endCursor: String',
    '  endCursor: Address',
    { Statement: 'breaks PageInfo.endCursor' },
  ],
  [
    'an object becomes a scalar',
    '  individual: Individual',
    '  individual: String',
    { Holder: 'breaks Person.individual' },
  ],
  [
    'an enum becomes a String',
    '  status: TransactionStatus',
    '  status: String',
    { Statement: 'breaks Transaction.status' },
  ],
  [
    'a non-null field becomes nullable',
    '  cursor: String!',
    '  cursor: String',
    { Statement: 'dangerous TransactionEdge.cursor' },
  ],
  [
    'the items of a list become nullable',
    '  tags: [String!]!',
    '  tags: [String]!',
    { Holder: 'dangerous Query.tags' },
  ],
  [
    'a list and its items become nullable',
    '  tags: [String!]!',
    '  tags: [String]',
    { Holder: 'dangerous Query.tags' },
  ],
  ['a nullable field becomes non-null', '  amount: Decimal', '  amount: Decimal!', {}],
  [
    '@semanticNonNull is removed',
    '  totalCount: Int @semanticNonNull',
    '  totalCount: Int',
    { Statement: 'dangerous TransactionConnection.totalCount' },
  ],
  [
    '@semanticNonNull loses one of its levels',
    'levels: [0, 1]',
    'levels: [0]',
    { Holder: 'dangerous Query.labels' },
  ],
  [
    '@semanticNonNull is only for the items, by its levels',
    '  totalCount: Int @semanticNonNull',
    '  totalCount: Int @semanticNonNull(levels: [1])',
    { Statement: 'dangerous TransactionConnection.totalCount' },
  ],
  ['the levels of @semanticNonNull are in another order', 'levels: [0, 1]', 'levels: [1, 0]', {}],
  [
    '@semanticNonNull is replaced by non-null types',
    'labels: [String] @semanticNonNull(levels: [0, 1])',
    'labels: [String!]!',
    {},
  ],
  ['@semanticNonNull is added', '  amount: Decimal', '  amount: Decimal @semanticNonNull', {}],
  [
    'a member is added to the union',
    'union Me = Person | Company',
    'union Me = Person | Company | Robot\ntype Robot { id: ID }',
    { Holder: 'dangerous Query.me', Email: 'dangerous Query.me' },
  ],
  [
    'a union member that a fragment names is removed',
    'union Me = Person | Company',
    'union Me = Company',
    { Holder: 'breaks ... on Person', Mine: 'breaks ... on Me' },
  ],
  [
    'a union member that no fragment names is removed',
    'union Me = Person | Company',
    'union Me = Person',
    { Mine: 'breaks ... on Me' },
  ],
  [
    'a type that implements the interface is added',
    'interface AccountHolder',
    'type Robot implements AccountHolder { id: ID! name: String document: String email: String emailConfirmation: Boolean phone: String phoneConfirmation: Boolean status: String onboardingStep: String hasPin: Boolean accounts: [Account] }\ninterface AccountHolder',
    { Any: 'dangerous Query.holder', Mine: 'dangerous Query.holder' },
  ],
  [
    'a type leaves the interface of a fragment',
    'type Person implements AccountHolder',
    'type Person',
    { Email: 'breaks ... on AccountHolder' },
  ],
  ['an interface becomes one of its types', '  holder: AccountHolder', '  holder: Person', {}],
  // Changes to enums.
  [
    'an enum value that answers can have is added',
    '  DONE\n',
    '  DONE\n  REVERSED\n',
    { Statement: 'dangerous Transaction.status' },
  ],
  ['an enum value that only answers had is removed', '  ERROR\n', '', {}],
  [
    'an enum value that a literal uses is removed',
    '  DONE\n',
    '',
    { Done: 'breaks Query.search(status:)' },
  ],
  [
    'an enum value that a variable may have is removed',
    'CARD PIX',
    'CARD',
    { Find: 'breaks $filter, breaks $kind' },
  ],
  ['an enum value that only arguments can have is added', 'CARD PIX', 'CARD PIX CASH', {}],
  // Changes to arguments.
  [
    'an argument in use is removed',
    connection,
    connection.replace(', after: String', ''),
    { Statement: 'breaks Query.transactions(after:)' },
  ],
  ['an unused argument is removed', connection, connection.replace(' to: Date,', ''), {}],
  [
    'an unused argument becomes required',
    connection,
    connection.replace('to: Date', 'to: Date!'),
    { Statement: 'breaks Query.transactions' },
  ],
  [
    'an argument given by a nullable variable becomes required',
    connection,
    connection.replace('from: Date', 'from: Date!'),
    { Statement: 'breaks $from' },
  ],
  [
    'an argument given by a literal becomes required',
    connection,
    connection.replace('first: Int', 'first: Int!'),
    {},
  ],
  [
    'an argument given by a variable that may be null becomes non-null, with a default',
    'limit: Int = 10',
    'limit: Int! = 10',
    { Page: 'breaks $limit, breaks $size' },
  ],
  [
    'a required argument is added',
    connection,
    connection.replace('from', 'tenant: ID!, from'),
    { Statement: 'breaks Query.transactions' },
  ],
  [
    'a required argument with a default is added',
    connection,
    connection.replace('from', 'size: Int! = 1, from'),
    {},
  ],
  [
    'an optional argument is added',
    connection,
    connection.replace('from', 'search: String, from'),
    {},
  ],
  ['a required argument becomes optional', connection, connection.replace('ID!', 'ID'), {}],
  [
    'an input field given by a variable that may be null becomes non-null, with a default',
    '  max: Int = 5',
    '  max: Int! = 5',
    { Find: 'breaks $filter', Page: 'breaks $max' },
  ],
  [
    'an argument changes its type',
    connection,
    connection.replace('from: Date', 'from: DateTime'),
    { Statement: 'breaks $from, breaks Query.transactions(from:)' },
  ],
  [
    'an argument given by a literal changes its type',
    connection,
    connection.replace('first: Int', 'first: Decimal'),
    { Statement: 'breaks Query.transactions(first:)' },
  ],
  [
    'a default in use changes',
    'limit: Int = 10',
    'limit: Int = 50',
    {
      Find: 'dangerous Query.search',
      Page: 'dangerous Query.search',
      Done: 'dangerous Query.search',
    },
  ],
  // Changes to input objects.
  [
    'an input field becomes required',
    '  text: String\n',
    '  text: String!\n',
    { Find: 'breaks $filter, breaks Query.search(filter:)', Page: 'breaks Query.search(filter:)' },
  ],
  [
    'a required input field is added',
    '  text: String\n',
    '  text: String\n  year: Int!\n',
    {
      Find: 'breaks $filter, breaks Query.search(filter:)',
      Page: 'breaks Query.search(filter:)',
      Done: 'breaks Query.search(filter:)',
    },
  ],
  ['an optional input field is added', '  text: String\n', '  text: String\n  year: Int\n', {}],
  [
    'an input field is removed',
    '  text: String\n',
    '',
    {
      Find: 'breaks $filter',
      Page: 'breaks Query.search(filter:)',
      Done: 'breaks Query.search(filter:)',
    },
  ],
  [
    'the default of an input field changes',
    '  max: Int = 5',
    '  max: Int = 6',
    {
      Find: 'dangerous $filter, dangerous Query.search(filter:)',
      Page: 'dangerous Query.search(filter:)',
      Done: 'dangerous Query.search(filter:)',
    },
  ],
  ['an input type is renamed', 'Filter', 'Criteria', { Find: 'breaks Filter' }],
  // Additions and deprecations of fields.
  ['a field is added', '  amount: Decimal\n', '  amount: Decimal\n  planted: Decimal\n', {}],
  [
    'a field is deprecated',
    '  amount: Decimal\n',
    '  amount: Decimal @deprecated(reason: "Use signedAmount.")\n',
    {},
  ],
];

/**
 * Returns the schema with every occurrence of `from` replaced. If `from` begins with `type Transaction`, the type and
 * all references to it are renamed to `Entry` instead. Throws if `from` does not occur.
 */
function changed(from: string, to: string): string {
  if (!schema.includes(from)) throw new Error(`the schema has no ${from}`);
  return from.startsWith('type Transaction')
    ? schema.replaceAll(/\bTransaction\b/g, 'Entry')
    : schema.replaceAll(from, to);
}

describe('compareForClients', () => {
  test.each(changes)(
    'reports which operations are affected if %s',
    async (_title, from, to, expected) => {
      const [old, next] = [buildSchema(schema), buildSchema(changed(from, to))];
      const compared = await compareForClients(old, next);
      for (const operation of operations) {
        const found = compared.findings(operation).map(({ effect, place }) => `${effect} ${place}`);
        expect(found.sort().join(', '), operation.name).toBe(expected[operation.name] ?? '');
      }
    },
  );

  test('is tested with at least forty planted changes', () => {
    expect(changes.length).toBeGreaterThanOrEqual(40);
  });
});

describe('the command check:clients', () => {
  const folder = mkdtempSync(join(tmpdir(), 'check-clients-'));

  function write(name: string, text: string): string {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  }

  interface Ran {
    readonly code: number;
    readonly stdout: string;
    readonly stderr: string;
  }

  function run(...args: readonly string[]): Promise<Ran> {
    return runIn(root, ...args);
  }

  function runIn(cwd: string | URL, ...args: readonly string[]): Promise<Ran> {
    const file = 'scripts/check-clients.ts';
    return new Promise((resolve) => {
      const child = execFile(process.execPath, [file, ...args], { cwd }, (_error, stdout, stderr) =>
        resolve({ code: child.exitCode ?? -1, stdout, stderr }),
      );
    });
  }

  const statement = 'query Statement($id: ID!) { account(id: $id) { balance } }';
  const [old, current] = [
    write('ios@4.2.0.json', manifestOf(listed('Statement', statement))),
    write('web.json', manifestOf(listed('Me', 'query Me { me { __typename } }'))),
  ];

  test('reports that the changes since the released schema are safe for examples/operations', async () => {
    const ran = await run('examples/operations/manifest.json');
    expect(ran).toEqual({ code: 0, stdout: 'manifest: safe, 3 operations\n', stderr: '' });
  });

  test('names the app, version, operation and field if a change breaks an operation, and exits with 1', async () => {
    const sdl = readFileSync(schemaFile, 'utf8').replace('  balance: Decimal', '  worth: Decimal');
    const ran = await run('--now', write('now.graphql', sdl), old, current);
    expect(ran.stdout.split('\n')).toEqual([
      'ios 4.2.0: breaks, 1 operation',
      '  breaks Statement at Account.balance: Cannot query field "balance" on type "Account".',
      'web: safe, 1 operation',
      '',
    ]);
    expect(ran.code).toBe(1);
  });

  test('finds by default that a field has lost @semanticNonNull since the last release', async () => {
    const sdl = readFileSync(schemaFile, 'utf8').replace('Int @semanticNonNull', 'Int');
    const count = 'query Count($id: ID!) { transactions(accountId: $id) { totalCount } }';
    const manifest = write('count.json', manifestOf(listed('Count', count)));
    const ran = await run('--now', write('lost.graphql', sdl), manifest);
    expect(ran.stdout).toContain(
      '  dangerous Count at TransactionConnection.totalCount: ' +
        "Field 'TransactionConnection.totalCount' is no longer @semanticNonNull at level 0\n",
    );
    expect(ran).toMatchObject({ code: 0, stderr: '' });
  });

  test('names an operation with a syntax error, checks the other manifests, and exits with 2', async () => {
    const sdl = readFileSync(schemaFile, 'utf8').replace('  balance: Decimal', '  worth: Decimal');
    const half = write('half.json', manifestOf(listed('Half', 'query Half { me {')));
    const ran = await run('--now', write('now.graphql', sdl), half, old, current);
    expect(ran.stderr).toBe(`${half}: operation Half: Syntax Error: Expected Name, found <EOF>.\n`);
    expect(ran.stdout).toMatch(/^ios 4\.2\.0: breaks, .+\n.+\nweb: safe, 1 operation\n$/);
    expect(ran.code).toBe(2);
  });

  test('works in a folder whose path has a space', async () => {
    const place = join(folder, 'a b');
    for (const part of ['scripts', 'src', 'schema', 'package.json']) {
      cpSync(new URL(part, root), join(place, part), { recursive: true });
    }
    symlinkSync(new URL('node_modules', root), join(place, 'node_modules'));
    const ran = await runIn(place, current);
    expect(ran).toEqual({ code: 0, stdout: 'web: safe, 1 operation\n', stderr: '' });
  });

  test.each([
    ['--bfore', "Unknown option '--bfore'"],
    ['--before', "Option '--before <value>' argument missing"],
  ])('prints one line and exits with 2 if it is called with %s', async (option, message) => {
    const ran = await run(old, option);
    expect(ran.stderr).toMatch(/^.+\n$/);
    expect(ran.stderr).toContain(message);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
  });

  test.each([
    ['no manifest', [], 'Usage: '],
    [
      'a file that is not a manifest',
      [write('none.json', '[]')],
      'none.json: it is not a JSON object',
    ],
    ['a missing file', [join(folder, 'gone.json')], 'gone.json: it cannot be read'],
    [
      'a schema with a syntax error',
      ['--now', write('half.graphql', 'type Query {'), old],
      'half.graphql: Syntax Error: Expected Name, found <EOF>.\n',
    ],
    [
      'a schema without queries',
      ['--now', write('none.graphql', 'type Account { id: ID! }'), old],
      'none.graphql: Query root type must be provided.\n',
    ],
    [
      'a missing schema',
      ['--before', join(folder, 'gone.graphql'), old],
      'gone.graphql: ENOENT: no such file or directory',
    ],
  ])('prints a message and exits with 2 if it is called with %s', async (_title, args, message) => {
    const ran = await run(...args);
    expect(ran.stderr).toContain(message);
    expect(ran.code).toBe(2);
  });
});

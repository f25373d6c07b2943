// The published schema/subgraph.graphql and schema/client.graphql are complete and up to date, and do not break users
// of the last release.
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { buildSchema, parse, validate, validateSchema } from 'graphql';
import { expect, test } from 'vitest';
import { clientSchema } from '../../scripts/client-schema.ts';
import { breakingChanges, undatedDeprecations } from '../../scripts/breaking-changes.ts';
import { startTestGateway } from '../support/gateway.ts';
import { ask } from '../support/query.ts';

const root = new URL('../../', import.meta.url);
const sdl = readFileSync(new URL('schema/subgraph.graphql', root), 'utf8');
const clientSdl = readFileSync(new URL('schema/client.graphql', root), 'utf8');

test('npm run check:schema finds the schema files up to date and compatible with the last release', async () => {
  const run = promisify(execFile)(process.execPath, ['scripts/schema-files.ts', '--check']);
  await expect(run).resolves.toEqual({ stdout: '', stderr: '' });
});

test('a gateway serves the subgraph schema as _service.sdl', async () => {
  await using gateway = await startTestGateway();
  const query = encodeURIComponent('{ _service { sdl } }');
  const headers = { 'apollo-require-preflight': 'yes' };
  const { data } = await ask(`${gateway.url}/graphql?query=${query}`, { headers });
  const { sdl: served } = data?.['_service'] as { readonly sdl: string };
  expect(`${served.trim()}\n`).toBe(sdl);
});

test.each([
  ['subgraph', sdl],
  ['client', clientSdl],
])('the %s schema is valid, and the example operations are valid against it', (_name, text) => {
  const schema = buildSchema(text);
  expect(validateSchema(schema)).toEqual([]);
  const operations = globSync('examples/operations/*.graphql', { cwd: root });
  const texts = operations.map((name) => readFileSync(new URL(name, root), 'utf8'));
  expect(operations).not.toHaveLength(0);
  expect(validate(schema, parse(texts.join('\n')))).toEqual([]);
});

test('the client schema is the subgraph schema without the parts for the router', () => {
  const typesOf = (text: string) => Object.keys(buildSchema(text).getTypeMap()).sort();
  const between = /^_(?:Any|Entity|Service)$|^link__|^federation__/;
  expect(typesOf(clientSdl)).toEqual(typesOf(sdl).filter((name) => !between.test(name)));
  expect(clientSdl).not.toMatch(/^(?:type|extend|schema) .*@|_entities|_service/m);
});

test('the client schema keeps deprecations and semantic nullability, but not costs', () => {
  const text = clientSchema(
    parse(`type Query @cost(weight: 8) {
      a: Int @deprecated(reason: "Use b.")
      b(c: Int @cost(weight: 2)): [Int] @semanticNonNull(levels: [1]) @listSize(assumedSize: 5)
    }`),
  );
  expect(text).toContain('type Query {\n  a: Int @deprecated(reason: "Use b.")');
  expect(text).toContain('  b(c: Int): [Int] @semanticNonNull(levels: [1])\n');
});

test.each([
  ['a removed field', '  balance: Decimal', '  worth: Decimal', "Field 'balance' was removed"],
  ['a changed type', '  amount: Decimal', '  amount: String', "'Transaction.amount' changed type"],
  ['an argument that becomes required', '    first: Int', '    first: Int!', "argument 'first'"],
  ['a removed union member', 'Person | Company', 'Person', "Member 'Company' was removed"],
  [
    'a removed key',
    'type Account @key(fields: "id")',
    'type Account',
    '@key(fields: "id") on Account was removed',
  ],
  [
    'a changed key',
    'Account @key(fields: "id")',
    'Account @key(fields: "id bank")',
    '@key(fields: "id") on Account was removed',
  ],
  [
    'a type that is no longer shareable',
    'PageInfo @shareable',
    'PageInfo',
    '@shareable on PageInfo was removed',
  ],
  [
    'a key that is no longer resolvable',
    'Account @key(fields: "id")',
    'Account @key(fields: "id", resolvable: false)',
    '@key(fields: "id") on Account is no longer resolvable',
  ],
  [
    'a field that is hidden from supergraphs',
    '  balance: Decimal',
    '  balance: Decimal @federation__inaccessible',
    '@inaccessible on Account.balance was added',
  ],
  [
    'a field that another subgraph has to resolve',
    '  balance: Decimal',
    '  balance: Decimal @federation__external',
    '@external on Account.balance was added',
  ],
  [
    'a field that is taken from another subgraph',
    '  balance: Decimal',
    '  balance: Decimal @federation__override(from: "cards")',
    '@override(from: "cards") on Account.balance was added',
  ],
  [
    'a newer version of federation',
    'federation/v2.5',
    'federation/v2.9',
    '@link(url: "https://specs.apollo.dev/federation/v2.5") on schema was removed',
  ],
])('%s is reported as a breaking change', async (_name, before, after, message) => {
  expect(sdl).toContain(before);
  expect(await breakingChanges(sdl, sdl.replace(before, after))).toEqual([
    expect.stringContaining(message),
  ]);
});

const dated = (date: string) => `  balance: Decimal @deprecated(reason: "Removed after ${date}.")`;
const rfc3339 = 'rfc-editor.org/rfc/rfc3339';

test.each([
  ['an added field', '  balance: Decimal', '  balance: Decimal\n  alias: String'],
  [
    'an added field that is hidden from supergraphs',
    '  balance: Decimal',
    '  balance: Decimal\n  alias: String @federation__inaccessible',
  ],
  ['an added key', 'Account @key(fields: "id")', 'Account @key(fields: "bank") @key(fields: "id")'],
  [
    'an added key that is not resolvable',
    'Account @key(fields: "id")',
    'Account @key(fields: "id") @key(fields: "bank", resolvable: false)',
  ],
  ['a key that becomes resolvable', '(fields: "id", resolvable: false)', '(fields: "id")'],
  ['a deprecation', '  balance: Decimal', dated('2027-06-30')],
  ['a later day of removal', dated('2027-06-30'), dated('2027-12-31')],
  ['a withdrawn deprecation', dated('2027-06-30'), '  balance: Decimal'],
  ['another URL of @specifiedBy', `${rfc3339}#section-5.6`, rfc3339],
  ['a removed @specifiedBy', ` @specifiedBy(url: "https://www.${rfc3339}#section-5.6")`, ''],
])('%s is not reported as a breaking change', async (_name, before, after) => {
  // The schema has no deprecation yet.
  const old = sdl.includes(before) ? sdl : sdl.replace('  balance: Decimal', before);
  const next = old.replace(before, after);
  expect(next).not.toBe(old);
  expect(await breakingChanges(old, next)).toEqual([]);
});

test('@shareable may move from a type to each of its fields and back, but not to some of them', async () => {
  const ofFields = (text: string) => {
    const [type = ''] = /type PageInfo @shareable \{[^}]+\}/.exec(text) ?? [];
    const fields = type.replace(' @shareable', '').replace(/^ {2}\w+: .+$/gm, '$& @shareable');
    return text.replace(type, fields);
  };
  const moved = ofFields(sdl);
  expect(moved.match(/: String @shareable$/gm)).toHaveLength(2);
  expect(await breakingChanges(sdl, moved)).toEqual([]);
  expect(await breakingChanges(moved, sdl)).toEqual([]);
  const partly = moved.replace('endCursor: String @shareable', 'endCursor: String');
  expect(await breakingChanges(sdl, partly)).toEqual([
    'Directive @shareable on PageInfo was removed',
  ]);
  expect(await breakingChanges(moved, partly)).toEqual([
    'Directive @shareable on PageInfo.endCursor was removed',
  ]);
});

test.each([
  ['Use worth. Removed after 2027-06-30.', []],
  ['Removed after 2027-06-30', []],
  ['Use worth.', ['Account.balance']],
  ['Removed after 2027-06-31.', ['Account.balance']],
  ['Removed after 2027-6-30.', ['Account.balance']],
  ['Removed after 2027-06-30, or later.', ['Account.balance']],
])('the reason for a deprecation must end with the date of removal: %j', (reason, undated) => {
  const directive = `@deprecated(reason: ${JSON.stringify(reason)})`;
  const deprecated = sdl.replace('  balance: Decimal', `  balance: Decimal ${directive}`);
  expect(undatedDeprecations(deprecated)).toEqual(
    undated.map((name) => `The deprecation of ${name} does not end with "after YYYY-MM-DD"`),
  );
});

test('a deprecation without a reason is reported for arguments and enum values too', () => {
  const text = 'type Query { a(b: Int @deprecated): E } enum E { ONE TWO @deprecated }';
  expect(undatedDeprecations(text)).toEqual([
    'The deprecation of Query.a.b does not end with "after YYYY-MM-DD"',
    'The deprecation of E.TWO does not end with "after YYYY-MM-DD"',
  ]);
  expect(undatedDeprecations(sdl)).toEqual([]);
});

// schema/client.graphql marks the fields that are null only together with an error. These tests check that every mark
// holds under many faults, and that no mark is missing.
import { readFileSync } from 'node:fs';
import {
  buildSchema,
  getDirectiveValues,
  getNamedType,
  getNullableType,
  type GraphQLField,
  type GraphQLOutputType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBank } from '../../src/sandbox/bank.ts';
import type { FaultKind } from '../../src/sandbox/faults/faults.ts';
import { endpoints, type UpstreamRoute } from '../../src/upstream/endpoints.ts';
import { changeJson } from '../../src/sandbox/json.ts';
import { holderOf } from '../support/bank.ts';
import {
  accountFields,
  connectionFields,
  meFields,
  transactionFields,
} from '../support/documents.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { companyTextWith, personText, shownAccounts } from '../support/profiles.ts';
import { type Answer, callerHeaders, query } from '../support/query.ts';
import { askSlice } from '../support/slices.ts';
import { statementText } from '../support/statements.ts';

const schema = buildSchema(readFileSync('schema/client.graphql', 'utf8'));

/** `Type.field` for a field that may be null, `Type.field.1` for the items of its list. */
type Position = string;

const nullable = new Set<Position>();
const marked = new Set<Position>();
for (const type of Object.values(schema.getTypeMap())) {
  if (!isObjectType(type) || type.name.startsWith('__')) continue;
  for (const field of Object.values(type.getFields())) {
    const levels = levelsOf(field);
    for (const level of nullableLevels(field.type)) {
      const position = positionAt(`${type.name}.${field.name}`, level);
      nullable.add(position);
      if (levels.includes(level)) marked.add(position);
    }
  }
}

function positionAt(coordinate: string, level: number): Position {
  return level === 0 ? coordinate : `${coordinate}.${level}`;
}

function nullableLevels(type: GraphQLOutputType, level = 0): number[] {
  const inner = getNullableType(type);
  const below = isListType(inner) ? nullableLevels(inner.ofType, level + 1) : [];
  return isNonNullType(type) ? below : [level, ...below];
}

function levelsOf({ astNode }: GraphQLField<unknown, unknown>): readonly number[] {
  const directive = schema.getDirective('semanticNonNull');
  if (!directive || !astNode) throw new Error('no @semanticNonNull in the schema');
  return (getDirectiveValues(directive, astNode)?.['levels'] ?? []) as number[];
}

/** Positions that were null in an answer without an error at, above or below their paths. */
const nullWithoutError = new Set<Position>();

let gateway: TestGateway;
let cursor: string;
beforeAll(async () => {
  // Without retries, a test does not depend on how much of the retry budget earlier tests have used.
  gateway = await startTestGateway({ UPSTREAM_RETRIES: '0', UPSTREAM_TIMEOUT_MS: '1000' });
  const id = holderOf(gateway.bank, 'PERSON').accounts[0] ?? '';
  cursor = (await askSlice(gateway, id, { first: 3 })).cursor(1);
});
afterAll(() => gateway.close());

/** A selection of every field of a type, at any depth, except fields with arguments (statements). */
function everythingOf(typeName: string): string {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) throw new Error(`${typeName} is not an object type`);
  const fields = Object.values(type.getFields()).filter(({ args }) => args.length === 0);
  const selections = fields.map(({ name, type: fieldType }) => {
    const named = getNamedType(fieldType);
    return isLeafType(named) ? name : `${name} { ${everythingOf(named.name)} }`;
  });
  return selections.join(' ');
}

const profileDocument = `query Profile($id: ID!) {
  me { ${meFields} ... on AccountHolder { accounts { transactions(first: 1) { totalCount } } } }
  accounts { ${everythingOf('Account')} transactions(first: 2) { ${connectionFields} } }
  account(id: $id) { ${accountFields} transactions(first: 1) { totalCount } }
}`;
const statementDocument = `query Statement($id: ID!, $cursor: String) {
  transactions(accountId: $id) { ${connectionFields} nodes { ${transactionFields} } }
  none: transactions(accountId: $id, first: 0) { ${connectionFields} }
  after: transactions(accountId: $id, first: 2, after: $cursor) { ${connectionFields} }
  last: transactions(accountId: $id, last: 2) { ${connectionFields} }
  odd: transactions(accountId: $id, first: 1, last: 1) { totalCount }
}`;

/** The field of each alias in the documents. */
const aliases: Readonly<Record<string, string>> = {
  ...{ none: 'transactions', after: 'transactions', last: 'transactions', odd: 'transactions' },
};

const askProfile =
  (kind: 'PERSON' | 'COMPANY') =>
  async (at = gateway): Promise<Answer> =>
    query(at, profileDocument, {
      headers: await callerHeaders(at.bank, holderOf(at.bank, kind)),
      variables: { id: shownAccounts[1]?.id },
    });
const askStatement = (at = gateway): Promise<Answer> =>
  query(at, statementDocument, {
    variables: { id: holderOf(at.bank, 'PERSON').accounts[0], cursor },
  });

const askers: Readonly<Record<string, typeof askStatement>> = {
  companies: askProfile('COMPANY'),
  transactions: askStatement,
};
/**
 * An answer of each endpoint with a value in every field. For endpoints that are not listed here, answers of the
 * sandbox bank are added below.
 */
const answers: Record<string, string> = {
  ...{ persons: personText, companies: companyTextWith('a.b.c'), transactions: statementText },
};
const bank = await startBank();
for (const [route, { path }] of Object.entries(endpoints)) {
  const [accountId = ''] = holderOf(bank, 'PERSON').accounts;
  const url = bank.url + path.replace('{accountId}', accountId);
  const headers = { ...(await callerHeaders(bank)), 'content-type': 'application/json' };
  answers[route] ??= await (await fetch(url, { headers })).text();
}
await bank.close();

const routes = (Object.keys(endpoints) as UpstreamRoute[]).map(
  (route) => [route, answers[route] ?? '', askers[route] ?? askProfile('PERSON')] as const,
);

describe.each(routes)(
  'a field of /%s that the schema marks as non-null is null only with an error,',
  (route, text, ask) => {
    const askWith = async (...faults: FaultKind[]) => {
      gateway.bank.reset();
      for (const fault of faults) gateway.bank.addFault({ ...fault, match: { route } });
      return look(await ask());
    };

    test('if the answer is valid', async () => {
      expect(await askWith()).toEqual([]);
      expect(await askWith({ kind: 'status', status: 200, body: text })).toEqual([]);
    });

    test.each(pointersOf(JSON.parse(text)))(
      'if the answer has a wrong or missing value at "%s"',
      async (pointer) => {
        for (const change of changes) {
          const body = changeJson(text, pointer, change);
          expect(await askWith({ kind: 'status', status: 200, body })).toEqual([]);
        }
      },
    );

    const failures: readonly FaultKind[] = [
      ...[204, 301, 401, 403, 404, 422, 429, 500, 503].map(
        (status) => ({ kind: 'status', status }) as const,
      ),
      ...[
        { kind: 'status', status: 200, body: '' } as const,
        { kind: 'status', status: 200, body: '{}' } as const,
      ],
      ...[
        { kind: 'html' } as const,
        { kind: 'brokenJson' } as const,
        { kind: 'encoding' } as const,
      ],
      ...[
        { kind: 'cutBody' } as const,
        { kind: 'reset' } as const,
        { kind: 'nested', depth: 20_000 } as const,
      ],
      { kind: 'hugeBody', bytes: 4_194_305 },
    ];

    test.each(failures)('if the service has the fault %j', async (failure) => {
      expect(await askWith(failure)).toEqual([]);
    });

    test('if the operation exceeds MAX_UPSTREAM_CALLS or its deadline', async () => {
      for (const env of [{ MAX_UPSTREAM_CALLS: '2' }, { OPERATION_TIMEOUT_MS: '1' }]) {
        await using other = await startTestGateway(env, { bank: gateway.bank });
        gateway.bank.reset();
        expect(look(await ask(other))).toEqual([]);
      }
    });
  },
);

test('for an empty statement, no field that is marked as non-null is null without an error', async () => {
  gateway.bank.reset();
  gateway.bank.setStatement(holderOf(gateway.bank, 'PERSON').accounts[0] ?? '', 0);
  expect(look(await askStatement())).toEqual([]);
});

// Runs last, because it evaluates what the other tests have recorded.
test('every nullable field that is not marked as non-null can be null without an error', () => {
  const unmarked = [...nullable].filter((position) => !marked.has(position));
  expect(unmarked.filter((position) => !nullWithoutError.has(position))).toEqual([]);
  expect(marked.size).toBeGreaterThan(0);
});

const changes = [
  { remove: true } as const,
  ...[null, 7, 'wrong', true, { a: 1 }, [1], [null]].map((value) => ({ value })),
];

/** JSON pointers to all parts of a value, except the content of investmentAccount, which has no fixed shape. */
function pointersOf(value: unknown, pointer = ''): string[] {
  if (typeof value !== 'object' || value === null || pointer.endsWith('/investmentAccount'))
    return [pointer];
  const below = Object.entries(value).flatMap(([key, child]) =>
    pointersOf(child, `${pointer}/${key}`),
  );
  return [pointer, ...below];
}

/** Records the nulls without an error; returns the paths of the marked fields among them. */
function look({ status, data, errors = [] }: Answer): string[] {
  expect(status).toBe(200);
  const failed = errors.map(({ path = [] }) => path.join('.'));
  const wrong: string[] = [];
  for (const [path, position] of nullsOf(data ?? {}, 'Query')) {
    if (failed.some((other) => isWithin(other, path) || isWithin(path, other))) continue;
    nullWithoutError.add(position);
    if (marked.has(position)) wrong.push(path);
  }
  return wrong;
}

type Nulls = Generator<readonly [path: string, position: Position]>;

/** The nulls in an object of a type, at any depth. */
function* nullsOf(object: Readonly<Record<string, unknown>>, typeName: string, at = ''): Nulls {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) throw new Error(`${typeName} is not an object type`);
  for (const [key, value] of Object.entries(object)) {
    if (key === '__typename') continue;
    const field = type.getFields()[aliases[key] ?? key];
    if (field === undefined) throw new Error(`${typeName} has no ${key}`);
    yield* nullsIn(value, field, `${typeName}.${field.name}`, at === '' ? key : `${at}.${key}`);
  }
}

function* nullsIn(
  value: unknown,
  field: GraphQLField<unknown, unknown>,
  coordinate: string,
  path: string,
  level = 0,
): Nulls {
  if (value === null) {
    yield [path, positionAt(coordinate, level)];
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield* nullsIn(item, field, coordinate, `${path}.${index}`, level + 1);
    }
  } else if (typeof value === 'object' && !isLeafType(getNamedType(field.type))) {
    const object = value as Readonly<Record<string, unknown> & { __typename?: string }>;
    yield* nullsOf(object, object.__typename ?? getNamedType(field.type).name, path);
  }
}

function isWithin(path: string, other: string): boolean {
  return path === other || path.startsWith(`${other}.`);
}

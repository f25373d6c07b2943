// A wrong value affects only the fields that show it (docs/exactness.md), at every position of every answer and with
// every kind of JSON value.
import { describe, expect, test } from 'vitest';
import type { HolderSummary } from '../../src/sandbox/data/directory.ts';
import { changeJson } from '../../src/sandbox/json.ts';
import { errorsOf } from '../support/answers.ts';
import { answerWith, holderOf } from '../support/bank.ts';
import { accountFields, meFields, transactionFields } from '../support/documents.ts';
import { gatewayOfFile } from '../support/fixtures.ts';
import { companyTextWith, personText, shownAccounts } from '../support/profiles.ts';
import { type Answer, callerHeaders, query } from '../support/query.ts';
import { statementText } from '../support/statements.ts';

const gateway = await gatewayOfFile();

/** One value of each JSON type. */
const values = {
  null: null,
  'a number': 7,
  'a text': 'wrong',
  'a boolean': true,
  'an object': { a: 1 },
  'a list': [1],
};

/** The kind of a position, which determines the values that are wrong there. */
interface PlaceKind {
  /** The name of the value in `values`, besides null, that is valid there; undefined if there is none. */
  readonly right?: keyof typeof values;
  /** Whether null or a missing value is an error as well. */
  readonly isRequired?: boolean;
}

const kinds = {
  text: { right: 'a text' },
  flag: { right: 'a boolean' },
  decimal: { right: 'a number' },
  json: { right: 'an object' },
  list: { right: 'a list' },
  timestamp: {},
  status: {},
  /** An object with an id. The object in `values` is wrong here, because it has no id. */
  object: {},
  id: { right: 'a text', isRequired: true },
  /** The id of an account must be a UUID, because it becomes part of a path; the string in `values` is not a UUID. */
  accountId: { isRequired: true },
  /** An element of a list, which must not be null. */
  element: { isRequired: true },
  count: { right: 'a number', isRequired: true },
  required: { isRequired: true },
  /** A page may have fewer rows than its total counts. */
  rows: { right: 'a list', isRequired: true },
} satisfies Record<string, PlaceKind>;

/** A position in an answer, and the paths of the fields that show it. */
interface Place {
  readonly pointer: string;
  readonly kind: PlaceKind;
  readonly paths: readonly string[];
}

const place = (pointer: string, kind: keyof typeof kinds, ...paths: string[]): Place => ({
  pointer,
  kind: kinds[kind],
  paths,
});

type Values = Record<string, unknown>;

/**
 * The places of the fields of an object from the service, except `id`. Each field is shown below every path in `paths`.
 */
const fields = (pointer: string, sent: unknown, paths: readonly string[]): Place[] =>
  Object.entries(sent as Values)
    .filter(([name]) => name !== 'id')
    .map(([name, value]) =>
      place(`${pointer}/${name}`, kindOf(value), ...paths.map((path) => `${path}.${name}`)),
    );

const isTimestamp = /^\d{4}-\d\d-\d\dT/;

function kindOf(value: unknown): keyof typeof kinds {
  if (typeof value === 'boolean') return 'flag';
  if (typeof value === 'number') return 'decimal';
  if (typeof value === 'object') return 'json';
  return typeof value === 'string' && isTimestamp.test(value) ? 'timestamp' : 'text';
}

const person = JSON.parse(personText) as Values;
const holderPlaces = (pointer: string): Place[] => [
  place(pointer, 'object', 'me'),
  place(`${pointer}/id`, 'id', 'me'),
  ...fields(pointer, person['person'], ['me']),
];

/** The paths of the second account, which is also requested by its id. */
const accountPaths = ['me.accounts.1', 'accounts.1', 'account'];
const accountPlaces: readonly Place[] = [
  place('/accounts', 'list', 'me.accounts', 'accounts', 'account'),
  ...fields('/accounts/1', (person['accounts'] as unknown[])[1], accountPaths),
  place('/accounts/0', 'element', 'me.accounts.0', 'accounts.0'),
  place('/accounts/0/id', 'accountId', 'me.accounts.0', 'accounts.0'),
];

const personPlaces: readonly Place[] = [
  ...holderPlaces('/person'),
  ...accountPlaces,
  place('/individual', 'object', 'me.individual'),
  place('/individual/id', 'id', 'me.individual'),
  ...fields('/individual', person['individual'], ['me.individual']),
  place('/address', 'object', 'me.address'),
  place('/address/id', 'id', 'me.address'),
  ...fields('/address', person['address'], ['me.address']),
];

const companyPlaces: readonly Place[] = [
  ...holderPlaces('/entity'),
  ...accountPlaces,
  // No field of the schema shows these two values.
  place('/token', 'text'),
  place('/entityType', 'text'),
];

const rowPaths = ['transactions.edges.1.node', 'transactions.nodes.1'];
const signedPaths = rowPaths.map((path) => `${path}.signedAmount`);
const [, sentRow] = (JSON.parse(statementText) as { data: Values[] }).data;
const rowPlaces = fields('/data/1', sentRow, rowPaths).map((found): Place => {
  if (found.pointer === '/data/1/status') return { ...found, kind: kinds.status };
  const isSigned = /\/(?:amount|credit)$/.test(found.pointer);
  return isSigned ? { ...found, paths: [...found.paths, ...signedPaths] } : found;
});
const statementPlaces: readonly Place[] = [
  place('/data', 'rows', 'transactions'),
  place('/data/1', 'element', ...rowPaths),
  place('/data/1/id', 'id', ...rowPaths),
  ...rowPlaces,
  place('/pagination', 'required', 'transactions'),
  place('/pagination/totalItems', 'count', 'transactions'),
  place('/pagination/currentPage', 'count'),
  place('/pagination/itemsPerPage', 'count', 'transactions'),
  place('/pagination/totalPages', 'count'),
];

interface Endpoint {
  readonly text: string;
  readonly places: readonly Place[];
  readonly ask: () => Promise<Answer>;
}

const askProfile = async (kind: HolderSummary['kind']): Promise<Answer> =>
  query(
    gateway,
    `query Profile($id: ID!) {
      me { ${meFields} } accounts { ${accountFields} } account(id: $id) { ${accountFields} }
    }`,
    {
      headers: await callerHeaders(gateway.bank, holderOf(gateway.bank, kind)),
      variables: { id: shownAccounts[1]?.id },
    },
  );

// Cursors are not selected, because they depend on ids and instants.
const askStatement = async (): Promise<Answer> =>
  query(
    gateway,
    `query Statement($id: ID!) {
      transactions(accountId: $id) {
        edges { node { ${transactionFields} } } nodes { ${transactionFields} } totalCount
        pageInfo { hasNextPage hasPreviousPage }
      }
    }`,
    { variables: { id: holderOf(gateway.bank, 'PERSON').accounts[0] } },
  );

const endpoints: Readonly<Record<string, Endpoint>> = {
  persons: { text: personText, places: personPlaces, ask: () => askProfile('PERSON') },
  companies: {
    text: companyTextWith('a.b.c'),
    places: companyPlaces,
    ask: () => askProfile('COMPANY'),
  },
  transactions: { text: statementText, places: statementPlaces, ask: askStatement },
};

describe.each(Object.entries(endpoints))('the answer of /%s', (_route, { text, places, ask }) => {
  const askWith = (body: string) => {
    gateway.bank.clearFaults();
    answerWith(gateway.bank, {}, body);
    return ask();
  };

  test('is valid if unchanged, and the tests cover each of its values outside investmentAccount', async () => {
    const answer = await askWith(text);
    expect(answer.errors).toBeUndefined();
    const tried = new Set(places.map(({ pointer }) => pointer.replace(/\/\d+/, '/*')));
    const untried = pointersOf(JSON.parse(text)).filter((pointer) => !tried.has(pointer));
    expect(untried).toEqual([]);
  });

  test.each(places)(
    'with a wrong or missing value at $pointer makes only the fields with that value null',
    async ({ pointer, kind, paths }) => {
      const { data } = await askWith(text);
      const { right, isRequired = false } = kind;
      // Removing an element only makes a list shorter, which is not a wrong shape.
      if (kind !== kinds.element) {
        const answer = await askWith(changeJson(text, pointer, { remove: true }));
        expectSpoiled(answer, data, paths, isRequired, 'nothing');
      }
      for (const [name, value] of Object.entries(values)) {
        if (name === right) continue;
        const answer = await askWith(changeJson(text, pointer, { value }));
        expectSpoiled(answer, data, paths, value !== null || isRequired, name);
      }
    },
  );
});

/**
 * Expects null in exactly these fields, and all other fields unchanged. If `hasErrors`, each of these fields has an
 * error; otherwise, no field has one.
 */
function expectSpoiled(
  answer: Answer,
  data: Answer['data'],
  paths: readonly string[],
  hasErrors: boolean,
  name: string,
): void {
  expect(answer.status, name).toBe(200);
  expect(answer.data, name).toEqual(withoutValues(data, paths));
  const errors = paths.map((path) => `UPSTREAM_CONTRACT_VIOLATION at ${path}`).sort();
  expect(errorsOf(answer), name).toEqual(hasErrors ? errors : []);
}

/** A copy of the data with null at these paths. */
function withoutValues(data: Answer['data'], paths: readonly string[]): unknown {
  const copy = structuredClone(data);
  for (const path of paths) {
    const keys = path.split('.');
    const last = keys.pop() ?? '';
    const parent = keys.reduce<unknown>((value, key) => (value as Values)[key], copy);
    (parent as Values)[last] = null;
  }
  return copy;
}

/**
 * JSON pointers to all parts of a value, with `*` for each index. The content of investmentAccount is left out, because
 * it has no fixed shape.
 */
function pointersOf(value: unknown, pointer = ''): string[] {
  const own = pointer === '' ? [] : [pointer];
  if (typeof value !== 'object' || value === null || pointer.endsWith('/investmentAccount'))
    return own;
  const below = Object.entries(value).flatMap(([key, child]) =>
    pointersOf(child, `${pointer}/${Array.isArray(value) ? '*' : key}`),
  );
  return [...own, ...below];
}

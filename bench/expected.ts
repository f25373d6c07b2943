// Creates the expected answer of each workload from the service's own answers, and compares it with an actual answer,
// field by field.
import { Digits } from './exact-json.ts';
import { type Fixture, pagePath } from './fixture.ts';
import type { Dialect, WorkloadName } from './workloads.ts';

/**
 * The form of decimals. `exact`: text with the digits that were sent. `float`: a binary float, as text or as a number.
 */
export type Decimals = 'exact' | 'float';

/** A placeholder for a cursor: any non-empty text that differs from the other cursors of the connection. */
const anyCursor = Symbol('cursor');

type Fields = Readonly<Record<string, unknown>>;

interface Profile {
  readonly person: Fields;
  readonly individual: Fields;
  readonly address: Fields;
  readonly accounts: readonly Fields[];
}

interface Page {
  readonly data: readonly Fields[];
  readonly pagination: Fields;
}

/** Returns the differences between an answer and the expected one, with one line for each; empty if there are none. */
export function differences(
  actual: unknown,
  dialect: Dialect,
  workload: WorkloadName,
  fixture: Fixture,
  decimals: Decimals,
): string[] {
  const answers = dialect === 'raw' ? rawAnswers(fixture) : contractAnswers(fixture);
  return [...compare(actual, answers[workload], '', decimals), ...cursorFaults(actual)];
}

/** The expected answers in the gateway's schema; those of the REST handler are the same. */
function contractAnswers(fixture: Fixture): Record<WorkloadName, Fields> {
  const profile = profileOf(fixture);
  const me = holderOf(profile);
  const [first = ''] = fixture.accounts;
  const withSlice = (account: Fields) => ({
    ...accountOf(account),
    transactions: connectionOf(String(account['id']), 5, fixture),
  });
  return {
    profile: { me, accounts: profile.accounts.map(accountOf) },
    page: { transactions: connectionOf(first, 20, fixture) },
    nested: { me, accounts: profile.accounts.map(withSlice) },
    hundred: { transactions: connectionOf(first, 100, fixture) },
  };
}

function holderOf({ person, individual, address }: Profile): Fields {
  const birthDate = String(individual['birthDate']).slice(0, 10);
  return { ...person, individual: { ...individual, birthDate }, address };
}

function accountOf({ investmentAccount, ...account }: Fields): Fields {
  if (investmentAccount !== null) throw new Error('an account of the fixture has investments');
  return account;
}

function connectionOf(account: string, first: number, fixture: Fixture): Fields {
  const rows: Fields[] = [];
  for (let page = 0; rows.length < first; page++) rows.push(...pageOf(account, page, fixture).data);
  return {
    edges: rows.slice(0, first).map((row) => ({ cursor: anyCursor, node: transactionOf(row) })),
    totalCount: pageOf(account, 0, fixture).pagination['totalItems'],
    pageInfo: {
      hasNextPage: true,
      hasPreviousPage: false,
      startCursor: anyCursor,
      endCursor: anyCursor,
    },
  };
}

function transactionOf(row: Fields): Fields {
  const { amount, credit } = row;
  if (!(amount instanceof Digits)) throw new Error('an amount of the fixture is no number');
  return { ...row, signedAmount: new Digits(credit === true ? amount.text : `-${amount.text}`) };
}

/** The expected answers in a schema of the service's own fields, with whole pages. */
function rawAnswers(fixture: Fixture): Record<WorkloadName, Fields> {
  const profile = profileOf(fixture);
  const [first = ''] = fixture.accounts;
  const withPage = (account: Fields) => ({
    ...accountOf(account),
    statement: pageOf(String(account['id']), 0, fixture),
  });
  const pages = [0, 1, 2, 3, 4].map((page) => [`p${page}`, pageOf(first, page, fixture)] as const);
  return {
    profile: { profile: { ...profile, accounts: profile.accounts.map(accountOf) } },
    page: { statement: pageOf(first, 0, fixture) },
    nested: { profile: { ...profile, accounts: profile.accounts.map(withPage) } },
    hundred: Object.fromEntries(pages),
  };
}

function profileOf(fixture: Fixture): Profile {
  return fixture.parsed('/persons') as Profile;
}

function pageOf(account: string, page: number, fixture: Fixture): Page {
  return fixture.parsed(pagePath(account, page)) as Page;
}

function* compare(
  actual: unknown,
  expected: unknown,
  path: string,
  decimals: Decimals,
): Generator<string> {
  if (expected === anyCursor) {
    if (typeof actual !== 'string' || actual === '') yield `${path}: no cursor`;
  } else if (expected instanceof Digits) {
    if (!isNumber(actual, expected, decimals))
      yield `${path}: ${text(actual)} for ${expected.text}`;
  } else if (typeof expected === 'object' && expected !== null) {
    yield* compareParts(actual, expected, path, decimals);
  } else if (actual !== expected) {
    yield `${path}: ${text(actual)} for ${text(expected)}`;
  }
}

/** Compares two objects or lists. A key that only one of them has counts as a difference. */
function* compareParts(
  actual: unknown,
  expected: object,
  path: string,
  decimals: Decimals,
): Generator<string> {
  if (typeof actual !== 'object' || actual === null) {
    yield `${path}: ${text(actual)} for an object or a list`;
    return;
  }
  const wanted = new Map<string, unknown>(Object.entries(expected));
  const given = new Map<string, unknown>(Object.entries(actual));
  for (const key of new Set([...wanted.keys(), ...given.keys()])) {
    if (!wanted.has(key)) yield `${path}.${key}: not asked for`;
    else yield* compare(given.get(key), wanted.get(key), `${path}.${key}`, decimals);
  }
}

/**
 * Whether a number is as expected. A number in the answer is compared by its value, because counts are numbers in every
 * answer. A text must have the same digits, or only the same value if the contender has no exact decimals.
 */
function isNumber(actual: unknown, { text: digits }: Digits, decimals: Decimals): boolean {
  if (typeof actual === 'number') return actual === Number(digits);
  if (typeof actual !== 'string') return false;
  return decimals === 'exact' ? actual === digits : Number(actual) === Number(digits);
}

/** Checks connections: all cursors must differ, and startCursor and endCursor must be the first and the last cursor. */
function cursorFaults(actual: unknown): string[] {
  const faults: string[] = [];
  JSON.stringify(actual, (_key, value: unknown) => {
    if (isConnection(value)) {
      const cursors = value.edges.map(({ cursor }) => cursor);
      if (new Set(cursors).size !== cursors.length) faults.push('two edges have one cursor');
      if (value.pageInfo.startCursor !== cursors[0]) faults.push('startCursor is not the first');
      if (value.pageInfo.endCursor !== cursors.at(-1)) faults.push('endCursor is not the last');
    }
    return value;
  });
  return faults;
}

interface Connection {
  readonly edges: readonly { readonly cursor: string }[];
  readonly pageInfo: { readonly startCursor: string; readonly endCursor: string };
}

function isConnection(value: unknown): value is Connection {
  return typeof value === 'object' && value !== null && 'edges' in value && 'pageInfo' in value;
}

function text(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

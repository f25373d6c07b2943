// Concurrent callers that differ in token, tenant or both get only their own data.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Bank, startBank } from '../../src/sandbox/bank.ts';
import type { HolderSummary } from '../../src/sandbox/data/directory.ts';
import type { FaultKind } from '../../src/sandbox/faults/faults.ts';
import { errorsOf } from '../support/answers.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { byId, sha256 } from '../support/manifest.ts';
import { holds } from '../support/properties.ts';
import { type Answer, callerHeaders, codesOf, post } from '../support/query.ts';

/** A token that is used in a tenant, and the token's holder in that tenant. */
interface Caller {
  readonly holder: HolderSummary;
  /** A string that appears only in the holder's name and statement. */
  readonly mark: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A cursor of the holder's account. */
  readonly cursor: string;
}

const document = `query Mine($mine: ID!, $others: ID!, $cursor: String!, $stolen: String!) {
  me { __typename ... on AccountHolder { id name } }
  accounts { id }
  others: account(id: $others) { id }
  mine: transactions(accountId: $mine, first: 5) { totalCount nodes { id beneficiaryName } }
  next: transactions(accountId: $mine, first: 1, after: $cursor) { nodes { id } }
  theirs: transactions(accountId: $others) { totalCount }
  stolen: transactions(accountId: $mine, after: $stolen) { totalCount }
}`;

let bank: Bank;
let gateway: TestGateway;
let callers: readonly Caller[];
beforeAll(async () => {
  // With this jitter, answers may arrive in another order than their requests.
  bank = await startBank({ latencyJitterMs: 3 });
  // Tokens are verified, and the results are cached for a while.
  const verifying = { JWT_JWKS_URL: bank.keySetUrl };
  // Retries are off, because their pauses would slow the test.
  const env = { ...verifying, LOG_LEVEL: 'error', UPSTREAM_RETRIES: '0' };
  gateway = await startTestGateway(env, { bank });
  callers = (await Promise.all(addHolders().map(callersOf))).flat();
  await register();
});
afterAll(async () => {
  await gateway.close();
  await bank.close();
});

/**
 * Adds five holders: a person and, in another tenant, a company with the same id; a person in both tenants; and a
 * company.
 */
function addHolders(): HolderSummary[] {
  const [here = '', there = ''] = bank.tenants;
  const first = addHolder(3, { tenant: here });
  const second = addHolder(7, { tenant: here });
  return [
    first,
    second,
    addHolder(2, { id: first.id, tenant: there, kind: 'COMPANY' }),
    addHolder(6, { id: second.id, tenant: there }),
    addHolder(4, { tenant: here, kind: 'COMPANY' }),
  ];
}

/** Adds a holder, which is identified by its number of transactions. */
function addHolder(rows: number, who: Parameters<Bank['addHolder']>[0]): HolderSummary {
  const transactions = Array.from({ length: rows }, () => ({ beneficiaryName: markOf(rows) }));
  return bank.addHolder({ ...who, name: markOf(rows), accounts: [{ transactions }] });
}

const markOf = (rows: number) => `mark-of-number-${rows}`;

/** The Authorization header of each id and kind: two signatures of one token differ. */
const authorizations = new Map<string, Caller['headers']>();

/**
 * Two callers for one holder. Only one of the two tokens has a claim with the kind of the holder. Neither token names a
 * tenant, so both tokens are valid in every tenant.
 */
async function callersOf(holder: HolderSummary): Promise<Caller[]> {
  const common = { tenant: undefined, iat: 0, nbf: 0, exp: 4_000_000_000 };
  const kinds = [holder.kind, undefined];
  return Promise.all(
    kinds.map(async (entityType) => {
      const own = await callerHeaders(bank, holder, { ...common, entityType });
      const { authorization = own.authorization } =
        authorizations.get(`${holder.id} ${entityType}`) ?? {};
      const headers = { ...own, authorization };
      authorizations.set(`${holder.id} ${entityType}`, headers);
      return { holder, mark: holder.name, headers, cursor: await firstCursor(holder, headers) };
    }),
  );
}

async function firstCursor(holder: HolderSummary, headers: Caller['headers']): Promise<string> {
  const query = `{ transactions(accountId: "${accountOf(holder)}") { pageInfo { startCursor } } }`;
  const { data } = await post(gateway, JSON.stringify({ query }), { headers });
  const { pageInfo } = data?.['transactions'] as { pageInfo: { startCursor: string } };
  return pageInfo.startCursor;
}

const accountOf = ({ accounts }: HolderSummary) => accounts[0] ?? '';

const hash = sha256(document);

/** Registers the operation text, so that requests can name it by its hash. */
async function register(): Promise<void> {
  const [one] = callers as [Caller];
  const body = { query: document, variables: variablesOf(one, one), extensions: byId(hash) };
  expect((await post(gateway, JSON.stringify(body), { headers: one.headers })).status).toBe(200);
}

test('the tested callers include pairs that differ in token, in tenant, and in both', () => {
  const pairs = callers.flatMap((one) => callers.map((other) => [one, other] as const));
  const differ = (a: Caller, b: Caller, name: string) => a.headers[name] !== b.headers[name];
  const kinds = new Set(
    pairs.map(([a, b]) => `${differ(a, b, 'authorization')} ${differ(a, b, 'x-tenant-id')}`),
  );
  expect([...kinds].sort()).toEqual(['false false', 'false true', 'true false', 'true true']);
});

const nobodys = '00000000-0000-0000-0000-000000000000';

function variablesOf(caller: Caller, others: Caller): Readonly<Record<string, string>> {
  const isOwn = others.holder === caller.holder;
  return {
    mine: accountOf(caller.holder),
    others: isOwn ? nobodys : accountOf(others.holder),
    cursor: caller.cursor,
    stolen: isOwn ? 'stolen' : others.cursor,
  };
}

/**
 * One operation: its caller; another caller (`others`), whose account the operation tries to read; and how the
 * operation is sent. If both callers have the same holder, the operation tries to read an unknown account.
 */
interface Operation {
  readonly caller: number;
  readonly others: number;
  readonly isById: boolean;
  /** Whether the token has an invalid signature but is otherwise valid. */
  readonly isForged: boolean;
  readonly stays: boolean;
}

async function ask(operation: Operation, requestId: string): Promise<Answer | null> {
  operationsAsked.set(requestId, operation);
  const { isById, isForged, stays } = operation;
  const [caller, others] = [callerAt(operation.caller), callerAt(operation.others)];
  const body = {
    variables: variablesOf(caller, others),
    ...(isById ? { extensions: byId(hash) } : { query: document }),
  };
  const headers = {
    ...caller.headers,
    ...(isForged && { authorization: forged(caller) }),
    'x-request-id': requestId,
    accept: 'application/graphql-response+json',
  };
  const controller = new AbortController();
  const answer = post(gateway, JSON.stringify(body), { headers, signal: controller.signal });
  if (stays) return answer;
  setImmediate(() => controller.abort());
  return answer.catch(() => null);
}

function forged({ headers }: Caller): string {
  const [start = '', signature = ''] = (headers['authorization'] ?? '').split(/\.(?=[^.]+$)/);
  return `${start}.${signature.split('').reverse().join('')}`;
}

const callerAt = (index: number) => callers[index % callers.length] as Caller;

/** Expects the caller's own data, and no data of another caller. */
function expectOwn({ holder, mark }: Caller, answer: Answer): void {
  const { id, name, kind } = holder;
  const account = accountOf(holder);
  const statement = bank.statement(account);
  expect(answer.data).toEqual({
    me: { __typename: kind === 'PERSON' ? 'Person' : 'Company', id, name },
    accounts: [{ id: account }],
    others: null,
    mine: {
      totalCount: statement.length,
      nodes: statement.slice(0, 5).map((row) => ({ id: row.id, beneficiaryName: mark })),
    },
    next: { nodes: [{ id: statement[1]?.id }] },
    theirs: null,
    stolen: null,
  });
  expect(errorsOf(answer)).toEqual(['BAD_USER_INPUT at stolen', 'NOT_FOUND at theirs']);
}

const nothing = { me: null, accounts: null, others: null, mine: null, next: null, theirs: null };

function expectFailed(code: string, answer: Answer): void {
  expect(answer.data).toEqual({ ...nothing, stolen: null });
  const codes = new Map(answer.errors?.map(({ path, extensions }) => [path?.[0], extensions.code]));
  expect(codes.get('stolen')).toBe('BAD_USER_INPUT');
  // Faults that only change the body leave the 404 of another holder's account unchanged.
  expect([code, 'NOT_FOUND']).toContain(codes.get('theirs'));
  for (const field of ['me', 'accounts', 'others', 'mine', 'next']) {
    expect([field, codes.get(field)]).toEqual([field, code]);
  }
}

function expectNothingOfOthers({ holder, mark }: Caller, { headers, text }: Answer): void {
  const shown = text + JSON.stringify([...headers]);
  for (const other of callers) {
    if (other.holder === holder) continue;
    const isElsewhere = other.holder.id === holder.id;
    const texts = [other.mark, accountOf(other.holder), other.cursor];
    for (const theirs of isElsewhere ? texts : [...texts, other.holder.id]) {
      expect(shown.includes(theirs), `${theirs} for ${mark}`).toBe(false);
    }
  }
}

/** Operations by request id. Calls of aborted operations may reach the service during the next case. */
const operationsAsked = new Map<string, Operation>();

/**
 * Expects that every call to the service had the token and the tenant of its own caller, and that no forged token
 * reached the service.
 */
function expectOwnCalls(): void {
  for (const { headers } of bank.calls()) {
    const operation = operationsAsked.get(String(headers['x-request-id']));
    if (operation === undefined) throw new Error('a call for nobody');
    expect(operation.isForged).toBe(false);
    expect(headers).toMatchObject(callerAt(operation.caller).headers);
  }
}

/** The faults that affect one holder, each with the error code that it causes. */
const failures: readonly [FaultKind, string][] = [
  [{ kind: 'status', status: 401 }, 'UNAUTHENTICATED'],
  [{ kind: 'status', status: 403 }, 'FORBIDDEN'],
  [{ kind: 'status', status: 422 }, 'UPSTREAM_REJECTED'],
  [{ kind: 'status', status: 429, retryAfter: 9 }, 'RATE_LIMITED'],
  [{ kind: 'status', status: 500 }, 'UPSTREAM_UNAVAILABLE'],
  [{ kind: 'reset' }, 'UPSTREAM_UNAVAILABLE'],
  [{ kind: 'cutBody' }, 'UPSTREAM_UNAVAILABLE'],
  [{ kind: 'redirect' }, 'UPSTREAM_REJECTED'],
  [{ kind: 'html' }, 'UPSTREAM_CONTRACT_VIOLATION'],
  [{ kind: 'brokenJson' }, 'UPSTREAM_CONTRACT_VIOLATION'],
  [{ kind: 'encoding' }, 'UPSTREAM_CONTRACT_VIOLATION'],
  [{ kind: 'nested', depth: 5000 }, 'UPSTREAM_CONTRACT_VIOLATION'],
];

const operation: fc.Arbitrary<Operation> = fc.record({
  caller: fc.nat(),
  others: fc.nat(),
  isById: fc.boolean(),
  isForged: fc.integer({ min: 0, max: 7 }).map((n) => n === 0),
  stays: fc.integer({ min: 0, max: 3 }).map((n) => n > 0),
});
const crowd = fc.record({
  operations: fc.array(operation, { minLength: 2, maxLength: 8 }),
  /** The holder whose requests fail, and the fault. */
  failed: fc.option(fc.record({ caller: fc.nat(), how: fc.nat(failures.length - 1) })),
});

test('every concurrent caller gets only its own data, even if the requests of others fail or are aborted', () =>
  holds(crowd, async ({ operations, failed }) => {
    bank.clearFaults();
    bank.resetCalls();
    const victim = failed && callerAt(failed.caller).holder;
    const [fault, code] = (failed && failures[failed.how]) ?? [];
    if (victim && fault) {
      bank.addFault({ ...fault, match: { holderId: victim.id, tenant: victim.tenant } });
    }
    const requestIds = operations.map((_, i) => `request-${operationsAsked.size + i}`);
    const answers = await Promise.all(operations.map((one, i) => ask(one, requestIds[i] ?? '')));
    answers.forEach((answer, i) => {
      if (answer === null) return;
      const { caller: index, isForged } = operations[i] as Operation;
      const caller = callerAt(index);
      expect(answer.headers.get('x-request-id')).toBe(requestIds[i]);
      expectNothingOfOthers(caller, answer);
      if (isForged) expect([answer.status, ...codesOf(answer)]).toEqual([401, 'UNAUTHENTICATED']);
      else if (caller.holder === victim && code !== undefined) expectFailed(code, answer);
      else expectOwn(caller, answer);
    });
    expectOwnCalls();
    expect(gateway.log).toEqual([]);
  }));

// Whoever asks at the same time gets its own answer: callers that differ in token, in tenant, or in both.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { HolderSummary } from '../../src/sandbox/directory.ts';
import type { FaultKind } from '../../src/sandbox/faults.ts';
import { errorsOf } from '../support/answers.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { holds } from '../support/properties.ts';
import { type Answer, callerHeaders, query } from '../support/query.ts';

/** Who asks: a token in a tenant, and the holder that it is there. */
interface Caller {
  readonly holder: HolderSummary;
  readonly headers: Readonly<Record<string, string>>;
}

let gateway: TestGateway;
let callers: readonly Caller[];
beforeAll(async () => {
  // Answers come in another order than they were asked for.
  gateway = await startTestGateway({}, { bank: { latencyJitterMs: 3 } });
  const { bank } = gateway;
  const [one = '', other = ''] = bank.tenants;
  const person = bank.addHolder({ tenant: one, accounts: [{ transactions: 3 }] });
  bank.addHolder({
    id: person.id,
    tenant: other,
    kind: 'COMPANY',
    accounts: [{ transactions: 2 }],
  });
  callers = (await Promise.all(bank.holders.map(callersOf))).flat();
});
afterAll(() => gateway.close());

/** A holder with a token that says its kind, and with one that does not; neither says its tenant: one token for all. */
async function callersOf(holder: HolderSummary): Promise<Caller[]> {
  const common = { tenant: undefined, iat: 0, nbf: 0, exp: 4_000_000_000 };
  const plain = await callerHeaders(gateway.bank, holder, { ...common, entityType: holder.kind });
  const kindless = await callerHeaders(gateway.bank, holder, { ...common, entityType: undefined });
  return [plain, kindless].map((headers) => ({ holder, headers }));
}

test('the callers of this file are such that differ in token only, in tenant only, and in both', () => {
  const pairs = callers.flatMap((one) => callers.map((other) => [one, other] as const));
  const differ = (a: Caller, b: Caller, name: string) => a.headers[name] !== b.headers[name];
  const kinds = new Set(
    pairs.map(([a, b]) => `${differ(a, b, 'authorization')} ${differ(a, b, 'x-tenant-id')}`),
  );
  expect([...kinds].sort()).toEqual(['false false', 'false true', 'true false', 'true true']);
});

const document = `query Mine($mine: ID!, $others: ID!) {
  me { __typename ... on AccountHolder { id name } }
  accounts { id }
  others: account(id: $others) { id }
  mine: transactions(accountId: $mine, first: 5) { totalCount nodes { id } }
  theirs: transactions(accountId: $others) { totalCount }
}`;

const nobodys = '00000000-0000-0000-0000-000000000000';

const askAs = ({ holder, headers }: Caller, others: Caller, signal?: AbortSignal) => {
  const variables = {
    mine: holder.accounts[0] ?? nobodys,
    others: others.holder === holder ? nobodys : (others.holder.accounts[0] ?? nobodys),
  };
  return query(gateway, document, { headers, variables, ...(signal && { signal }) });
};

/** Its own data, and nothing of what is another's. */
function expectOwn({ holder }: Caller, answer: Answer): void {
  const { id, name, kind, accounts } = holder;
  const [first] = accounts;
  const statement = first === undefined ? null : gateway.bank.statement(first);
  expect(answer.data).toEqual({
    me: { __typename: kind === 'PERSON' ? 'Person' : 'Company', id, name },
    accounts: accounts.map((account) => ({ id: account })),
    others: null,
    mine: statement && {
      totalCount: statement.length,
      nodes: statement.slice(0, 5).map((row) => ({ id: row.id })),
    },
    theirs: null,
  });
  const missing = ['NOT_FOUND at theirs', ...(statement === null ? ['NOT_FOUND at mine'] : [])];
  expect(errorsOf(answer)).toEqual(missing.sort());
}

function expectRefused(code: string, answer: Answer): void {
  expect(answer.data).toEqual({ me: null, accounts: null, others: null, mine: null, theirs: null });
  expect(new Set(answer.errors?.map(({ extensions }) => extensions.code))).toEqual(new Set([code]));
}

// What a service tells one caller. That it is down, it tells all: then a gateway may well spare it the others.
const refusals: readonly [FaultKind, string][] = [
  [{ kind: 'status', status: 401 }, 'UNAUTHENTICATED'],
  [{ kind: 'status', status: 403 }, 'FORBIDDEN'],
  [{ kind: 'status', status: 422 }, 'UPSTREAM_REJECTED'],
  [{ kind: 'status', status: 429, retryAfter: 9 }, 'RATE_LIMITED'],
  [{ kind: 'html' }, 'UPSTREAM_CONTRACT_VIOLATION'],
];

/** One operation: who asks, after whose account, and whether it stays for the answer. */
const operation = fc.record({ caller: fc.nat(), others: fc.nat(), stays: fc.boolean() });
const crowd = fc.record({
  operations: fc.array(operation, { minLength: 2, maxLength: 8 }),
  /** A holder in a tenant that the service refuses, and how. */
  refused: fc.option(fc.record({ caller: fc.nat(), how: fc.nat(refusals.length - 1) })),
});

const callerAt = (index: number) => callers[index % callers.length] as Caller;

test('each of a crowd gets its own answer, whatever the others get', () =>
  holds(crowd, async ({ operations, refused }) => {
    const { bank } = gateway;
    bank.clearFaults();
    const victim = refused && callerAt(refused.caller).holder;
    const [fault, code] = (refused && refusals[refused.how]) ?? [];
    if (victim && fault) {
      bank.addFault({ ...fault, match: { holderId: victim.id, tenant: victim.tenant } });
    }
    const asked = operations.map(async ({ caller, others, stays }) => {
      const controller = new AbortController();
      const answer = askAs(callerAt(caller), callerAt(others), controller.signal);
      if (!stays) setImmediate(() => controller.abort());
      return stays ? answer : answer.catch(() => null);
    });
    const answers = await Promise.all(asked);
    answers.forEach((answer, index) => {
      if (answer === null) return;
      const caller = callerAt(operations[index]?.caller ?? 0);
      if (caller.holder === victim && code !== undefined) expectRefused(code, answer);
      else expectOwn(caller, answer);
    });
  }));

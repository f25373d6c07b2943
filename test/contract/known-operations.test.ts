// A repeated operation bypasses Apollo Server. Clients must not see a difference, and the log line must differ only in
// request id, times, executor and fallback reason.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { byId, listed, manifestOf, newFolder, put, sha256 } from '../support/manifest.ts';
import {
  type Answer,
  callerHeaders,
  codesOf,
  post,
  query,
  type Question,
} from '../support/query.ts';
import { targetsOf } from '../support/bank.ts';

const document =
  'query Both($on: Boolean = true) { me { __typename } accounts { id bank @include(if: $on) } }';
const nested = 'query Nested { accounts { transactions(first: 1) { nodes { id } } } }';

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startTestGateway({ EXECUTOR: 'compiled', RATE_LIMIT_PER_MINUTE: '100' });
  return () => gateway.close();
});

const ask = (question?: Question) => query(gateway, document, question);

async function byHash(id: string, text = document): Promise<Answer> {
  const body = JSON.stringify({ extensions: byId(sha256(text)) });
  return post(gateway, body, {
    headers: { ...(await callerHeaders(gateway.bank)), 'x-request-id': id },
  });
}

/** The status, data and errors of an answer, and the headers that do not differ between requests. */
function seen({ status, headers, data, errors }: Answer): unknown {
  const shown = [...headers].filter(
    ([name]) => !/^(?:date|x-request-id|content-length)$/.test(name),
  );
  return { status, headers: shown, data, errors };
}

describe('a repeated operation', () => {
  test('has the same answer and calls as the first time, and lists its calls in extensions.upstream', async () => {
    const first = await ask();
    const calls = targetsOf(gateway.bank);
    gateway.bank.resetCalls();
    const second = await ask();
    expect(seen(second)).toEqual(seen(first));
    expect(targetsOf(gateway.bank)).toEqual(calls);
    expect(second.text).toMatch(/"extensions":\{"upstream":\[\{"route":"persons"/);
  });

  test('has the same log line as the first time, except for request id, times, executor and fallback reason', async () => {
    await ask({ headers: { 'x-request-id': 'one' } });
    await ask({ headers: { 'x-request-id': 'two' } });
    const [one, two] = gateway.log.filter(
      ({ requestId }) => requestId === 'one' || requestId === 'two',
    );
    const same = { time: expect.any(Number) as number, durationMs: expect.any(Number) as number };
    const another = { executor: 'compiled', fallback: null };
    expect({ ...two, ...same, requestId: 'one' }).toEqual({ ...one, ...same, ...another });
    expect(one).toMatchObject({ operationName: 'Both', status: 200 });
  });

  test('uses the variables and operationName of its own request', async () => {
    await ask();
    const without = await ask({ variables: { on: false } });
    expect(without.text).not.toContain('"bank"');
    expect((await ask({ variables: { on: true } })).text).toContain('"bank"');
    expect(codesOf(await ask({ variables: { on: 'no' } }))).toEqual(['BAD_USER_INPUT']);
    expect(codesOf(await ask({ variables: [] as never }))).toEqual(['BAD_REQUEST']);
    expect((await ask({ operationName: 'Both' })).errors).toBeUndefined();
    expect(codesOf(await ask({ operationName: 'Other' }))).toEqual(['GRAPHQL_VALIDATION_FAILED']);
    expect(codesOf(await ask({ operationName: 7 as never }))).toEqual(['BAD_REQUEST']);
  });

  test('still requires a caller', async () => {
    await ask();
    gateway.bank.resetCalls();
    const refused = await ask({ headers: { authorization: 'Bearer x' } });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    expect(codesOf(await ask({ headers: { 'x-tenant-id': '' } }))).toEqual(['TENANT_REQUIRED']);
    expect(targetsOf(gateway.bank)).toEqual([]);
  });

  test('has the right error path if a call fails, and no call is repeated', async () => {
    expect((await query(gateway, nested)).errors).toBeUndefined();
    const all = targetsOf(gateway.bank);
    const [accountId = ''] = gateway.bank.holders[0]?.accounts ?? [];
    gateway.bank.addFault({ kind: 'status', status: 403, match: { accountId } });
    gateway.bank.resetCalls();
    const { errors, data } = await query(gateway, nested);
    expect(errors).toMatchObject([
      { path: ['accounts', 0, 'transactions'], extensions: { code: 'FORBIDDEN' } },
    ]);
    expect(data).toMatchObject({ accounts: [{ transactions: null }, {}, {}, {}] });
    expect(targetsOf(gateway.bank).sort()).toEqual(all.sort());
  });
});

test('an operation that fails counts only once towards the rate limit', async () => {
  await using limited = await startTestGateway(
    { EXECUTOR: 'compiled', RATE_LIMIT_PER_MINUTE: '4' },
    { bank: gateway.bank },
  );
  const one = () => query(limited, nested);
  expect((await one()).errors).toBeUndefined();
  gateway.bank.addFault({ kind: 'status', status: 403, match: { route: 'transactions' } });
  expect(new Set(codesOf(await one()))).toEqual(new Set(['FORBIDDEN']));
  expect(new Set(codesOf(await one()))).toEqual(new Set(['FORBIDDEN']));
  gateway.bank.clearFaults();
  expect((await one()).errors).toBeUndefined();
  expect(codesOf(await one())).toEqual(['RATE_LIMITED']);
});

test('a hash selects only the operation text that was registered with it', async () => {
  expect(codesOf(await byHash('a'))).toEqual(['PERSISTED_QUERY_NOT_FOUND']);
  await ask();
  expect(codesOf(await byHash('b'))).toEqual(['PERSISTED_QUERY_NOT_FOUND']);
  const stored = await ask({ extensions: byId(sha256(document)) });
  const first = await byHash('c');
  const second = await byHash('d');
  expect(seen(first)).toEqual(seen(stored));
  expect(seen(second)).toEqual(seen(stored));
  expect(codesOf(await ask({ extensions: byId(sha256(nested)) }))).toEqual(['BAD_REQUEST']);
});

describe('a manifest with OPERATIONS_ONLY', () => {
  let folder: string;
  let only: TestGateway;
  beforeEach(async () => {
    folder = newFolder();
    const path = put(folder, manifestOf(listed('Both', document, 'both')));
    const env = { EXECUTOR: 'compiled', OPERATIONS_MANIFEST: path, OPERATIONS_ONLY: 'on' };
    only = await startTestGateway(env, { bank: gateway.bank });
  });
  afterEach(() => only.close());

  test('allows its operations by their ids, and no other operations', async () => {
    const headers = await callerHeaders(gateway.bank);
    const listedById = () => post(only, JSON.stringify({ extensions: byId('both') }), { headers });
    expect((await listedById()).data).toMatchObject({ me: { __typename: 'Person' } });
    expect(seen(await listedById())).toEqual(seen(await listedById()));
    expect(codesOf(await query(only, nested))).toEqual(['PERSISTED_QUERY_REQUIRED']);
  });
});

// The metrics of the process, of operations, of the service, of shifts in statements, of unexpected answers and of
// Redis.
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { holderOf } from '../support/bank.ts';
import { type Exposition, scrape } from '../support/exposition.ts';
import { bankOfFile, gatewayOfTest } from '../support/fixtures.ts';
import { type TestGateway } from '../support/gateway.ts';
import { listed, manifestOf, newFolder, put } from '../support/manifest.ts';
import { ask, codesOf, post, query } from '../support/query.ts';

const bank = await bankOfFile();

/** Starts a new gateway, so that all counters start at 0. */
async function start(env: Readonly<Record<string, string>> = {}): Promise<TestGateway> {
  return gatewayOfTest(env, { bank });
}

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await start();
});

/** The id of Ana's account with 95 transactions. */
function accountId(): string {
  return holderOf(bank, 'PERSON').accounts[0] ?? '';
}

const sliceDocument = `query Slice($id: ID!, $first: Int, $after: String) {
  transactions(accountId: $id, first: $first, after: $after) {
    edges { node { id status } }
    pageInfo { endCursor }
  }
}`;

/** Requests a slice. Returns its endCursor, or null if the slice failed. */
async function slice(first: number, after: string | null = null): Promise<string | null> {
  const variables = { id: accountId(), first, after };
  const { data } = await query(gateway, sliceDocument, { variables });
  const connection = data?.['transactions'] as { pageInfo: { endCursor: string } } | null;
  return connection?.pageInfo.endCursor ?? null;
}

/** Counts of operations that are not 0, keyed by `code status`. */
function operationsOf({ samples }: Exposition): Record<string, number> {
  return Object.fromEntries(
    samples
      .filter(({ name, value }) => name === 'account_bff_operations_total' && value !== 0)
      .map(({ labels, value }) => [`${labels['code'] ?? ''} ${labels['status'] ?? ''}`, value]),
  );
}

describe('/metrics', () => {
  test('is served in the Prometheus text format, on the admin listener only', async () => {
    const answer = await ask(`${gateway.adminUrl}/metrics`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect((await ask(`${gateway.url}/metrics`)).status).toBe(404);
    expect((await ask(`${gateway.adminUrl}/metrics`, { method: 'POST' })).status).toBe(405);
  });

  test('includes build information and process metrics', async () => {
    const { total } = await scrape(gateway);
    expect(total('account_bff_build_info', { node: process.version })).toBe(1);
    expect(total('process_resident_memory_bytes')).toBeGreaterThan(0);
    expect(total('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0);
  });
});

describe('the metrics of operations', () => {
  test('count each operation by its error code or OK, even with HTTP status 200', async () => {
    await query(gateway, '{ me { __typename } }');
    await query(gateway, '{ __typename }');
    await query(gateway, '{ account(id: "1") { id } }');
    await query(gateway, '{ nonsense }');
    await query(gateway, '{ me { __typename } }', { headers: { authorization: '' } });
    await post(gateway, '[]');
    expect(operationsOf(await scrape(gateway))).toEqual({
      'OK 200': 2,
      'BAD_USER_INPUT 200': 1,
      'GRAPHQL_VALIDATION_FAILED 200': 1,
      'UNAUTHENTICATED 401': 1,
      'BAD_REQUEST 400': 1,
    });
  });

  test('are 0 for defects at first, so that Prometheus sees the first one as an increase', async () => {
    const { samples } = await scrape(gateway);
    const defects = samples.filter(({ labels }) => labels['code'] === 'INTERNAL_SERVER_ERROR');
    expect(defects.map(({ labels, value }) => [labels['status'], value])).toEqual([
      ['200', 0],
      ['500', 0],
    ]);
  });

  test('count an operation with several errors once, under the most severe code', async () => {
    bank.addFault({ kind: 'status', status: 500 });
    const document = '{ account(id: "1") { id } me { __typename } }';
    expect(codesOf(await query(gateway, document))).toContain('BAD_USER_INPUT');
    expect(operationsOf(await scrape(gateway))).toEqual({ 'UPSTREAM_UNAVAILABLE 200': 1 });
  });

  test('count a request even if it is rejected before Apollo Server receives it', async () => {
    const search = `?query=${encodeURIComponent('{__typename}')}`;
    expect((await ask(`${gateway.url}/graphql${search}`)).status).toBe(400);
    expect(operationsOf(await scrape(gateway))).toEqual({ 'BAD_REQUEST 400': 1 });
  });

  test('count neither preflights nor requests for the page of Apollo Sandbox', async () => {
    await ask(`${gateway.url}/graphql`, { method: 'OPTIONS' });
    await ask(`${gateway.url}/graphql`, { headers: { accept: 'text/html' } });
    const exposition = await scrape(gateway);
    expect(operationsOf(exposition)).toEqual({});
    expect(exposition.total('account_bff_operations_under_way')).toBe(0);
  });

  test('count an operation in progress, and count it under CLIENT_GONE if the client disconnects', async () => {
    bank.addFault({ kind: 'hang' });
    const leaving = new AbortController();
    const answer = query(gateway, '{ me { __typename } }', { signal: leaving.signal });
    await bank.waitForCall(() => true);
    expect((await scrape(gateway)).total('account_bff_operations_under_way')).toBe(1);
    leaving.abort();
    await expect(answer).rejects.toThrow();
    await bank.waitForCall((call) => call.outcome === 'aborted');
    // The bank may notice the disconnect before the gateway updates its counters. By the end of this query, the
    // counters are up to date.
    await query(gateway, '{ __typename }');
    const exposition = await scrape(gateway);
    expect(exposition.total('account_bff_operations_under_way')).toBe(0);
    expect(operationsOf(exposition)).toEqual({ 'CLIENT_GONE none': 1, 'OK 200': 1 });
  });

  test('include histograms of the duration and the number of calls', async () => {
    await query(gateway, '{ __typename }');
    await slice(100);
    const { total } = await scrape(gateway);
    expect(total('account_bff_operation_duration_seconds_count')).toBe(2);
    expect(total('account_bff_operation_upstream_calls_sum')).toBe(5);
    expect(total('account_bff_operation_upstream_calls_bucket', { le: '0' })).toBe(1);
    expect(total('account_bff_operation_upstream_calls_bucket', { le: '3' })).toBe(1);
    expect(total('account_bff_operation_upstream_calls_bucket', { le: '5' })).toBe(2);
  });

  test('include the duration of each operation of the manifest by its name, up to 200 names, and of all others as one', async () => {
    const texts = Array.from({ length: 201 }, (_, k) => `query Listed${k} { __typename }`);
    const entries = texts.map((text, k) => listed(`Listed${k}`, text));
    gateway = await start({ OPERATIONS_MANIFEST: put(newFolder(), manifestOf(...entries)) });
    for (const text of ['query Invented { __typename }', '{ __typename }', '{', ...texts]) {
      await query(gateway, text);
    }
    const { total } = await scrape(gateway);
    const counted = (operation: string) =>
      total('account_bff_operation_duration_seconds_count', { operation });
    const names = ['Listed0', 'Listed199', 'Listed200', 'Invented', 'other'];
    expect(names.map(counted)).toEqual([1, 1, 0, 0, 4]);
  });

  test("distinguish the gateway's rate limit from the service's", async () => {
    gateway = await start({ RATE_LIMIT_PER_MINUTE: '1' });
    bank.addFault({ kind: 'status', status: 429, times: 1 });
    for (let k = 0; k < 2; k++) await query(gateway, '{ me { __typename } }');
    expect(operationsOf(await scrape(gateway))).toEqual({
      'RATE_LIMITED 200': 1,
      'RATE_LIMITED 429': 1,
    });
  });
});

describe('the metrics of the service', () => {
  const exchanges = 'account_bff_upstream_exchange_duration_seconds_count';

  test.each([
    [{ kind: 'status', status: 500 }, 'failed'],
    [{ kind: 'status', status: 404 }, 'rejected'],
    [{ kind: 'reset' }, 'unreachable'],
    [{ kind: 'html' }, 'violation'],
  ] as const)('count exchanges by route and outcome: %o as %s', async (fault, outcome) => {
    bank.addFault({ ...fault, match: { route: 'persons' }, times: 1 });
    await query(gateway, '{ me { __typename } }');
    await slice(1);
    const { total } = await scrape(gateway);
    expect(total(exchanges, { route: 'persons', outcome })).toBe(1);
    expect(total(exchanges, { route: 'transactions', outcome: 'ok' })).toBe(1);
    expect(total('account_bff_upstream_retries_total')).toBe(outcome === 'unreachable' ? 1 : 0);
  });

  test('include open circuits and the calls that they reject', async () => {
    const breaker = 'account_bff_upstream_breaker_state';
    const atFirst = await scrape(gateway);
    const routes = atFirst.total(breaker);
    expect(routes).toBeGreaterThanOrEqual(3);
    expect(atFirst.total(breaker, { state: 'closed' })).toBe(routes);
    await bank.goOffline();
    onTestFinished(() => bank.goOnline());
    const refused = { reason: 'circuit_open', route: 'persons' };
    let exposition = await scrape(gateway);
    while (exposition.total('account_bff_upstream_refused_calls_total', refused) === 0) {
      await query(gateway, '{ me { __typename } }');
      exposition = await scrape(gateway);
    }
    expect(exposition.total(breaker, { route: 'persons', state: 'closed' })).toBe(0);
    expect(exposition.total(breaker, { route: 'transactions', state: 'closed' })).toBe(1);
    expect(exposition.total(breaker)).toBe(routes);
  });
});

describe('the metrics of statements', () => {
  const slices = 'account_bff_statement_slices_total';

  test('count a slice as "still" if its statement has not changed', async () => {
    await slice(20, await slice(20));
    const { total } = await scrape(gateway);
    expect(total(slices, { outcome: 'still' })).toBe(2);
    expect(total(slices)).toBe(2);
  });

  test('count a slice as "shifted" if rows have moved since its cursor was issued or during its reads', async () => {
    const cursor = await slice(20);
    bank.arrive(accountId(), 3);
    await slice(20, cursor);
    // With three removals, the total is the same as before the three arrivals, although rows have moved.
    bank.remove(accountId(), { index: 50, count: 3 });
    await slice(20, cursor);
    bank.remove(accountId(), { index: 0 });
    bank.arrive(accountId());
    bank.onStatementRead({ accountId: accountId(), arrivals: 1, timing: 'after', times: 2 });
    await slice(100);
    const { total } = await scrape(gateway);
    expect(total(slices, { outcome: 'still' })).toBe(1);
    expect(total(slices, { outcome: 'shifted' })).toBe(3);
    expect(total(slices)).toBe(4);
  });

  test('count a failed slice by its cause: an expired cursor, contradictory pages, or a failed call', async () => {
    bank.setStatement(accountId(), 95, { tieSizes: [95] });
    const cursor = await slice(61);
    bank.remove(accountId(), { index: 20, count: 60 });
    await slice(20, cursor);
    bank.configure({ wrongPage: 3 });
    await slice(20);
    bank.addFault({ kind: 'status', status: 500, times: 1 });
    await slice(20);
    const { total } = await scrape(gateway);
    const outcomes = ['still', 'expired', 'violation', 'failed'];
    expect(outcomes.map((outcome) => total(slices, { outcome }))).toEqual([1, 1, 1, 1]);
    expect(total(slices, { outcome: 'expired', reason: 'ties' })).toBe(1);
  });
});

describe('the metrics of unexpected answers', () => {
  const violations = 'account_bff_contract_violations_total';

  test('count violations by JSON pointer without list indices, even in fields that are not selected', async () => {
    const spoiled = (id: string) => ({
      json: `{"id": "${id}", "amount": "1", "credit": 1, "status": "NEW"}`,
    });
    bank.setStatement(accountId(), [spoiled('a'), {}, spoiled('b')]);
    await slice(20);
    const { samples } = await scrape(gateway);
    const counted = samples.filter(({ name, value }) => name === violations && value > 0);
    expect(counted.map(({ labels, value }) => [labels['pointer'], value])).toEqual([
      ['/data/*/amount', 2],
      ['/data/*/status', 2],
      ['/data/*/credit', 2],
    ]);
  });

  test.each([
    ['/person', '/person'],
    ['/person/id', '/person/id'],
    ['/person/status', '/person/status'],
    ['/individual/birthDate', '/individual/birthDate'],
    ['/address/zipCode', '/address/zipCode'],
    ['/accounts', '/accounts'],
    ['/accounts/1', '/accounts/*'],
    ['/accounts/1/id', '/accounts/*/id'],
    ['/accounts/1/status', '/accounts/*/status'],
    ['/accounts/0/investmentAccount', '/accounts/*/investmentAccount'],
    ['', '(answer)'],
  ])('count a violation at %j in a profile under the label %j', async (pointer, label) => {
    bank.addFault({ kind: 'wrongShape', pointer, value: 7 });
    await query(gateway, '{ me { __typename } }');
    expect((await scrape(gateway)).total(violations, { pointer: label })).toBe(1);
  });

  test.each([
    ['/data', '/data'],
    ['/data/0', '/data/*'],
    ['/data/0/type', '/data/*/type'],
    ['/data/0/createdAt', '/data/*/createdAt'],
    ['/pagination', '/pagination'],
    ['/pagination/totalItems', '/pagination/totalItems'],
  ])('count a violation at %j in a page under the label %j', async (pointer, label) => {
    bank.addFault({ kind: 'wrongShape', pointer, value: true });
    await slice(20);
    expect((await scrape(gateway)).total(violations, { pointer: label })).toBe(1);
  });

  test('count an answer that is not JSON as a violation of the whole answer', async () => {
    bank.addFault({ kind: 'html' });
    await slice(20);
    expect((await scrape(gateway)).total(violations, { pointer: '(answer)' })).toBe(1);
  });

  test('count each new value of an open set once; the log shows the value only if it looks like a constant', async () => {
    bank.arrive(accountId(), 2, { type: 'CRYPTO', category: 'Para Maria' });
    for (let k = 0; k < 2; k++) await slice(20);
    const { total, text } = await scrape(gateway);
    const newValues = 'account_bff_open_set_new_values_total';
    expect(total(newValues, { field: 'transaction.type' })).toBe(1);
    expect(total(newValues, { field: 'transaction.category' })).toBe(1);
    expect(total(newValues)).toBe(2);
    expect(text).not.toMatch(/CRYPTO|Maria/);
    const lines = gateway.log.filter(
      ({ msg }) => msg === 'an undocumented value was seen for the first time',
    );
    expect(lines).toHaveLength(2);
    expect(lines).toContainEqual(
      expect.objectContaining({ field: 'transaction.type', value: 'CRYPTO' }),
    );
    expect(JSON.stringify(lines)).not.toContain('Maria');
  });
});

test('the metrics count failed Redis commands', async () => {
  gateway = await start({ REDIS_URL: 'redis://127.0.0.1:1', RATE_LIMIT_PER_MINUTE: '9' });
  await query(gateway, '{ me { __typename } }');
  expect((await scrape(gateway)).total('account_bff_redis_failures_total')).toBeGreaterThan(0);
});

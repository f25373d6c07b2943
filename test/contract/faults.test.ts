// A failing service (docs/errors.md): codes, retries, deadlines, disconnects, and redirects; also the headers of a
// call.
import type { ServerResponse } from 'node:http';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { HolderSummary } from '../../src/sandbox/data/directory.ts';
import type { FaultKind } from '../../src/sandbox/faults/faults.ts';
import { errorsOf } from '../support/answers.ts';
import { holderOf, pagesOf, targetsOf } from '../support/bank.ts';
import { bankOfFile, gatewayOfTest } from '../support/fixtures.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { type Answer, ask, callerHeaders, query } from '../support/query.ts';
import { serve } from '../unit/upstream/server.ts';

const bank = await bankOfFile();

/**
 * Starts a new gateway. Tests do not share gateways, because a gateway's circuit and retry budget depend on earlier
 * failures.
 */
async function start(env: Readonly<Record<string, string>> = {}): Promise<TestGateway> {
  return gatewayOfTest({ UPSTREAM_TIMEOUT_MS: '2000', ...env }, { bank });
}

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await start();
  // Reads a page successfully first. Before that, a gateway treats a rejection as a possible sign of a wrong
  // UPSTREAM_PAGE_BASE.
  expect((await askAll(gateway)).errors).toBeUndefined();
  bank.resetCalls();
});

type Kind = HolderSummary['kind'];

/**
 * Requests every root field on behalf of a person or a company, and returns the answer. Expects that no secret is
 * exposed.
 */
async function askAll(at: TestGateway, kind: Kind = 'PERSON'): Promise<Answer> {
  const holder = holderOf(bank, kind);
  const headers = await callerHeaders(bank, holder);
  const document = `query All($id: ID!) {
    me { __typename } accounts { id } account(id: $id) { id } transactions(accountId: $id) { totalCount }
    _entities(representations: [{ __typename: "Account", id: $id }]) { __typename } _service { __typename } __typename
  }`;
  const answer = await query(at, document, { headers, variables: { id: holder.accounts[0] } });
  const shown = answer.text + JSON.stringify([...answer.headers]);
  const token = headers.authorization.slice('Bearer '.length);
  for (const secret of [bank.secretMark, token, new URL(bank.url).host])
    expect(shown).not.toContain(secret);
  for (const secret of [bank.secretMark, token])
    expect(JSON.stringify(at.log)).not.toContain(secret);
  return answer;
}

/** The fields that need the profile, given as the paths of their errors. */
const profileFields = ['_entities.0', 'account', 'accounts', 'me'];

/** Expects errors with the code for the fields that need `route`, and values for all others. */
function expectFailed(kind: Kind, answer: Answer, route: string, code: string) {
  const { accounts } = holderOf(bank, kind);
  const profile = {
    me: { __typename: kind === 'PERSON' ? 'Person' : 'Company' },
    accounts: accounts.map((account) => ({ id: account })),
    account: { id: accounts[0] },
    _entities: [{ __typename: 'Account' }],
  };
  const noProfile = { me: null, accounts: null, account: null, _entities: [null] };
  const isProfile = route !== 'transactions';
  const transactions = { totalCount: bank.statement(accounts[0] ?? '').length };
  expect(answer.status).toBe(200);
  expect(answer.data).toEqual({
    ...(isProfile ? noProfile : profile),
    transactions: isProfile ? transactions : null,
    _service: { __typename: '_Service' },
    __typename: 'Query',
  });
  const failed = isProfile ? profileFields : ['transactions'];
  expect(errorsOf(answer)).toEqual(failed.map((field) => `${code} at ${field}`));
}

/** Waits up to two seconds until no request is open at the bank. */
const nothingUnderWay = () =>
  vi.waitFor(() => expect(bank.load().requests).toBe(0), { timeout: 2000, interval: 10 });

/** The number of requests that the gateway resent without counting them as retries. */
async function resentBy({ adminUrl }: TestGateway): Promise<number> {
  const { text } = await ask(`${adminUrl}/metrics`);
  const values = text.matchAll(/^account_bff_upstream_resent_requests_total\{.*\} (\d+)$/gm);
  return [...values].reduce((sum, [, value]) => sum + Number(value), 0);
}

const status = (code: number): FaultKind => ({ kind: 'status', status: code });

/** A fault, the code that clients see, and the number of requests that reach the bank for one call, without resends. */
type Case = readonly [fault: FaultKind, code: string, requests: number];

const all = (faults: readonly FaultKind[], code: string, requests: number): Case[] =>
  faults.map((fault) => [fault, code, requests]);

const onceMore: readonly Case[] = [
  ...all([502, 503].map(status), 'UPSTREAM_UNAVAILABLE', 2),
  ...all(
    [{ kind: 'reset' }, { kind: 'cutBody' }, { kind: 'cutBody', reset: true }],
    'UPSTREAM_UNAVAILABLE',
    2,
  ),
];

const faults: readonly Case[] = [
  ...onceMore,
  ...all([500, 501, 504, 505, 599].map(status), 'UPSTREAM_UNAVAILABLE', 1),
  ...all([status(401)], 'UNAUTHENTICATED', 1),
  ...all([status(403)], 'FORBIDDEN', 1),
  ...all([status(429)], 'RATE_LIMITED', 1),
  ...all([400, 402, 405, 409, 415, 418, 422, 451].map(status), 'UPSTREAM_REJECTED', 1),
  ...all(
    [300, 301, 302, 303, 304, 307, 308].map((code) => ({ kind: 'redirect', status: code })),
    'UPSTREAM_REJECTED',
    1,
  ),
  ...all([201, 202, 203, 204, 205, 206].map(status), 'UPSTREAM_CONTRACT_VIOLATION', 1),
  ...all(
    [
      { kind: 'html' },
      { kind: 'status', status: 200, contentType: 'text/plain' },
      { kind: 'brokenJson' },
      { kind: 'hugeBody', bytes: 4_194_305 },
      { kind: 'hugeBody', bytes: 40_000_000 },
      { kind: 'hugeBody', bytes: 40_000_000, declared: true },
      { kind: 'encoding', encoding: 'gzip' },
      { kind: 'encoding', encoding: 'deflate' },
      { kind: 'encoding', encoding: 'br' },
      { kind: 'nested', depth: 3 },
      { kind: 'nested', depth: 1_000_000 },
      { kind: 'wrongShape', pointer: '', value: null },
      { kind: 'wrongShape', pointer: '', raw: '' },
      { kind: 'wrongShape', pointer: '', raw: 'NaN' },
    ],
    'UPSTREAM_CONTRACT_VIOLATION',
    1,
  ),
];

const endpoints = [
  { route: 'persons', kind: 'PERSON' },
  { route: 'companies', kind: 'COMPANY' },
  { route: 'transactions', kind: 'PERSON' },
] as const;

describe.each(endpoints)('a fault of the endpoint "$route"', ({ route, kind }) => {
  const callsFor = () => bank.calls().filter((call) => call.route === route);

  test.each(faults)(
    '(%j) fails only the fields that need this endpoint, with %s (attempts: %d)',
    async (fault, code, requests) => {
      bank.addFault({ ...fault, match: { route } });
      const answer = await askAll(gateway, kind);
      expectFailed(kind, answer, route, code);
      const resent = await resentBy(gateway);
      expect(callsFor()).toHaveLength(requests + resent);
      // If a kept-alive connection is reset, the service may have closed it before the request arrived. The gateway
      // then resends the request, at most once per attempt.
      expect(resent).toBeLessThanOrEqual(fault.kind === 'reset' ? requests : 0);
      expect(answer.errors?.[0]?.extensions.retryAfter).toBeUndefined();
      await nothingUnderWay();
    },
  );

  test('with status 404 becomes NOT_FOUND for a statement, and UPSTREAM_REJECTED for a profile', async () => {
    bank.addFault({ ...status(404), match: { route } });
    const code = route === 'transactions' ? 'NOT_FOUND' : 'UPSTREAM_REJECTED';
    expectFailed(kind, await askAll(gateway, kind), route, code);
    expect(callsFor()).toHaveLength(1);
  });

  test.each(onceMore)('(%j) causes no error if a retry succeeds', async (fault) => {
    bank.addFault({ ...fault, match: { route }, times: 1 });
    const answer = await askAll(gateway, kind);
    expect(answer.errors).toBeUndefined();
    expect(callsFor()).toHaveLength(2);
  });

  test.each<FaultKind>([
    { kind: 'hang' },
    { kind: 'hang', afterHalf: true },
    { kind: 'drip', bytes: 1, everyMs: 40 },
    { kind: 'delay', delayMs: 60_000 },
  ])(
    '(%j) causes UPSTREAM_TIMEOUT without a retry, and the connection is closed',
    async (fault) => {
      const impatient = await start({ UPSTREAM_TIMEOUT_MS: '500' });
      bank.addFault({ ...fault, match: { route } });
      expectFailed(kind, await askAll(impatient, kind), route, 'UPSTREAM_TIMEOUT');
      await bank.waitForCall((call) => call.outcome === 'aborted');
      expect(bank.calls().filter((call) => call.route === route)).toHaveLength(1);
      await nothingUnderWay();
      await impatient.close();
      await gateway.close();
      await vi.waitFor(() => expect(bank.load().sockets).toBe(0));
    },
  );

  test.each<FaultKind>([
    { kind: 'delay', delayMs: 50 },
    { kind: 'drip', bytes: 5000, everyMs: 1 },
    { kind: 'informational', status: 103 },
    { kind: 'informational', status: 102 },
  ])('(%j) causes no error and no retry if it ends before the timeout', async (fault) => {
    bank.addFault({ ...fault, match: { route } });
    expect((await askAll(gateway, kind)).errors).toBeUndefined();
    expect(callsFor()).toHaveLength(1);
  });
});

describe('UPSTREAM_UNAVAILABLE', () => {
  test('is the error of every field that needs the service while the service is unreachable', async () => {
    await bank.goOffline();
    const answer = await askAll(gateway);
    expect(answer.status).toBe(200);
    expect(errorsOf(answer)).toEqual(
      [...profileFields, 'transactions'].map((field) => `UPSTREAM_UNAVAILABLE at ${field}`),
    );
    await bank.goOnline();
    expect((await askAll(gateway)).errors).toBeUndefined();
  });

  test('is the error of each statement, but not of the accounts, if only the endpoint for transactions fails', async () => {
    bank.addFault({ kind: 'reset', match: { route: 'transactions' } });
    const answer = await query(gateway, '{ accounts { id transactions { totalCount } } }');
    const { accounts } = holderOf(bank, 'PERSON');
    expect(answer.data).toEqual({ accounts: accounts.map((id) => ({ id, transactions: null })) });
    expect(errorsOf(answer)).toEqual(
      accounts.map((_id, index) => `UPSTREAM_UNAVAILABLE at accounts.${index}.transactions`),
    );
  });
});

describe('a failing page of a statement', () => {
  test('fails only the slice that needs it', async () => {
    const [id] = holderOf(bank, 'PERSON').accounts;
    bank.addFault({ ...status(500), match: { page: 3 } });
    const document = `query Q($id: ID!) {
      all: transactions(accountId: $id, first: 100) { totalCount nodes { id } }
      some: transactions(accountId: $id, first: 60) { totalCount nodes { id } }
    }`;
    const answer = await query(gateway, document, { variables: { id } });
    expect(answer.data).toMatchObject({ all: null, some: { totalCount: 95 } });
    expect(errorsOf(answer)).toEqual(['UPSTREAM_UNAVAILABLE at all']);
  });

  test('fails the slice without waiting for the other pages, and aborts their calls', async () => {
    const patient = await start({ UPSTREAM_TIMEOUT_MS: '600000', OPERATION_TIMEOUT_MS: '600000' });
    const [id] = holderOf(bank, 'PERSON').accounts;
    bank.addFault({ ...status(500), match: { page: 3 } });
    bank.addFault({ kind: 'hang', match: { page: 2 } });
    const document = `{ transactions(accountId: "${id}", first: 100) { nodes { id } } }`;
    expect(errorsOf(await query(patient, document))).toEqual([
      'UPSTREAM_UNAVAILABLE at transactions',
    ]);
    await bank.waitForCall((call) => call.page === 2 && call.outcome === 'aborted');
    // The calls must count as aborted, because a timeout would count against the service.
    const { text } = await ask(`${patient.adminUrl}/metrics`);
    expect(text).toMatch(/^account_bff_upstream_exchange_duration_seconds_count.*"aborted"/m);
    expect(text).not.toContain('outcome="timeout"');
  });

  test('closes no connection on which another page has arrived with the failure', async () => {
    const held = new Map<number, ServerResponse>();
    const pagination = { totalItems: 100, itemsPerPage: 20, totalPages: 5 };
    const pageOf = (page: number) =>
      JSON.stringify({
        data: Array.from({ length: 20 }, (_, row) => ({ id: `${page} ${row}` })),
        pagination: { ...pagination, currentPage: page },
      });
    await using service = await serve(({ url }, response) => {
      const page = Number(/[?&]page=(\d+)/.exec(url ?? '')?.[1]);
      held.set(page, response);
      if (page === 0) response.end(pageOf(page));
      if (held.size < 5) return;
      held.get(3)?.writeHead(500).end('{}');
      for (const other of [1, 2, 4]) held.get(other)?.end(pageOf(other));
    });
    const another = await start({ UPSTREAM_URL: service.origin });
    const [id] = holderOf(bank, 'PERSON').accounts;
    const document = `{ transactions(accountId: "${id}", first: 100) { nodes { id } } }`;
    expect(errorsOf(await query(another, document))).toEqual([
      'UPSTREAM_UNAVAILABLE at transactions',
    ]);
    const { text } = await ask(`${another.adminUrl}/metrics`);
    expect(text).not.toContain('outcome="aborted"');
  });

  test('is retried, and the other pages are not read again', async () => {
    const [id] = holderOf(bank, 'PERSON').accounts;
    bank.addFault({ ...status(503), match: { page: 3 }, times: 1 });
    const document = `{ transactions(accountId: "${id}", first: 100) { nodes { id } } }`;
    expect((await query(gateway, document)).errors).toBeUndefined();
    expect(pagesOf(bank).toSorted()).toEqual([0, 1, 2, 3, 3, 4]);
  });
});

describe('a failed call', () => {
  test.each([0, 1, 3])('is retried UPSTREAM_RETRIES times: %d', async (retries) => {
    const patient = await start({ UPSTREAM_RETRIES: `${retries}` });
    bank.addFault({ ...status(503) });
    const answer = await query(patient, '{ accounts { id } }');
    expect(errorsOf(answer)).toEqual(['UPSTREAM_UNAVAILABLE at accounts']);
    expect(targetsOf(bank)).toHaveLength(1 + retries);
  });

  test('is not retried if the delay in Retry-After ends after the deadline', async () => {
    bank.addFault({ kind: 'status', status: 503, retryAfter: 2 });
    const answer = await query(gateway, '{ accounts { id } }');
    expect(errorsOf(answer)).toEqual(['UPSTREAM_UNAVAILABLE at accounts']);
    expect(targetsOf(bank)).toHaveLength(1);
  });

  test('is retried after the delay in Retry-After if this delay ends before the deadline', async () => {
    bank.addFault({ kind: 'status', status: 503, retryAfter: 1, times: 1 });
    expect((await query(gateway, '{ accounts { id } }')).errors).toBeUndefined();
    const [one, other] = bank.calls();
    expect((other?.startedAtMs ?? 0) - (one?.endedAtMs ?? 0)).toBeGreaterThanOrEqual(990);
  });
});

describe('the Retry-After header of a 429', () => {
  test.each<[number | string, number | undefined]>([
    [7, 7],
    ['120', 120],
    [0, 0],
    ['soon', undefined],
    ['-5', undefined],
    ['1.5', undefined],
    ['', undefined],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ])(
    'with the value %j becomes retryAfter %j, for a profile and for a statement',
    async (retryAfter, expected) => {
      bank.addFault({ kind: 'status', status: 429, retryAfter });
      const answer = await askAll(gateway);
      expect(answer.status).toBe(200);
      expect(answer.errors).toHaveLength(5);
      for (const { extensions } of answer.errors ?? []) {
        expect(extensions.code).toBe('RATE_LIMITED');
        expect(extensions.retryAfter).toBe(expected);
      }
    },
  );

  test('with a date becomes the number of seconds until that date', async () => {
    const retryAfter = new Date(Date.now() + 90_000).toUTCString();
    bank.addFault({ kind: 'status', status: 429, retryAfter });
    const { errors } = await query(gateway, '{ accounts { id } }');
    expect(errors?.[0]?.extensions.retryAfter).toBeGreaterThan(60);
    expect(errors?.[0]?.extensions.retryAfter).toBeLessThanOrEqual(90);
  });
});

describe('OPERATION_TIMEOUT_MS', () => {
  test('fails only the unfinished fields, even if most of their calls were answered in time', async () => {
    const short = await start({ OPERATION_TIMEOUT_MS: '1000' });
    const [id] = holderOf(bank, 'PERSON').accounts;
    bank.addFault({ kind: 'hang', match: { page: 2 } });
    const document = `query Q($id: ID!) {
      me { __typename }
      long: transactions(accountId: $id, first: 100) { totalCount }
      slow: transactions(accountId: $id, first: 100) { nodes { id } }
      quick: transactions(accountId: $id) { totalCount }
    }`;
    const answer = await query(short, document, { variables: { id } });
    expect(answer).toMatchObject({
      status: 200,
      data: { me: { __typename: 'Person' }, slow: null, quick: { totalCount: 95 } },
    });
    expect(errorsOf(answer)).toEqual(['UPSTREAM_TIMEOUT at slow']);
    await bank.waitForCall((call) => call.outcome === 'aborted');
  });

  test('allows no retry that would start after it: the call has failed already', async () => {
    const short = await start({ OPERATION_TIMEOUT_MS: '30000', UPSTREAM_TIMEOUT_MS: '60000' });
    bank.addFault({ kind: 'status', status: 503, retryAfter: 30 });
    const answer = await query(short, '{ accounts { id } }');
    expect(errorsOf(answer)).toEqual(['UPSTREAM_UNAVAILABLE at accounts']);
    expect(targetsOf(bank)).toHaveLength(1);
  });
});

describe('the disconnection of a client', () => {
  // Timeouts so long that none of them ends a call during a test.
  const endless = { UPSTREAM_TIMEOUT_MS: '600000', OPERATION_TIMEOUT_MS: '600000' };
  beforeEach(async () => {
    gateway = await start(endless);
  });

  test('aborts every upstream call in progress', async () => {
    const { accounts } = holderOf(bank, 'PERSON');
    bank.addFault({ kind: 'hang', match: { route: 'transactions' } });
    const controller = new AbortController();
    const { signal } = controller;
    const asked = query(gateway, '{ accounts { transactions { totalCount } } }', { signal });
    for (const accountId of accounts)
      await bank.waitForCall((call) => call.accountId === accountId);
    controller.abort();
    await expect(asked).rejects.toThrow();
    for (const accountId of accounts) {
      const left = bank.waitForCall(
        (call) => call.accountId === accountId && call.outcome === 'aborted',
      );
      expect((await left).status).toBeNull();
    }
  });

  test('prevents retries and calls for further pages', async () => {
    const [id] = holderOf(bank, 'PERSON').accounts;
    bank.addFault({ kind: 'hang', match: { page: 0 }, times: 1 });
    const controller = new AbortController();
    const document = `{ transactions(accountId: "${id}", first: 100) { nodes { id } } }`;
    const asked = query(gateway, document, { signal: controller.signal });
    await bank.waitForCall((call) => call.page === 0);
    controller.abort();
    await expect(asked).rejects.toThrow();
    await bank.waitForCall((call) => call.outcome === 'aborted');
    // Any further call for the aborted operation would have been sent before the call for this query.
    expect((await query(gateway, '{ accounts { id } }')).errors).toBeUndefined();
    expect(targetsOf(bank)).toEqual([`/accounts/${id}/transactions?page=0`, '/persons']);
  });
});

describe('redirects', () => {
  test.each(['/elsewhere', 'https://example.com/', '//127.0.0.1:1/', '/persons?redirected=1'])(
    'to %s are rejected and not followed',
    async (location) => {
      bank.addFault({ kind: 'redirect', location });
      expect(errorsOf(await query(gateway, '{ accounts { id } }'))).toEqual([
        'UPSTREAM_REJECTED at accounts',
      ]);
      expect(targetsOf(bank)).toEqual(['/persons']);
    },
  );
});

describe('a call to the service', () => {
  const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
  const document =
    'query Q($id: ID!) { me { __typename } transactions(accountId: $id, first: 40) { nodes { id } } }';

  /** Names and values of a call's headers as received, sorted. */
  const rawHeadersOf = (index: number): string[] => {
    const raw = bank.calls()[index]?.rawHeaders ?? [];
    return raw.flatMap((name, k) => (k % 2 === 0 ? [`${name}: ${raw[k + 1] ?? ''}`] : [])).sort();
  };

  test('has the headers that the contract lists, and no others', async () => {
    const caller = await callerHeaders(bank);
    const id = holderOf(bank, 'PERSON').accounts[0];
    const noise = {
      cookie: 'session=1',
      forwarded: 'for=10.0.0.1',
      'x-forwarded-for': '10.0.0.1',
      'x-forwarded-host': 'evil.example',
      'x-real-ip': '10.0.0.1',
      'x-api-key': 'k',
      'x-apollo-operation-name': 'Q',
      origin: 'http://localhost:3000',
      referer: 'http://localhost:3000/',
      'user-agent': 'a client',
      'accept-language': 'pt-BR',
      'if-none-match': '"1"',
      'cache-control': 'no-cache',
    };
    const headers = { ...noise, traceparent, tracestate: 'a=1,b=2', 'x-request-id': 'mine-1' };
    await query(gateway, document, { headers, variables: { id } });
    expect(bank.calls()).toHaveLength(3);
    for (const index of [0, 1, 2]) {
      expect(rawHeadersOf(index)).toEqual([
        'accept: application/json',
        `authorization: ${caller.authorization}`,
        'connection: keep-alive',
        'content-type: application/json',
        `host: ${new URL(bank.url).host}`,
        `traceparent: ${traceparent}`,
        'tracestate: a=1,b=2',
        'x-request-id: mine-1',
        `x-tenant-id: ${caller['x-tenant-id']}`,
      ]);
    }
  });

  test('has the request id of its operation, which is generated if the client sends none', async () => {
    const id = holderOf(bank, 'PERSON').accounts[0];
    const one = await query(gateway, document, { variables: { id } });
    const other = await query(gateway, document, { variables: { id } });
    const ids = bank.calls().map(({ headers }) => headers['x-request-id']);
    const [first, second] = [one, other].map(({ headers }) => headers.get('x-request-id'));
    expect(first).toMatch(/^[\w.-]{1,128}$/);
    expect(ids).toEqual([first, first, first, second, second, second]);
    expect(first).not.toBe(second);
  });

  test('has no tracestate if the client sends none, and no header twice', async () => {
    await query(gateway, '{ accounts { id } }');
    const names = rawHeadersOf(0).map((line) => line.split(':')[0]);
    expect(names).not.toContain('tracestate');
    expect(new Set(names).size).toBe(names.length);
  });

  test.each(['bearer', 'BEARER', 'Bearer'])(
    'keeps the spelling of the authentication scheme: %s',
    async (scheme) => {
      const { authorization } = await callerHeaders(bank);
      const sent = authorization.replace('Bearer', scheme);
      const answer = await query(gateway, '{ accounts { id } }', {
        headers: { authorization: sent },
      });
      expect(answer.errors).toBeUndefined();
      expect(bank.calls()[0]?.headers.authorization).toBe(sent);
    },
  );

  test('is a GET without a body, below the path of UPSTREAM_URL', async () => {
    await using below = await startTestGateway({}, { bank: { basePath: '/api/v1' } });
    const [id] = below.bank.holders[0]?.accounts ?? [];
    expect((await query(below, document, { variables: { id } })).errors).toBeUndefined();
    expect(below.bank.calls()).toHaveLength(3);
    for (const call of below.bank.calls()) {
      expect(call.method).toBe('GET');
      expect(call.target).toMatch(/^\/api\/v1\/(persons$|accounts\/)/);
      expect(call.headers['content-length']).toBeUndefined();
      expect(call.headers['transfer-encoding']).toBeUndefined();
    }
  });
});

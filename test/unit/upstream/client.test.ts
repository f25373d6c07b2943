// The upstream client: the requests that it sends, its retries and call budget, and the answers that it parses.
import { describe, expect, it, onTestFinished } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import {
  CallBudget,
  createUpstreamClient,
  type ForwardedHeaders,
  type UpstreamCall,
  type UpstreamClient,
  type UpstreamSettings,
  UpstreamStatusError,
} from '../../../src/upstream/client.ts';
import { answerMemory, noCertificates, silentLog, unobserved } from './parts.ts';
import { answer, inTurn, raw, reset, serve } from './server.ts';

const accountId = '0b1f7c1e-53a5-4f4e-8d9b-2f0d7a4b1c11';
const profile = '{"person":{"id":"p"},"entity":{"id":"c"},"accounts":[]}';
const page = `{"data":[{"id":"t","amount":1.50}],"pagination":{"totalItems":1,"currentPage":0,"itemsPerPage":20}}`;

function clientOf(url: string, changes: Partial<UpstreamSettings> = {}): UpstreamClient {
  const limits = { timeoutMs: 2000, retries: 1, maxBodyBytes: 100_000, connections: 8 };
  const memory = answerMemory();
  const silent = { log: silentLog, observer: unobserved, random: () => 0 };
  const way = {
    url,
    certificates: noCertificates,
    usesProxy: false,
    timeZone: null,
    endDate: 'inclusive' as const,
  };
  const client = createUpstreamClient({ ...way, ...limits, memory, ...silent, ...changes });
  onTestFinished(() => client.close());
  return client;
}

function callWith(headers: Partial<ForwardedHeaders> = {}, max = 50): UpstreamCall {
  return {
    callerKey: 'key',
    headers: { authorization: 'Bearer a.b.c', tenant: 'T:1', requestId: 'r-1', ...headers },
    signal: new AbortController().signal,
    budget: new CallBudget(max),
  };
}

const ask = { accountId, startDate: null, endDate: null, page: 0 };

describe('the upstream client', () => {
  it('appends the path of each endpoint to the base URL', async () => {
    await using server = await serve(({ url = '' }, response) =>
      answer(200, url.includes('transactions') ? page : profile)({} as never, response),
    );
    for (const base of ['', '/', '/api/v1', '/api/v1/']) {
      const client = clientOf(server.origin + base);
      server.requests.length = 0;
      await client.read(callWith(), 'persons', {});
      await client.read(callWith(), 'companies', {});
      await client.read(callWith(), 'transactions', ask);
      const dates = { startDate: '2024-01-01', endDate: '2024-01-31', page: 3 };
      await client.read(callWith(), 'transactions', { accountId, ...dates });
      const path = base.replace(/\/$/, '');
      expect(server.paths).toEqual([
        `${path}/persons`,
        `${path}/companies`,
        `${path}/accounts/${accountId}/transactions?page=0`,
        `${path}/accounts/${accountId}/transactions?page=3&startDate=2024-01-01&endDate=2024-01-31`,
      ]);
    }
  });

  it('sends exactly the documented headers, byte for byte', async () => {
    await using server = await serve(answer(200, profile));
    const client = clientOf(server.origin);
    const traced = { traceparent: '00-1-2-01', tracestate: 'a=b' };
    await client.read(callWith(), 'persons', {});
    await client.read(callWith({ authorization: 'bearer  X.y.Z', ...traced }), 'persons', {});
    const [plain, full] = server.requests.map(({ rawHeaders }) => rawHeaders);
    const host = ['host', server.origin.slice('http://'.length), 'connection', 'keep-alive'];
    const json = ['accept', 'application/json', 'content-type', 'application/json'];
    const caller = ['x-tenant-id', 'T:1', 'x-request-id', 'r-1'];
    expect(plain).toEqual([...host, ...json, 'authorization', 'Bearer a.b.c', ...caller]);
    expect(full).toEqual([
      ...[...host, ...json, 'authorization', 'bearer  X.y.Z', ...caller],
      ...['traceparent', '00-1-2-01', 'tracestate', 'a=b'],
    ]);
  });

  it('returns the parsed answer of each endpoint', async () => {
    await using server = await serve(({ url = '' }, response) =>
      answer(200, url.includes('transactions') ? page : profile)({} as never, response),
    );
    const client = clientOf(server.origin);
    expect(await client.read(callWith(), 'persons', {})).toMatchObject({
      kind: 'PERSON',
      holder: { id: 'p' },
    });
    expect(await client.read(callWith(), 'companies', {})).toMatchObject({
      kind: 'COMPANY',
      holder: { id: 'c' },
    });
    expect(await client.read(callWith(), 'transactions', ask)).toMatchObject({
      totalItems: 1,
      rows: [{ node: { id: 't', amount: '1.50' } }],
    });
  });

  it('reports status 404 as NOT_FOUND for a statement and as UPSTREAM_REJECTED for a profile', async () => {
    await using server = await serve(answer(404));
    const client = clientOf(server.origin);
    for (const [read, code] of [
      [client.read(callWith(), 'persons', {}), 'UPSTREAM_REJECTED'],
      [client.read(callWith(), 'companies', {}), 'UPSTREAM_REJECTED'],
      [client.read(callWith(), 'transactions', ask), 'NOT_FOUND'],
    ] as const) {
      const error: unknown = await read.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(UpstreamStatusError);
      expect(error).toMatchObject({ code, status: 404 });
    }
  });

  it.each(['', '<html>', '[]', '\ufeff{}'])('rejects the body %j', async (body) => {
    await using server = await serve(answer(200, body));
    await expect(clientOf(server.origin).read(callWith(), 'persons', {})).rejects.toMatchObject({
      code: 'UPSTREAM_CONTRACT_VIOLATION',
    });
    expect(server.paths).toHaveLength(1);
  });

  it.each([
    ['a reset connection', reset],
    ['a truncated body', raw('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{')],
    ['status 502', answer(502)],
    ['status 503', answer(503)],
  ])(
    'retries a call after %s, and logs the retry without the account id',
    async (_what, failing) => {
      const logged: unknown[] = [];
      const log = { ...silentLog, warn: (...line: unknown[]) => void logged.push(line) };
      await using server = await serve(inTurn(failing, answer(200, page)));
      const call = callWith();
      await clientOf(server.origin, { log }).read(call, 'transactions', ask);
      expect(server.paths).toHaveLength(2);
      expect(call.budget.used).toBe(1);
      expect(logged).toMatchObject([
        [{ endpoint: 'transactions' }, 'a call to the service is retried'],
      ]);
      expect(JSON.stringify(logged)).not.toContain(accountId);
    },
  );

  it.each([
    [429, 1],
    [504, 1],
    [500, 1],
    [503, 3],
  ])(
    'ends a call with status %i after %i request(s) if every answer has this status and two retries are allowed',
    async (status, times) => {
      await using server = await serve(answer(status));
      const reading = clientOf(server.origin, { retries: 2 }).read(callWith(), 'persons', {});
      await expect(reading).rejects.toMatchObject({ status });
      expect(server.paths).toHaveLength(times);
    },
  );

  it('makes no call once the call budget is spent', async () => {
    await using server = await serve(answer(200, profile));
    const client = clientOf(server.origin);
    const call = callWith({}, 1);
    await client.read(call, 'persons', {});
    await expect(client.read(call, 'persons', {})).rejects.toMatchObject({
      code: 'OPERATION_TOO_COMPLEX',
    });
    expect(server.paths).toHaveLength(1);
  });
});

it('CallBudget refuses calls beyond its maximum', () => {
  const budget = new CallBudget(2);
  budget.take();
  expect(budget.used).toBe(1);
  budget.take();
  expect(() => budget.take()).toThrow(GatewayError);
  expect(budget.used).toBe(2);
});

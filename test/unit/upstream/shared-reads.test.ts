// Shared reads: which calls may join a read, how an aborted call affects the others, and what observers receive.
import type { ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import {
  CallBudget,
  type CallEnd,
  type CallObserver,
  type UpstreamCall,
} from '../../../src/upstream/exchange/call.ts';
import { createReads } from '../../../src/upstream/reads/shared-reads.ts';
import { partsOf, type PartsSettings, textReads } from './parts.ts';
import { answer, inTurn, reset, serve, type TestServer } from './server.ts';

const same = { callerKey: 'one' };

/** A server whose answers the test sends; `next` resolves with the response to the next request. */
async function patientServer() {
  const waiting: ServerResponse[] = [];
  const server = await serve((_request, response) => void waiting.push(response));
  onTestFinished(() => server[Symbol.asyncDispose]());
  const next = () => vi.waitFor(() => waiting.shift() ?? expect.fail('no request yet'), 5000);
  return { server, next };
}

const readsOf = (server: TestServer, settings?: PartsSettings) =>
  textReads(partsOf(server.origin, settings));

async function failureCode(read: Promise<string>): Promise<string> {
  const error: unknown = await read.catch((reason: unknown) => reason);
  return error instanceof GatewayError ? error.code : 'none';
}

/** Waits until this many requests have arrived; later calls cannot share these requests. */
async function sent(server: TestServer, requests: number): Promise<void> {
  await vi.waitFor(() => expect(server.requests).toHaveLength(requests), { interval: 1 });
}

describe('concurrent calls', () => {
  it('share one request and its answer if they have the same caller and path', async () => {
    await using server = await serve(answer(200, '[1]'));
    const read = readsOf(server);
    expect(await Promise.all([read(same), read(same), read(same)])).toEqual(['[1]', '[1]', '[1]']);
    expect(server.requests).toHaveLength(1);
  });

  it('share one request on an open connection as well', async () => {
    await using server = await serve(answer(200, '[1]'));
    const read = readsOf(server);
    await read(same);
    await turn();
    await Promise.all([read(same), read(same)]);
    expect(server.requests).toHaveLength(2);
  });

  it('that share a request also share its failure and its retry', async () => {
    await using broken = await serve(answer(500));
    const read = readsOf(broken);
    const failures = await Promise.allSettled([read(same), read(same)]);
    expect(failures).toMatchObject([{ reason: { status: 500 } }, { reason: { status: 500 } }]);
    expect(broken.requests).toHaveLength(1);
    await using flaky = await serve(inTurn(reset, answer(200, '[2]')));
    const retried = readsOf(flaky, { retries: 1 });
    expect(await Promise.all([retried(same), retried(same)])).toEqual(['[2]', '[2]']);
    expect(flaky.requests).toHaveLength(2);
  });

  it('share no request if their callers or paths differ', async () => {
    await using server = await serve(answer(200, '[]'));
    const read = readsOf(server);
    const calls = [{ callerKey: 'a' }, { callerKey: 'b' }, { callerKey: 'a', path: '/y' }];
    await Promise.all(calls.map((call) => read(call)));
    expect(server.requests).toHaveLength(3);
  });
});

it('a call with another spelling of the Authorization header sends its own, and later calls join the latest', async () => {
  const { server, next } = await patientServer();
  const read = readsOf(server, { connections: 1 });
  const blocking = read();
  const first = await next();
  const asked = ['bearer a.b.c', 'Bearer a.b.c', 'Bearer a.b.c'].map((authorization) =>
    read({ ...same, authorization }),
  );
  first.end('1');
  const second = await next();
  // The first spelling has been sent; the second one still waits.
  asked.push(read({ ...same, authorization: 'Bearer a.b.c' }));
  second.end('2');
  (await next()).end('3');
  expect(await Promise.all([blocking, ...asked])).toEqual(['1', '2', '3', '3', '3']);
  expect(server.requests.slice(1).map(({ headers }) => headers.authorization)).toEqual([
    'bearer a.b.c',
    'Bearer a.b.c',
  ]);
});

describe('a later call', () => {
  it('does not get the answer to a request that was sent earlier', async () => {
    const { server, next } = await patientServer();
    const read = readsOf(server);
    const early = read(same);
    const first = await next();
    const late = read(same);
    const second = await next();
    second.end('"after"');
    expect(await late).toBe('"after"');
    first.end('"before"');
    expect(await early).toBe('"before"');
  });

  it('joins a read that still waits for a connection', async () => {
    const { server, next } = await patientServer();
    const read = readsOf(server, { connections: 1 });
    const busy = read({ path: '/busy' });
    const response = await next();
    const queued = read(same);
    await turn();
    const joined = read(same);
    response.end('[]');
    (await next()).end('[1]');
    expect(await Promise.all([busy, queued, joined])).toEqual(['[]', '[1]', '[1]']);
    expect(server.paths).toEqual(['/busy', '/x']);
  });

  it('does not join a read that failed before it was sent', async () => {
    const server = await serve(answer(200));
    await server[Symbol.asyncDispose]();
    const read = readsOf(server);
    const codes = [];
    for (let i = 0; i < 2; i++) {
      codes.push(await failureCode(read(same)));
    }
    expect(codes).toEqual(['UPSTREAM_UNAVAILABLE', 'UPSTREAM_UNAVAILABLE']);
  });
});

describe('an aborted call', () => {
  const gone = new GatewayError('OVERLOADED');

  it('does not fail other calls that share its request', async () => {
    const { server, next } = await patientServer();
    const read = readsOf(server);
    const controller = new AbortController();
    const leaving = read({ ...same, signal: controller.signal });
    const staying = read(same);
    const response = await next();
    controller.abort(gone);
    await expect(leaving).rejects.toBe(gone);
    await turn();
    expect(server.open()).toBe(1);
    response.end('[]');
    expect(await staying).toBe('[]');
  });

  it('ends the exchange if no other call waits for it', async () => {
    const { server, next } = await patientServer();
    const read = readsOf(server);
    const controllers = [new AbortController(), new AbortController()];
    const leaving = controllers.map(({ signal }) => read({ ...same, signal }));
    await next();
    for (const controller of controllers) controller.abort(gone);
    for (const call of leaving) await expect(call).rejects.toBe(gone);
    await vi.waitFor(() => expect(server.open()).toBe(0));
  });

  it('whose request was not sent yet causes no request, so the next call sends one', async () => {
    await using server = await serve(answer(200, '[]'));
    const read = readsOf(server);
    const controller = new AbortController();
    const leaving = read({ ...same, signal: controller.signal });
    controller.abort(gone);
    await expect(leaving).rejects.toBe(gone);
    expect(await read(same)).toBe('[]');
    expect(server.requests).toHaveLength(1);
  });

  it('fails at once if it was waiting for its retry', async () => {
    await using server = await serve(answer(503, '{}', { 'retry-after': '1' }));
    const read = readsOf(server, { retries: 1 });
    const controller = new AbortController();
    const leaving = read({ signal: controller.signal });
    await sent(server, 1);
    await turn();
    controller.abort(gone);
    await expect(leaving).rejects.toBe(gone);
  });
});

describe('observers', () => {
  it('are notified of exchanges, retries and shared reads', async () => {
    const heard: unknown[][] = [];
    const note =
      (name: string) =>
      (...args: unknown[]) =>
        void heard.push([name, ...args.map((arg) => (typeof arg === 'number' ? 'n' : arg))]);
    await using server = await serve(inTurn(answer(503), answer(200, '[]')));
    const observer = { exchange: note('exchange'), retry: note('retry'), shared: note('shared') };
    const read = readsOf(server, { retries: 1, observer });
    await Promise.all([read(same), read(same)]);
    expect(heard).toEqual([
      ['shared', 'transactions'],
      ['exchange', 'transactions', 'failed', 'n'],
      ['retry', 'transactions'],
      ['exchange', 'transactions', 'ok', 'n'],
    ]);
  });

  it('of one operation are notified of the end of each call, and set the traceparent of a request', async () => {
    await using server = await serve(inTurn(answer(200, '[]'), answer(404)));
    const reads = createReads(partsOf(server.origin), {
      route: 'persons',
      notFound: 'UPSTREAM_REJECTED',
      parse: (text) => ({ value: text, bytes: text.length }),
    });
    const ends: CallEnd[] = [];
    const begin = vi.fn<CallObserver['begin']>(() => ({
      traceparent: 'mine',
      end: (end: CallEnd) => void ends.push(end),
    }));
    const joined = vi.fn<CallObserver['joined']>();
    const call: UpstreamCall = {
      callerKey: 'one',
      headers: { authorization: 'a', tenant: 't', requestId: 'r', traceparent: 'theirs' },
      signal: new AbortController().signal,
      budget: new CallBudget(5),
      observer: { begin, joined, failed: vi.fn() },
    };
    await Promise.all([reads(call, '/x', 1), reads(call, '/x', 1)]);
    // `joined` reports a shared read with the request id of another operation, but these calls belong to the same
    // operation.
    expect(joined).not.toHaveBeenCalled();
    await reads(call, '/x').catch(() => undefined);
    await turn();
    expect(begin.mock.calls.map(([route, page]) => [route, page])).toEqual([
      ['persons', 1],
      ['persons', 1],
      ['persons', undefined],
    ]);
    expect(ends).toEqual([
      { outcome: 'ok', status: 200, tries: 1, isShared: false },
      { outcome: 'ok', status: 200, tries: 0, isShared: true },
      { outcome: 'UPSTREAM_REJECTED', status: 404, tries: 1, isShared: false },
    ]);
    expect(server.requests[0]?.headers['traceparent']).toBe('mine');
    expect(call.budget.used).toBe(3);
  });
});

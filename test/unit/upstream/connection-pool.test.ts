// The queue of calls that wait for a connection: its order, its limit, and the effect of an open circuit. Also the
// limits on the number of connections and on the memory for bodies.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { expect, it, onTestFinished, vi } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { CallBudget } from '../../../src/upstream/exchange/call.ts';
import type { Connection } from '../../../src/upstream/exchange/connector.ts';
import { type Ask, Exchange, type ExchangeOwner } from '../../../src/upstream/exchange/exchange.ts';
import { partsOf, type PartsSettings, textReads } from './parts.ts';
import { serve } from './server.ts';

/** A pool with one connection, which is busy until `finish` is called, and reads that wait for this connection. */
async function busyServer(settings: PartsSettings = {}) {
  const first = Promise.withResolvers<ServerResponse>();
  const server = await serve(({ url }, response) =>
    url === '/busy' ? first.resolve(response) : response.end(`"${url}"`),
  );
  onTestFinished(() => server[Symbol.asyncDispose]());
  // On a busy machine, a thousand calls take seconds; none of them is to time out.
  const parts = partsOf(server.origin, { connections: 1, timeoutMs: 60_000, ...settings });
  const read = textReads(parts);
  const busy = read({ path: '/busy' });
  const response = await first.promise;
  const finish = () => {
    response.end('[]');
    return busy;
  };
  return { server, parts, read, finish };
}

const eventually = (check: () => void) => vi.waitFor(check, { timeout: 10_000, interval: 5 });

const settled = (calls: Promise<unknown>[]) => Promise.allSettled(calls);

it('the connection pool serves waiting calls in order of arrival', async () => {
  const queue: number[] = [];
  const observer = { queue: (length: number) => void queue.push(length) };
  const { server, read, finish } = await busyServer({ observer });
  const waiting = ['/1', '/2', '/3'].map((path) => read({ path }));
  await finish();
  expect(await Promise.all(waiting)).toEqual(['"/1"', '"/2"', '"/3"']);
  expect(server.paths).toEqual(['/busy', '/1', '/2', '/3']);
  expect(server.connections()).toBe(1);
  expect(queue).toEqual([1, 2, 3, 2, 1, 0]);
});

it('the connection pool first serves calls of operations that already have an answer', async () => {
  const { server, read, finish } = await busyServer();
  const budget = new CallBudget(2);
  budget.hasAnswers = true;
  const waiting = ['/other1', '/1', '/other2', '/2'].map((path) =>
    read(path.startsWith('/other') ? { path } : { path, budget }),
  );
  await finish();
  await Promise.all(waiting);
  expect(server.paths).toEqual(['/busy', '/1', '/2', '/other1', '/other2']);
});

it('the connection pool is saturated while its queue is more than half full, and fails calls at once if the queue is full', async () => {
  const refused: unknown[][] = [];
  const observer = { refused: (...why: unknown[]) => void refused.push(why) };
  const { parts, read, finish } = await busyServer({ observer });
  const waiting = Array.from({ length: 512 }, () => read());
  expect(parts.connections.isSaturated).toBe(false);
  waiting.push(...Array.from({ length: 512 }, () => read()));
  expect(parts.connections.isSaturated).toBe(true);
  await expect(read()).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  expect(refused).toEqual([['transactions', 'queue_full']]);
  await finish();
  expect((await settled(waiting)).every(({ status }) => status === 'fulfilled')).toBe(true);
  expect(parts.connections.isSaturated).toBe(false);
});

it('an aborted call frees its place in the queue of the connection pool', async () => {
  const { server, parts, read, finish } = await busyServer();
  const controller = new AbortController();
  const leaving = Array.from({ length: 1024 }, () => read({ signal: controller.signal }));
  controller.abort(new GatewayError('OVERLOADED'));
  await settled(leaving);
  expect(parts.connections.isSaturated).toBe(false);
  const last = read({ path: '/last' });
  await finish();
  expect(await last).toBe('"/last"');
  expect(server.paths).toEqual(['/busy', '/last']);
});

it('a circuit that opens fails the waiting calls of its own route only', async () => {
  const refused: unknown[][] = [];
  const observer = { refused: (...why: unknown[]) => void refused.push(why) };
  const { server, parts, read, finish } = await busyServer({ observer, retries: 1 });
  const waiting = [read(), read()];
  const other = textReads(parts, 'NOT_FOUND', 'persons')({ path: '/other' });
  parts.connections.refuseWaiting('transactions');
  for (const call of waiting) {
    await expect(call).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
  }
  expect(refused).toEqual(Array(2).fill(['transactions', 'circuit_open']));
  await finish();
  expect(await other).toBe('"/other"');
  expect(server.paths).toEqual(['/busy', '/other']);
});

it('a circuit that opens fails at most 16 waiting calls in a turn of the event loop, and sends none of them', async () => {
  const refused = vi.fn();
  const exchange = vi.fn();
  const { server, parts, read, finish } = await busyServer({ observer: { refused, exchange } });
  const waiting = settled(Array.from({ length: 40 }, () => read()));
  const leaving = new AbortController();
  const left = read({ signal: leaving.signal });
  parts.connections.refuseWaiting('transactions');
  expect(refused).toHaveBeenCalledTimes(16);
  leaving.abort(new GatewayError('OVERLOADED'));
  await expect(left).rejects.toMatchObject({ code: 'OVERLOADED' });
  await turn();
  expect(refused).toHaveBeenCalledTimes(32);
  await finish();
  await waiting;
  expect(refused).toHaveBeenCalledTimes(40);
  // Only the busy exchange has been sent.
  expect(server.paths).toEqual(['/busy']);
  expect(exchange).toHaveBeenCalledOnce();
});

it('closing the connection pool fails all waiting calls', async () => {
  const { parts, read, finish } = await busyServer();
  const waiting = settled(Array.from({ length: 1024 }, () => read()));
  const closed = parts.connections.close();
  await expect(finish()).rejects.toBeInstanceOf(GatewayError);
  const codes = (await waiting).map((call) => (call.status === 'rejected' ? 'failed' : 'read'));
  expect(new Set(codes)).toEqual(new Set(['failed']));
  await closed;
});

it('the connection pool opens no more connections than allowed, even if calls time out', async () => {
  let most = 0;
  await using server = await serve(() => (most = Math.max(most, server.open())));
  const read = textReads(partsOf(server.origin, { connections: 4, timeoutMs: 1000 }));
  for (let round = 0; round < 3; round++) {
    await settled(Array.from({ length: 24 }, () => read()));
  }
  expect(most).toBe(4);
});

it('bodies that are being received share the memory for answers, without their first 64 KiB', async () => {
  const maxBodyBytes = 1_000_000;
  const connections = 40;
  const fitting = 32;
  const unfinished: ServerResponse[] = [];
  await using server = await serve((_request, response) => {
    unfinished.push(response);
    response.write('x');
  });
  const onHead = vi.fn();
  subscribe('undici:request:headers', onHead);
  onTestFinished(() => void unsubscribe('undici:request:headers', onHead));
  const refused = vi.fn();
  const exchange = vi.fn();
  const settings = {
    connections,
    maxBodyBytes,
    timeoutMs: 30_000,
    observer: { refused, exchange },
  };
  const parts = partsOf(server.origin, settings);
  const ends: AbortController[] = [];
  const begin = () => {
    const end = new AbortController();
    ends.push(end);
    return { signal: end.signal, budget: new CallBudget(1) };
  };
  const keptBytes = 128 * 1_048_576 - fitting * (maxBodyBytes - 65_536);
  expect(parts.memory.keep(keptBytes, begin())).toBe(true);
  const read = textReads(parts);
  const outcomes = settled(Array.from({ length: connections }, () => read(begin())));
  // Heads take memory, too, but only until they are complete.
  await eventually(() => expect(onHead).toHaveBeenCalledTimes(connections));
  for (const response of unfinished) response.write('x'.repeat(maxBodyBytes - 2));
  await eventually(() => expect(refused).toHaveBeenCalledTimes(connections - fitting));
  expect(new Set(refused.mock.calls.flat())).toEqual(new Set(['transactions', 'memory_full']));
  expect(new Set(exchange.mock.calls.map(([, outcome]) => outcome as string))).toEqual(
    new Set(['aborted']),
  );
  ends[0]?.abort();
  for (const response of unfinished) response.end('x');
  const codes = (await outcomes).flatMap((outcome) =>
    outcome.status === 'rejected' ? [(outcome.reason as GatewayError).code] : [],
  );
  expect(codes).toEqual(Array(connections - fitting).fill('UPSTREAM_UNAVAILABLE'));
  for (const end of ends) end.abort();
  expect(parts.memory.keep(128 * 1_048_576, begin())).toBe(true);
});

it('heads that are being received share the memory for answers, and release it', async () => {
  const connections = 40;
  const fitting = Math.floor((128 * 1_048_576) / 3_670_016);
  const unfinished: ServerResponse[] = [];
  await using server = await serve((_request, response) => {
    unfinished.push(response);
    response.socket?.write('HTTP/1.1 200 OK\r\na:');
  });
  const refused = vi.fn();
  const parts = partsOf(server.origin, {
    connections,
    timeoutMs: 30_000,
    observer: { refused },
  });
  const read = textReads(parts);
  const outcomes = settled(Array.from({ length: connections }, () => read()));
  await eventually(() => expect(refused).toHaveBeenCalledTimes(connections - fitting));
  expect(new Set(refused.mock.calls.flat())).toEqual(new Set(['transactions', 'memory_full']));
  for (const { socket } of unfinished) socket?.write('b\r\ncontent-length: 2\r\n\r\n{}');
  const answered = (await outcomes).filter(({ status }) => status === 'fulfilled');
  expect(answered).toHaveLength(fitting);
  const call = { signal: new AbortController().signal, budget: new CallBudget(1) };
  const keptBytes = fitting * '{}'.length;
  expect(parts.memory.keep(128 * 1_048_576 - keptBytes, call)).toBe(true);
});

const listener = () => ({
  ...{ onSent: vi.fn(), onResent: vi.fn(), onReceived: vi.fn() },
  ...{ onBody: vi.fn(), onFailure: vi.fn(), onRefused: vi.fn() },
});

it('the connection of a body that waits stays in use until the body is passed on, so that few bodies wait', async () => {
  const { connections } = partsOf('http://127.0.0.1:1');
  const headers = { authorization: 'Bearer a.b.c', tenant: 't', requestId: 'r' };
  const ask: Ask = {
    ...{ route: 'persons', path: '/', headers, traceparent: undefined },
    ...{ notFound: 'NOT_FOUND', hasAnswers: false },
  };
  const [atOnce, later] = [vi.fn(), vi.fn()];
  for (const dispatch of [atOnce, later]) end(connections, () => undefined, 300_000, dispatch);
  for (let sent = 0; sent < 2; sent++) connections.send(ask, listener());
  expect([atOnce.mock.calls.length, later.mock.calls.length]).toEqual([2, 1]);
  await turn();
  connections.send(ask, listener());
  expect(later).toHaveBeenCalledTimes(2);
});

it('bodies that end together are passed on in order, 256 KiB in a turn of the event loop, or one body', async () => {
  const { connections } = partsOf('http://127.0.0.1:1');
  const order: string[] = [];
  const endAs = (name: string, bytes: number) =>
    end(connections, () => void order.push(name), bytes);
  endAs('first', 300_000);
  endAs('second', 300_000);
  endAs('aborted', 300_000).giveUp();
  endAs('third', 150_000);
  endAs('fourth', 150_000);
  endAs('small', 1000);
  expect(order).toEqual(['first']);
  await turn();
  expect(order).toEqual(['first', 'second']);
  await turn();
  expect(order).toEqual(['first', 'second', 'third', 'fourth']);
  await turn();
  expect(order).toEqual(['first', 'second', 'third', 'fourth', 'small']);
});

it('small bodies that end together are passed on at once up to 256 KiB, and then in later turns', async () => {
  const { connections } = partsOf('http://127.0.0.1:1');
  const passed = vi.fn();
  for (let ended = 0; ended < 40; ended++) end(connections, passed, 16_384);
  expect(passed).toHaveBeenCalledTimes(16);
  await turn();
  expect(passed).toHaveBeenCalledTimes(32);
  await turn();
  expect(passed).toHaveBeenCalledTimes(40);
  end(connections, passed, 16_384);
  expect(passed).toHaveBeenCalledTimes(41);
});

/** Ends an exchange with a body of as many bytes. */
function end(
  owner: ExchangeOwner,
  onBody: () => void,
  bytes: number,
  dispatch = vi.fn(),
): Exchange {
  const ask = { path: '/', headers: {} } as Ask;
  const exchange = new Exchange(ask, 1_000_000, { ...listener(), onBody }, owner);
  exchange.start({ client: { dispatch }, socket: null } as unknown as Connection);
  exchange.onResponseData({} as Dispatcher.DispatchController, Buffer.alloc(bytes, ' '));
  exchange.onResponseEnd();
  return exchange;
}

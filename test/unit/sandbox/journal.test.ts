// The bank's journal of the requests that it received: the recorded calls, waiting for a call, and the load.
import { once } from 'node:events';
import { Agent, IncomingMessage, request, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Ask } from '../../../src/sandbox/service/ask.ts';
import { startBank } from '../../../src/sandbox/bank.ts';
import { Journal } from '../../../src/sandbox/service/journal.ts';
import { ask, firstHolder, newAccount, startSharedBank } from './ask-bank.ts';

const bank = await startSharedBank();
beforeEach(() => bank.resetCalls());

describe('the recorded calls', () => {
  it('contain the request and its outcome', async () => {
    const id = newAccount(bank, 1);
    const path = `/accounts/${id.toUpperCase()}/transactions`;
    await ask(bank, `${path}?page=0&endDate=2026-01-01`, { headers: { 'X-Request-Id': 'r-1' } });
    const call = await bank.waitForCall(({ outcome }) => outcome === 'answered');
    expect(call).toMatchObject({
      method: 'GET',
      target: `${path}?page=0&endDate=2026-01-01`,
      path,
      route: 'transactions',
      query: { page: '0', endDate: '2026-01-01' },
      accountId: id,
      page: 0,
      tenant: firstHolder(bank).tenant,
      holderId: firstHolder(bank).id,
      status: 200,
      fault: null,
    });
    expect(call.headers).toMatchObject({ 'x-request-id': 'r-1' });
    expect(call.endedAtMs).toBeGreaterThanOrEqual(call.startedAtMs);
  });

  it('have ids that continue after a reset', async () => {
    await ask(bank, '/persons');
    const [first] = bank.calls();
    bank.resetCalls();
    expect(bank.calls()).toEqual([]);
    await ask(bank, '/persons');
    expect(bank.calls().map(({ id }) => id)).toEqual([(first?.id ?? 0) + 1]);
  });

  it('have a status as soon as the client has its answer', async () => {
    for (const path of ['/persons', '/companies', '/nowhere']) await ask(bank, path);
    expect(bank.calls().map(({ status }) => status)).toEqual([200, 403, 404]);
  });

  it('do not include requests to the control routes or the key set', async () => {
    await fetch(bank.controlUrl);
    await fetch(bank.keySetUrl);
    expect(bank.calls()).toEqual([]);
  });

  it('contain a repeated header twice', async () => {
    const headers = ['host', 'x', 'x-tenant-id', 'a', 'x-tenant-id', 'b'];
    const asked = request(`${bank.url}/persons`, { headers, agent: false }).end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    response.resume();
    expect(bank.calls()[0]?.rawHeaders.filter((name) => name === 'x-tenant-id')).toHaveLength(2);
    expect(bank.calls()[0]?.tenant).toBe(null);
  });

  it('are limited to the latest 10,000', () => {
    const journal = new Journal(() => 0);
    const message = new IncomingMessage(new Socket());
    const response = new ServerResponse(message).setMaxListeners(0);
    for (let n = 0; n < 25_000; n += 1) journal.begin(message, response, {} as Ask);
    expect(journal.calls()).toHaveLength(10_000);
    expect(journal.calls()[0]?.id).toBe(15_001);
  });
});

describe('waiting for a call', () => {
  it('resolves with a call that has already been made', async () => {
    await ask(bank, '/persons');
    expect(await bank.waitForCall(({ path }) => path === '/persons')).toBe(bank.calls()[0]);
  });

  it('resolves with a later call', async () => {
    const waited = bank.waitForCall(({ path }) => path === '/companies');
    await ask(bank, '/persons');
    await ask(bank, '/companies');
    expect(await waited).toBe(bank.calls()[1]);
  });

  it('rejects after its timeout', async () => {
    await expect(bank.waitForCall(() => true, 5)).rejects.toThrow('within 5 ms');
  });

  it('detects a client that disconnected before its answer', async () => {
    await using slow = await startBank({ latencyMs: 5000 });
    const client = new AbortController();
    const asked = ask(slow, '/persons', { signal: client.signal });
    await slow.waitForCall(() => true);
    client.abort();
    await expect(asked).rejects.toThrow();
    const call = await slow.waitForCall(({ outcome }) => outcome === 'aborted');
    expect(call.status).toBe(null);
    expect((call.endedAtMs ?? 0) - call.startedAtMs).toBeLessThan(2500);
  });
});

describe('the load of the bank', () => {
  it('counts open connections and requests in progress', async () => {
    await using busy = await startBank();
    busy.addFault({ kind: 'hang' });
    const agent = new Agent({ keepAlive: true });
    const headers = { 'content-type': 'application/json' };
    const asked = [1, 2, 3].map(() => request(`${busy.url}/persons`, { agent, headers }).end());
    asked.forEach((one) => one.on('error', () => undefined));
    await busy.waitForCall(() => busy.calls().length === 3);
    expect(busy.load()).toEqual({ sockets: 3, maxSockets: 3, requests: 3, maxRequests: 3 });
    asked.forEach((one) => one.destroy());
    await busy.waitForCall(() => busy.calls().every(({ outcome }) => outcome === 'aborted'));
    expect(busy.load()).toMatchObject({ maxSockets: 3, requests: 0 });
    await expect.poll(() => busy.load().sockets).toBe(0);
    busy.resetCalls();
    expect(busy.load()).toEqual({ sockets: 0, maxSockets: 0, requests: 0, maxRequests: 0 });
    agent.destroy();
  });

  it('excludes connections to the control routes', async () => {
    await using quiet = await startBank();
    await fetch(`${quiet.controlUrl}/load`);
    expect(quiet.load()).toEqual({ sockets: 0, maxSockets: 0, requests: 0, maxRequests: 0 });
  });
});

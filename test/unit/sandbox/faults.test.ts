// Each kind of fault as a client sees it, and the requests that a fault affects.
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import { startBank, type Bank } from '../../../src/sandbox/bank.ts';
import { ask, firstHolder, newAccount, startSharedBank } from './ask-bank.ts';

const bank = await startSharedBank();
const account = newAccount(bank, 3);
beforeEach(() => {
  bank.clearFaults();
  bank.resetCalls();
});

const statement = () => `/accounts/${account}/transactions`;
const causeOf = (promise: Promise<unknown>): Promise<{ code?: string }> =>
  promise.then(
    () => ({}),
    (error: unknown) => (error as Error).cause as { code?: string },
  );

describe('an answer whose status is set by a fault', () => {
  it.each([400, 401, 404, 429, 500, 502, 503, 504])(
    'has the secret mark in its body if the status is %i',
    async (status) => {
      bank.addFault({ kind: 'status', status });
      const response = await ask(bank, '/persons');
      expect(response.status).toBe(status);
      expect(await response.text()).toContain(bank.secretMark);
    },
  );

  it.each([2, '2', 'Wed, 21 Oct 2026 07:28:00 GMT'])(
    'may have a Retry-After of %s',
    async (after) => {
      bank.addFault({ kind: 'status', status: 429, retryAfter: after });
      expect((await ask(bank, '/persons')).headers.get('retry-after')).toBe(String(after));
    },
  );

  it('has its normal body for status 201 and no body for 204', async () => {
    bank.addFault({ kind: 'status', status: 201, times: 1 });
    bank.addFault({ kind: 'status', status: 204 });
    const created = await ask(bank, statement());
    expect([created.status, await created.text()]).toEqual([201, expect.stringContaining('data')]);
    const empty = await ask(bank, statement());
    expect([empty.status, await empty.text()]).toEqual([204, '']);
  });

  it('may have a given body and content type', async () => {
    bank.addFault({ kind: 'status', status: 200, body: 'NaN', contentType: 'text/csv' });
    const response = await ask(bank, '/persons');
    expect(await response.text()).toBe('NaN');
    expect(response.headers.get('content-type')).toBe('text/csv');
  });
});

describe('a connection with a fault', () => {
  it('can be reset before the answer begins', async () => {
    bank.addFault({ kind: 'reset' });
    expect((await causeOf(ask(bank, '/persons'))).code).toBe('ECONNRESET');
    expect((await bank.waitForCall(() => true)).outcome).toBe('reset');
  });

  it.each([
    [false, 'UND_ERR_SOCKET'],
    [true, 'ECONNRESET'],
  ])(
    'can be cut in the middle of the body, which causes $1 if the option reset is $0',
    async (reset, code) => {
      bank.addFault({ kind: 'cutBody', reset });
      const response = await ask(bank, statement());
      expect(response.status).toBe(200);
      expect((await causeOf(response.text())).code).toBe(code);
      expect((await bank.waitForCall((call) => call.endedAtMs !== null)).outcome).toBe('reset');
    },
  );

  it('can stay open without an answer until the client disconnects', async () => {
    bank.addFault({ kind: 'hang' });
    const client = new AbortController();
    const asked = ask(bank, '/persons', { signal: client.signal });
    const call = await bank.waitForCall(({ outcome }) => outcome === 'open');
    expect(call).toMatchObject({ fault: 'hang', status: null });
    client.abort();
    await expect(asked).rejects.toThrow();
    expect(await bank.waitForCall(({ outcome }) => outcome === 'aborted')).toBe(call);
  });

  it('can hang in the middle of the body', async () => {
    bank.addFault({ kind: 'hang', afterHalf: true });
    const client = new AbortController();
    const response = await ask(bank, statement(), { signal: client.signal });
    const chunk = await response.body?.getReader().read();
    expect(new TextDecoder().decode(chunk?.value as Uint8Array)).toMatch(/^\{"data":/);
    client.abort();
    await bank.waitForCall(({ outcome }) => outcome === 'aborted');
  });

  it('does not prevent the bank from closing while it hangs', async () => {
    const other = await startBank();
    other.addFault({ kind: 'hang' });
    const asked = causeOf(ask(other, '/persons'));
    await other.waitForCall(() => true);
    await other.close();
    expect((await asked).code).toBe('UND_ERR_SOCKET');
  });

  it('can carry the body in small pieces', async () => {
    bank.addFault({ kind: 'drip', bytes: 100, everyMs: 1 });
    const response = await open(bank, statement());
    const sizes: number[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) sizes.push(chunk.length);
    expect(sizes.length).toBeGreaterThan(3);
    expect(Math.max(...sizes)).toBe(100);
  });

  it('is recorded as aborted if the client disconnects between two pieces of the body', async () => {
    bank.addFault({ kind: 'drip', everyMs: 1 });
    const response = await open(bank, statement());
    await once(response, 'data');
    response.destroy();
    await bank.waitForCall(({ outcome }) => outcome === 'aborted');
  });

  it('can carry the answer after a delay', async () => {
    bank.addFault({ kind: 'delay', delayMs: 40, match: { route: 'persons' } });
    const startedAt = performance.now();
    expect((await ask(bank, '/persons')).status).toBe(200);
    expect(performance.now() - startedAt).toBeGreaterThan(38);
  });
});

describe('the body of an answer with a fault', () => {
  const bodyWith = async (...[fault]: Parameters<Bank['addFault']>) => {
    bank.addFault(fault);
    return (await ask(bank, statement())).text();
  };

  it('can be an HTML page', async () => {
    bank.addFault({ kind: 'html' });
    const response = await ask(bank, '/persons');
    expect(response.headers.get('content-type')).toContain('text/html');
    expect([response.status, await response.text()]).toEqual([
      200,
      expect.stringMatching(/^<!doc/),
    ]);
  });

  it('can be only the first half of the normal JSON', async () => {
    const text = await bodyWith({ kind: 'brokenJson' });
    expect(text).toMatch(/^\{"data":/);
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError);
  });

  it('can have a changed value at the pointer and be otherwise unchanged', async () => {
    const right = await (await ask(bank, statement())).text();
    const fault = { kind: 'wrongShape', pointer: '/data/1/status', value: 42 } as const;
    const changed = (await bodyWith(fault)).replaceAll('"status":42', '"status":""');
    const [, second = ''] = bank.statement(account).map(({ status }) => status);
    const start = right.indexOf(`"status":"${second}"`, right.indexOf('},{'));
    expect(changed).toBe(
      `${right.slice(0, start)}"status":""${right.slice(start + `"status":"${second}"`.length)}`,
    );
  });

  it.each(['1e999', '0.10', 'NaN', '{"a":1.50}', '"$&"'])(
    'can have the raw text %s at the pointer',
    async (raw) => {
      const text = await bodyWith({ kind: 'wrongShape', pointer: '/data/0/amount', raw });
      expect(text).toContain(`"amount":${raw},`);
    },
  );

  it.each(['/pagination', '/data/2/id', '/data/0'])(
    'can lack the value at the pointer %s',
    async (pointer) => {
      const whole: unknown = await (await ask(bank, statement())).json();
      const left: unknown = JSON.parse(
        await bodyWith({ kind: 'wrongShape', pointer, remove: true }),
      );
      expect(JSON.stringify(left).length).toBeLessThan(JSON.stringify(whole).length);
    },
  );

  it('is unchanged if the pointer matches nothing', async () => {
    const right = await (await ask(bank, statement())).text();
    for (const pointer of ['/nothing/at/all', '/data/77/id', '/data/0/id/x']) {
      expect(await bodyWith({ kind: 'wrongShape', pointer, value: 1, times: 1 })).toBe(right);
    }
  });

  it.each([false, true])('can have a given size (with a Content-Length: %s)', async (declared) => {
    bank.addFault({ kind: 'hugeBody', bytes: 200_000, declared });
    const response = await ask(bank, '/persons');
    expect(response.headers.get('content-length')).toBe(declared ? '200000' : null);
    const text = await response.text();
    expect(text).toHaveLength(200_000);
    expect(Object.keys(JSON.parse(text) as object)).toEqual(['padding']);
  });

  it('can have 10^12 bytes, because it is generated while the client reads it', async () => {
    bank.addFault({ kind: 'hugeBody', bytes: 1e12 });
    const response = await open(bank, '/persons');
    await once(response, 'data');
    response.destroy();
    await bank.waitForCall(({ outcome }) => outcome === 'aborted');
  });

  it.each(['gzip', 'deflate', 'br'] as const)(
    'can be encoded with %s although the client did not accept this encoding',
    async (encoding) => {
      bank.addFault({ kind: 'encoding', encoding });
      const response = await ask(bank, statement());
      expect(response.headers.get('content-encoding')).toBe(encoding);
      expect(await response.json()).toHaveProperty('data');
    },
  );

  it.each([undefined, '/data/0/beneficiaryName'])(
    'can be deeply nested at a pointer (%s), or as a whole if no pointer is given',
    async (pointer) => {
      const fault = { kind: 'nested', depth: 5000 } as const;
      const text = await bodyWith(pointer === undefined ? fault : { ...fault, pointer });
      expect(text.split('[[').length).toBeGreaterThan(2000);
      expect(text.startsWith('[[')).toBe(pointer === undefined);
    },
  );
});

it('a fault can redirect to the same path or to another origin', async () => {
  bank.addFault({ kind: 'redirect', times: 1 });
  bank.addFault({ kind: 'redirect', status: 307, location: 'https://example.com/' });
  const [again, away] = [await ask(bank, '/persons?a=1'), await ask(bank, '/persons')];
  expect([again.status, again.headers.get('location')]).toEqual([302, '/persons?a=1&redirected=1']);
  expect([away.status, away.headers.get('location')]).toEqual([307, 'https://example.com/']);
});

it.each([102, 103] as const)(
  'a fault can send the informational status %i before the answer',
  async (status) => {
    bank.addFault({ kind: 'informational', status });
    const seen: number[] = [];
    const response = await open(bank, '/persons', (early) => seen.push(early));
    expect([...seen, response.statusCode]).toEqual([status, 200]);
    response.resume();
  },
);

describe('a fault', () => {
  const isStruck = async (path: string, holder = firstHolder(bank)) =>
    (await ask(bank, path, { holder })).status === 500;
  const set = (scope: Omit<Parameters<Bank['addFault']>[0], 'kind'>) =>
    bank.addFault({ kind: 'status', status: 500, ...scope });

  it('affects every request by default', async () => {
    set({});
    expect([await isStruck('/persons'), await isStruck('/nowhere')]).toEqual([true, true]);
  });

  it.each([
    ['the route', { route: 'transactions' }, [false, true, true]],
    ['the page', { page: 1 }, [false, false, true]],
    ['both the page and the route', { page: 1, route: 'persons' }, [false, false, false]],
  ] as const)('affects only requests that match %s', async (_name, match, struck) => {
    set({ match });
    const paths = ['/persons', statement(), `${statement()}?page=1`];
    const found = [];
    for (const path of paths) found.push(await isStruck(path));
    expect(found).toEqual(struck);
  });

  it('affects only requests of the given account, tenant or holder', async () => {
    const [ana, padaria] = bank.holders;
    const other = newAccount(bank, 1);
    using byAccount = set({ match: { accountId: account.toUpperCase() } });
    expect(await isStruck(statement())).toBe(true);
    expect(await isStruck(`/accounts/${other}/transactions`)).toBe(false);
    byAccount[Symbol.dispose]();
    using byHolder = set({ match: { holderId: padaria?.id ?? '' } });
    expect([await isStruck('/companies', padaria), await isStruck('/persons')]).toEqual([
      true,
      false,
    ]);
    byHolder[Symbol.dispose]();
    set({ match: { tenant: 'elsewhere' } });
    expect(await isStruck('/persons', ana)).toBe(false);
  });

  it('affects a given number of requests after skipping some', async () => {
    const fault = set({ skip: 1, times: 2 });
    const found = [];
    for (let asked = 0; asked < 4; asked += 1) found.push(await isStruck('/persons'));
    expect(found).toEqual([false, true, true, false]);
    expect(fault.hits).toBe(2);
  });

  it('affects requests with a given probability', async () => {
    const fault = set({ probability: 0.5 });
    await Promise.all(Array.from({ length: 60 }, () => ask(bank, '/persons')));
    expect(fault.hits).toBeGreaterThan(10);
    expect(fault.hits).toBeLessThan(50);
  });

  it('takes precedence over faults that were added later, until it is removed', async () => {
    const first = bank.addFault({ kind: 'status', status: 503 });
    set({});
    expect((await ask(bank, '/persons')).status).toBe(503);
    bank.clearFaults(first.id);
    expect(await isStruck('/persons')).toBe(true);
    bank.clearFaults();
    expect([await isStruck('/persons'), bank.faults()]).toEqual([false, []]);
  });

  it('prevents read hooks from running unless the fault only changes the normal answer', async () => {
    bank.onStatementRead({ accountId: account, arrivals: 1, times: 2 });
    set({ times: 1 });
    await ask(bank, statement());
    expect(bank.statement(account)).toHaveLength(3);
    bank.addFault({ kind: 'brokenJson' });
    await ask(bank, statement());
    expect(bank.statement(account)).toHaveLength(4);
    bank.setStatement(account, 3);
  });
});

/** Requests a path with node:http, which exposes chunks and informational responses as they arrive. */
async function open(
  of: Bank,
  path: string,
  early: (status: number) => void = () => undefined,
): Promise<IncomingMessage> {
  const { id, tenant } = firstHolder(of);
  const authorization = `Bearer ${await of.tokenFor(id)}`;
  const headers = { authorization, 'x-tenant-id': tenant, 'content-type': 'application/json' };
  const request = get(`${of.url}${path}`, { headers, agent: false });
  request.on('information', ({ statusCode }: { statusCode: number }) => early(statusCode));
  request.on('continue', () => early(100));
  // The error is ignored, because a test may disconnect in the middle of the body once it has read enough.
  request.on('error', () => undefined);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response.on('error', () => undefined);
}

// The control routes over HTTP: their effects on the bank, and their answers to invalid requests.
import { readFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { controlRoutes } from '../../../src/sandbox/control/control-routes.ts';
import { transactionFields } from '../../../src/sandbox/data/transactions.ts';
import * as shapes from '../../../src/upstream/shape/shapes.ts';
import { ask, askPage, firstHolder, idsOf, newAccount, startSharedBank } from './ask-bank.ts';

const bank = await startSharedBank();
let id: string;
beforeEach(() => {
  bank.reset();
  id = newAccount(bank, 5);
});

interface Told {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function tell(line: string, body?: unknown): Promise<Told> {
  const [method = '', path = ''] = line.split(' ');
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(`${bank.controlUrl}${path}`, { method, ...content });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Told['body']) };
}

const idsIn = ({ body }: Told) => body['ids'] as string[];

describe('the overview of the control routes', () => {
  it('lists holders with their tokens and accounts, and every route', async () => {
    const { body } = await tell('GET /');
    const [holder] = body['holders'] as { token: string; tenant: string; accounts: unknown[] }[];
    const authorization = `Bearer ${holder?.token ?? ''}`;
    expect((await ask(bank, '/persons', { headers: { authorization } })).status).toBe(200);
    expect(holder?.accounts[0]).toMatchObject({ transactions: 95 });
    expect(body['routes']).toHaveLength(controlRoutes.length);
  });

  it('in docs/sandbox.md lists every route and no other', async () => {
    const docs = await readFile(new URL('../../../docs/sandbox.md', import.meta.url), 'utf8');
    for (const { method, path } of controlRoutes) expect(docs).toContain(`\`${method} ${path}\``);
    const listed = docs.match(/^\| `[A-Z]+ \/[^`]*`/gm) ?? [];
    expect(listed).toHaveLength(controlRoutes.length);
  });
});

describe('holders and their accounts', () => {
  it('can be added and listed, and accounts can be deleted', async () => {
    const added = await tell('POST /holders', { name: 'Nova', accounts: [{ transactions: 2 }] });
    const { body } = await tell(`POST /holders/${String(added.body['id'])}/accounts`, {
      balance: '1.10',
    });
    const holder = bank.holders.find(({ name }) => name === 'Nova');
    expect(holder?.accounts[1]).toBe(body['id']);
    expect((await tell('GET /holders')).body).toEqual(bank.holders);
    expect((await tell(`DELETE /accounts/${String(body['id'])}`)).status).toBe(204);
    expect((await tell(`DELETE /accounts/${String(body['id'])}`)).status).toBe(204);
  });

  it('have tokens with the requested claims', async () => {
    const { id: holder, tenant } = firstHolder(bank);
    const { body } = await tell('POST /tokens', { holder, tenant, claims: { exp: 1 } });
    const authorization = `Bearer ${String(body['token'])}`;
    expect((await ask(bank, '/persons', { headers: { authorization } })).status).toBe(401);
  });
});

describe('the behaviour of the bank', () => {
  it('can be changed as a whole or for one account', async () => {
    const changed = await tell('PATCH /behaviour', { pageSize: 7, outOfRange: 'clamp' });
    expect(changed.body).toMatchObject({ pageSize: 7, outOfRange: 'clamp', pageBase: 0 });
    const own = await tell(`PATCH /accounts/${id}/behaviour`, { pageSize: 3, wrongPage: null });
    expect(own.body).toMatchObject({ pageSize: 3, outOfRange: 'clamp' });
    expect((await tell('GET /behaviour')).body).toEqual(bank.behaviour());
    expect((await tell(`GET /accounts/${id}/behaviour`)).body).toEqual(bank.behaviour(id));
  });

  it('is back to its defaults after a reset', async () => {
    await tell('PATCH /behaviour', { pageSize: 7 });
    expect((await tell('POST /reset')).status).toBe(204);
    expect(bank.behaviour().pageSize).toBe(20);
  });
});

describe('statements', () => {
  it('can be read and replaced', async () => {
    const { body } = await tell(`GET /accounts/${id}/statement`);
    expect(body['transactions']).toEqual(bank.statement(id));
    const shape = { tieSizes: [3], newest: '2026-04-01T00:00:00.000Z', gapMs: 5 };
    const ids = idsIn(await tell(`PUT /accounts/${id}/statement`, { transactions: 9, ...shape }));
    expect(ids).toEqual(idsOf(bank, id));
    expect(bank.statement(id)[3]?.createdAt).toBe('2026-03-31T23:59:59.995Z');
    const listed = [{ amount: '0.10' }, { json: 'null' }];
    await tell(`PUT /accounts/${id}/statement`, { transactions: listed });
    expect(bank.statement(id)).toMatchObject([{ amount: '0.10' }, {}]);
  });

  it('can be replaced by transactions of which every field is given', async () => {
    const given = bank.statement(newAccount(bank, 3));
    await tell(`PUT /accounts/${id}/statement`, { transactions: given });
    expect(bank.statement(id)).toEqual(given);
    const { data } = await askPage(bank, id);
    const kinds: Readonly<Record<string, string>> = transactionFields;
    const sent = given.map((row) =>
      Object.entries(row).map(([name, value]) => [
        name,
        kinds[name] === 'number' ? Number(value) : value,
      ]),
    );
    expect(data).toEqual(sent.map((fields) => Object.fromEntries(fields) as unknown));
  });

  it('have transactions with the fields that the gateway reads', () => {
    const kinds = new Map([
      ['string (UUID)', 'text'],
      ['string', 'text'],
      ['number', 'number'],
      ['boolean', 'flag'],
      ['string (timestamp)', 'instant'],
    ]);
    const read = Object.entries(shapes.transactionFields);
    const expected = read.map(([name, { sent }]) => [name, kinds.get(sent)]);
    expect(transactionFields).toEqual(Object.fromEntries(expected));
  });

  it('can be changed by arrivals, late postings, removals and ties', async () => {
    const given = { amount: '12.00' };
    const arrived = idsIn(await tell(`POST /accounts/${id}/arrivals`, { count: 2, given }));
    expect(idsOf(bank, id).slice(0, 2)).toEqual(arrived.reverse());
    expect(idsIn(await tell(`POST /accounts/${id}/arrivals`))).toHaveLength(1);
    expect(idsIn(await tell(`POST /accounts/${id}/late-postings`, { count: 2 }))).toHaveLength(2);
    const tied = idsIn(await tell(`POST /accounts/${id}/ties`, { from: 0, count: 3 }));
    expect(tied).toEqual(idsOf(bank, id).slice(0, 3));
    for (const removal of [{ ids: tied.slice(0, 1) }, { index: 0, count: 2 }, { random: 3 }]) {
      await tell(`POST /accounts/${id}/removals`, removal);
    }
    expect(bank.statement(id)).toHaveLength(4);
  });

  it('can receive arrivals at intervals, and the request that stops these arrivals succeeds', async () => {
    expect((await tell(`PUT /accounts/${id}/arrivals`, { everyMs: 1 })).status).toBe(204);
    await expect.poll(() => bank.statement(id).length).toBeGreaterThan(6);
    expect((await tell(`DELETE /accounts/${id}/arrivals`)).status).toBe(204);
  });

  it('change at every read until their read hooks are removed', async () => {
    await tell(`POST /accounts/${id}/read-hooks`, { arrivals: 1, timing: 'after' });
    await ask(bank, `/accounts/${id}/transactions`);
    await tell(`DELETE /accounts/${id}/read-hooks`);
    await ask(bank, `/accounts/${id}/transactions`);
    expect(bank.statement(id)).toHaveLength(6);
  });
});

describe('faults', () => {
  const faults = [
    { kind: 'status', status: 503, retryAfter: 2, body: 'x', contentType: 'text/plain' },
    { kind: 'reset' },
    { kind: 'hang', afterHalf: true },
    { kind: 'cutBody', reset: true },
    { kind: 'drip', bytes: 2, everyMs: 5 },
    { kind: 'delay', delayMs: 5 },
    { kind: 'html', body: '<p>' },
    { kind: 'brokenJson' },
    { kind: 'wrongShape', pointer: '/data/0/id', value: null },
    { kind: 'wrongShape', pointer: '/data/0/id', raw: '1e999' },
    { kind: 'wrongShape', pointer: '/data/0/id', remove: true },
    { kind: 'hugeBody', bytes: 100, declared: true },
    { kind: 'redirect', status: 301, location: '/' },
    { kind: 'encoding', encoding: 'br' },
    { kind: 'nested', depth: 10, pointer: '/data' },
    { kind: 'informational', status: 102 },
  ];
  it.each(faults)('can be of the kind $kind', async (fault) => {
    const match = { route: 'transactions', accountId: id, page: 1, tenant: 't', holderId: 'h' };
    const scoped = { ...fault, match, skip: 1, times: 2, probability: 0.5 };
    const { status, body } = await tell('POST /faults', scoped);
    expect([status, body]).toEqual([200, { id: body['id'], fault: scoped, hits: 0 }]);
    expect((await tell('GET /faults')).body).toEqual([body]);
  });

  it('can be removed one by one or all at once', async () => {
    const { body } = await tell('POST /faults', { kind: 'reset' });
    await tell('POST /faults', { kind: 'html' });
    await tell(`DELETE /faults/${String(body['id'])}`);
    expect(bank.faults().map(({ fault }) => fault.kind)).toEqual(['html']);
    await tell('DELETE /faults');
    expect(bank.faults()).toEqual([]);
  });
});

it('the control routes list and delete the recorded calls, and report the load', async () => {
  await ask(bank, '/persons');
  await bank.waitForCall(({ endedAtMs }) => endedAtMs !== null);
  const { body } = await tell('GET /calls');
  expect(body['calls']).toEqual(JSON.parse(JSON.stringify(bank.calls())));
  expect((await tell('GET /load')).body).toMatchObject({ requests: 0, maxRequests: 1 });
  await tell('DELETE /calls');
  expect(bank.calls()).toEqual([]);
});

describe('an invalid request', () => {
  const cases: [string, unknown, number, string][] = [
    ['GET /nowhere', undefined, 404, 'no such route'],
    ['PUT /faults', { kind: 'reset' }, 404, 'no such route'],
    ['GET /accounts/x/statement', undefined, 404, 'no account x'],
    ['GET /accounts/%/statement', undefined, 400, 'malformed'],
    ['POST /holders/x/accounts', {}, 404, 'no holder x'],
    ['POST /tokens', {}, 400, 'body.holder: Invalid key'],
    ['POST /tokens', { holder: 'x' }, 404, 'no holder x.'],
    [
      'POST /tokens',
      { holder: firstHolder(bank).id, tenant: 'y' },
      404,
      `no holder ${firstHolder(bank).id} in the tenant y`,
    ],
    ['DELETE /faults/99', undefined, 404, 'no fault 99'],
    ['PATCH /behaviour', { pageSize: 0 }, 400, 'body.pageSize: Invalid value: Expected >=1'],
    ['PATCH /behaviour', { pageSize: 1.5 }, 400, 'body.pageSize: Invalid integer'],
    [
      'POST /holders',
      { name: 1, phone: 2 },
      400,
      'body.name: Invalid type: Expected string but received 1\nbody.phone',
    ],
    ['PATCH /behaviour', { size: 1 }, 400, 'body.size: Invalid key'],
    ['PATCH /behaviour', { __proto__: null, constructor: 1 }, 400, 'body.constructor: Invalid key'],
    ['PATCH /behaviour', { tieOrder: 'odd' }, 400, 'body.tieOrder: Invalid type'],
    ['PATCH /behaviour', [], 400, 'must be an object'],
    ['PATCH /behaviour', { requireContentType: 'no' }, 400, 'Expected boolean'],
    ['POST /faults', { kind: 'gremlin' }, 400, 'body.kind: Invalid type'],
    ['POST /faults', { kind: 'status' }, 400, 'body.status: Invalid key'],
    [
      'POST /faults',
      { kind: 'reset', match: { route: 'x' } },
      400,
      'body.match.route: Invalid type',
    ],
    ['POST /holders', { name: 1 }, 400, 'body.name: Invalid type: Expected string'],
    ['POST /holders', { accounts: [{ balance: '1,50' }] }, 400, 'no JSON number'],
    ['POST /holders', { accounts: {} }, 400, 'body.accounts: Invalid type: Expected Array'],
    ['GET /accounts/nope/behaviour', undefined, 404, 'no account nope'],
    ['PATCH /accounts/nope/behaviour', { pageSize: 3 }, 404, 'no account nope'],
    ['PATCH /behaviour', { latencyMs: 2 ** 31 }, 400, 'body.latencyMs: Invalid value'],
    ['PATCH /behaviour', { latencyJitterMs: 2 ** 31 }, 400, 'body.latencyJitterMs: Invalid value'],
    ['POST /faults', { kind: 'delay', delayMs: 2 ** 31 }, 400, 'body.delayMs: Invalid value'],
    ['POST /faults', { kind: 'drip', everyMs: 2 ** 31 }, 400, 'body.everyMs: Invalid value'],
    [
      'POST /faults',
      { kind: 'wrongShape', pointer: 'data/0/id', value: 1 },
      400,
      'body.pointer: Invalid JSON pointer',
    ],
    ['POST /faults', { kind: 'nested', depth: 2, pointer: 'data' }, 400, 'Invalid JSON pointer'],
    [
      'POST /faults',
      { kind: 'status', status: 503, retryAfter: 'a\nb' },
      400,
      'body.retryAfter: Invalid header value',
    ],
    [
      'POST /faults',
      { kind: 'status', status: 503, contentType: 'text/\u2028' },
      400,
      'body.contentType: Invalid header value',
    ],
    [
      'POST /faults',
      { kind: 'redirect', location: '/\r\n' },
      400,
      'body.location: Invalid header value',
    ],
    ['DELETE /faults/abc', undefined, 404, 'no fault abc'],
  ];
  it.each(cases)(
    'to %s with the body %o is answered with %i and the error "%s"',
    async (line, sent, status, message) => {
      const told = await tell(line, sent);
      expect([told.status, told.body['error']]).toEqual([status, expect.stringContaining(message)]);
    },
  );

  it.each([
    ['arrivals', { given: { createdAt: 'soon' } }, 'body.given.createdAt: Invalid instant'],
    ['arrivals', { given: { amount: 'much' } }, 'no JSON number'],
    ['removals', { all: true }, 'body: Expected ids'],
    ['removals', {}, 'body: Expected ids'],
    ['arrivals', { count: 2, given: { id: 'one' } }, 'count cannot be more than 1'],
    ['late-postings', { count: 2, given: { id: 'one' } }, 'count cannot be more than 1'],
  ])(
    'to the route "%s" with the body %o is answered with 400 and changes nothing',
    async (path, sent, message) => {
      const { status, body } = await tell(`POST /accounts/${id}/${path}`, sent);
      expect([status, body['error']]).toEqual([400, expect.stringContaining(message)]);
      expect(bank.statement(id)).toHaveLength(5);
    },
  );

  it('to replace a statement leaves it unchanged, whether or not it was read before', async () => {
    const replace = () =>
      tell(`PUT /accounts/${id}/statement`, { transactions: [{}, { amount: 'abc' }] });
    expect((await replace()).status).toBe(400);
    const ids = idsOf(bank, id);
    expect(ids).toHaveLength(5);
    expect((await replace()).status).toBe(400);
    expect(idsOf(bank, id)).toEqual(ids);
  });

  it.each([
    ['a transaction', { transactions: [{ amount: 'abc' }] }, 'no JSON number'],
    ['a gap', { transactions: 3, gapMs: 1e300 }, 'Invalid time value'],
  ])('to open an account with the invalid value of %s opens none', async (_of, given, message) => {
    const { id: holder } = firstHolder(bank);
    const accounts = firstHolder(bank).accounts.length;
    const opened = await tell(`POST /holders/${holder}/accounts`, given);
    expect([opened.status, opened.body['error']]).toEqual([400, expect.stringContaining(message)]);
    expect((await tell('POST /holders', { accounts: [given] })).status).toBe(400);
    expect(firstHolder(bank).accounts).toHaveLength(accounts);
    expect((await tell('GET /')).status).toBe(200);
  });

  it.each([{ everyMs: 0 }, { everyMs: 2 ** 31 }])(
    'for arrivals at intervals with the body %o does not stop the current ones',
    async (sent) => {
      await tell(`PUT /accounts/${id}/arrivals`, { everyMs: 1 });
      expect((await tell(`PUT /accounts/${id}/arrivals`, sent)).status).toBe(400);
      const { length } = bank.statement(id);
      await expect.poll(() => bank.statement(id).length).toBeGreaterThan(length);
    },
  );

  it('is answered with an error if its body is not JSON or is too large', async () => {
    const response = await fetch(`${bank.controlUrl}/faults`, { method: 'POST', body: '{' });
    expect(response.status).toBe(400);
    const huge = 'x'.repeat(17 * 1024 * 1024);
    const refused = await fetch(`${bank.controlUrl}/faults`, { method: 'POST', body: huge });
    expect(await refused.text()).toContain('over 16777216 bytes');
  });
});

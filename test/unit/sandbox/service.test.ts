// The sandbox bank as a service: the content of profiles, rejected requests, account ids, base path, seed, outages and
// latency.
import { describe, expect, it } from 'vitest';
import { startBank } from '../../../src/sandbox/bank.ts';
import { ask, type Asking, firstHolder, startSharedBank } from './ask-bank.ts';

const bank = await startSharedBank();

const holderOf = (name: RegExp) => {
  const found = bank.holders.find((holder) => name.test(holder.name));
  if (found === undefined) throw new Error(`Nobody is called ${name.source}.`);
  return found;
};
const ana = () => firstHolder(bank);
const padaria = () => holderOf(/Padaria/);
const pescados = () => holderOf(/Pescados/);

describe('profiles', () => {
  it('of a person have person, individual, address and accounts', async () => {
    const profile = (await (await ask(bank, '/persons')).json()) as Record<string, unknown>;
    expect(Object.keys(profile)).toEqual(['person', 'individual', 'address', 'accounts']);
    expect(profile['person']).toMatchObject({ id: ana().id, status: 'ACTIVE', name: ana().name });
    expect(profile['accounts']).toMatchObject(ana().accounts.map((id) => ({ id })));
  });

  it('of a company have entityType, entity, accounts, and a token that contains the secret mark', async () => {
    const response = await ask(bank, '/companies', { holder: padaria() });
    const profile = (await response.json()) as Record<string, unknown>;
    expect(Object.keys(profile)).toEqual(['token', 'entityType', 'entity', 'accounts']);
    expect(profile['entityType']).toBe('COMPANY');
    expect(profile['token']).toMatch(new RegExp(`^eyJ[\\w-]+\\.[\\w-]+\\.${bank.secretMark}$`));
  });

  it('keep every digit of their numbers', async () => {
    const first = await (await ask(bank, '/persons')).text();
    expect(first).toContain('"balance":1523.40,');
    const huge = await ask(bank, '/persons', { holder: holderOf(/Carlos/) });
    const text = await huge.text();
    expect(text).toContain('"balance":12345678901234567.89,');
    expect(text).toContain('"position":98765432109876543210.123456789');
    expect(text).toContain('"dailyRate":0.00045513000');
    expect(text).toContain('"unitPrice":1e3');
  });

  it('of one holder differ between its two tenants', async () => {
    const [here, there] = bank.holders.filter(({ id }) => id === ana().id);
    expect(here?.tenant).not.toBe(there?.tenant);
    expect(await (await ask(bank, '/persons', { holder: ana() })).text()).toContain(here?.name);
    const other = { id: ana().id, tenant: there?.tenant ?? '' };
    expect(await (await ask(bank, '/persons', { holder: other })).text()).toContain(there?.name);
  });
});

describe('a request', () => {
  const expired = { exp: Math.floor(Date.now() / 1000) - 1 };
  const statement = () => `/accounts/${ana().accounts[0] ?? ''}/transactions`;
  const cases: [string, number, () => string, (() => Promise<Asking> | Asking)?][] = [
    ['to an unknown path', 404, () => '/people'],
    ['with another method', 405, () => '/persons', () => ({ method: 'POST' })],
    [
      'without a content type',
      415,
      () => '/persons',
      () => ({ headers: { 'content-type': undefined } }),
    ],
    ['without a token', 401, () => '/persons', () => ({ headers: { authorization: undefined } })],
    [
      'with a token that is not a JWT',
      401,
      () => '/persons',
      () => ({ headers: { authorization: 'Bearer abc' } }),
    ],
    [
      'with a token that is not JSON',
      401,
      () => '/persons',
      () => ({ headers: { authorization: 'Bearer a.b.c' } }),
    ],
    ['with an expired token', 401, () => '/persons', () => withToken(ana().id, expired)],
    [
      'with a token of an unknown holder',
      401,
      () => '/persons',
      () => withToken(crypto.randomUUID()),
    ],
    ['without a tenant', 400, () => '/persons', () => ({ headers: { 'x-tenant-id': undefined } })],
    [
      'with two tenants',
      400,
      () => '/persons',
      () => ({ headers: { 'x-tenant-id': 'aurora, aurora' } }),
    ],
    ['with a tenant that lacks the holder', 403, () => '/companies', () => asStranger()],
    ['of a person to /companies', 403, () => '/companies'],
    ['of a company to /persons', 403, () => '/persons', () => ({ holder: padaria() })],
    ['for an account of another holder', 404, statement, () => ({ holder: padaria() })],
    ['for an account of another tenant', 404, statement, () => ({ holder: pescados() })],
    ['for an account in a tenant that lacks the holder', 404, statement, () => asStranger()],
    ['for an unknown account', 404, () => `/accounts/${crypto.randomUUID()}/transactions`],
  ];

  const withToken = async (id: string, claims?: Record<string, unknown>): Promise<Asking> => ({
    headers: { authorization: `Bearer ${await bank.tokenFor(id, claims)}` },
  });
  const asStranger = (): Asking => ({ holder: { id: padaria().id, tenant: pescados().tenant } });

  it.each(cases)('%s is rejected with status %i', async (_name, status, path, asking) => {
    const response = await ask(bank, path(), await asking?.());
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ statusCode: status });
  });

  it('for a profile of the wrong kind is rejected with status 404 if wrongKind is 404', async () => {
    await using strict = await startBank({ wrongKind: 404 });
    expect((await ask(strict, '/companies')).status).toBe(404);
  });

  it('without a content type is accepted if requireContentType is false', async () => {
    await using lax = await startBank({ requireContentType: false });
    const headers = { 'content-type': undefined };
    expect((await ask(lax, '/persons', { headers })).status).toBe(200);
  });
});

it('the bank accepts account ids in any letter case', async () => {
  const path = `/accounts/${(ana().accounts[0] ?? '').toUpperCase()}/transactions`;
  expect((await ask(bank, path)).status).toBe(200);
});

it('the bank serves only paths below its base path', async () => {
  await using below = await startBank({ basePath: '/v1/accounts-service' });
  expect(below.url).toMatch(/\/v1\/accounts-service$/);
  expect((await ask(below, '/persons')).status).toBe(200);
  expect((await fetch(new URL('/persons', below.url))).status).toBe(404);
});

it('the bank has the same data for the same seed, and different data for another seed', async () => {
  await using same = await startBank();
  await using other = await startBank({ seed: 'another' });
  const account = ana().accounts[0] ?? '';
  expect(same.holders).toEqual(bank.holders);
  expect(same.statement(account)).toEqual(bank.statement(account));
  expect(other.holders.map(({ id }) => id)).not.toContain(ana().id);
});

it('the bank refuses connections while it is offline, and has the same address afterwards', async () => {
  await using shaky = await startBank();
  await shaky.goOffline();
  await expect(ask(shaky, '/persons')).rejects.toThrow();
  await shaky.goOnline();
  expect((await ask(shaky, '/persons')).status).toBe(200);
});

it('the bank answers with the configured latency, which an account may override', async () => {
  await using slow = await startBank({ latencyMs: 30, latencyJitterMs: 10 });
  const [first = '', second = ''] = firstHolder(slow).accounts;
  slow.configure({ latencyMs: 0, latencyJitterMs: 0 }, second);
  const path = (id: string) => `/accounts/${id}/transactions`;
  const order: string[] = [];
  const noted = (id: string) => ask(slow, path(id)).then(() => order.push(id));
  await Promise.all([noted(first), noted(second)]);
  expect(order).toEqual([second, first]);
  const [call] = slow.calls().filter(({ accountId }) => accountId === first);
  expect((call?.endedAtMs ?? 0) - (call?.startedAtMs ?? 0)).toBeGreaterThanOrEqual(29);
});

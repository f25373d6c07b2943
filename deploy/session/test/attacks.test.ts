// Attacks on sign-in and sessions, and failures of Redis and of a provider.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SignJWT } from 'jose';
import { retainedBytes } from '../../../test/support/memory.ts';
import { startRedis, type TestRedis } from '../../../test/support/redis.ts';
import { type Agent, createAgent } from './agent.ts';
import { type Kit, reachCallback, startKit } from './kit.ts';

const query = '{ me { ... on AccountHolder { name } } }';

let redis: TestRedis;
let kit: Kit;
beforeAll(async () => {
  redis = await startRedis();
  kit = await startKit({ env: { REDIS_URL: redis.url } });
});
afterAll(async () => {
  await kit[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
});

function customerOf(tenant: string): string {
  return kit.gateway.bank.holders.find((holder) => holder.tenant === tenant)?.id ?? '';
}

const signIn = () => kit.signIn('aurora', customerOf('aurora'));
const startOf = (tenant: string) => `${kit.origin}/session/sign-in/${tenant}`;
const sessionOf = (agent: Agent) => agent.cookie(kit.origin, '__Host-session');

async function isSignedIn(agent: Agent): Promise<boolean> {
  return (await kit.ask(agent, query)).status === 200;
}

test('a victim who opens an attacker’s callback is not signed in as the attacker', async () => {
  const callback = await reachCallback(createAgent(), startOf('aurora'), customerOf('aurora'));
  const victim = createAgent();
  const answer = await victim.send(callback);
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain('The sign-in was not completed');
  expect(sessionOf(victim)).toBeUndefined();
  // Nor if the victim is just signing in: the state is not that of this browser.
  await reachCallback(victim, startOf('aurora'), customerOf('aurora'));
  expect((await victim.send(callback)).status).toBe(400);
  expect(sessionOf(victim)).toBeUndefined();
});

test('a callback cannot be used twice', async () => {
  const agent = createAgent();
  const callback = await reachCallback(agent, startOf('aurora'), customerOf('aurora'));
  const attempt = agent.cookie(kit.origin, '__Host-sign-in') ?? '';
  expect((await agent.send(callback)).status).toBe(303);
  const thief = createAgent();
  thief.setCookie(kit.origin, '__Host-sign-in', attempt);
  expect((await thief.send(callback)).status).toBe(400);
  expect(sessionOf(thief)).toBeUndefined();
});

test('a session id that was known before the sign-in is not that of the customer', async () => {
  const agent = createAgent();
  agent.setCookie(kit.origin, '__Host-session', 'known');
  await kit.signIn('aurora', customerOf('aurora'), agent);
  const first = sessionOf(agent) ?? '';
  expect(first).not.toBe('known');
  await kit.signIn('aurora', customerOf('aurora'), agent);
  expect(sessionOf(agent)).not.toBe(first);
  const earlier = createAgent();
  earlier.setCookie(kit.origin, '__Host-session', first);
  expect(await isSignedIn(earlier)).toBe(false);
  expect(await isSignedIn(agent)).toBe(true);
});

test('a stolen cookie is worthless after the sign-out', async () => {
  const agent = await signIn();
  const thief = createAgent();
  thief.setCookie(kit.origin, '__Host-session', sessionOf(agent) ?? '');
  expect(await isSignedIn(thief)).toBe(true);
  const headers = { origin: kit.origin, 'x-csrf': '1' };
  await agent.send(`${kit.origin}/session/sign-out`, { method: 'POST', headers });
  expect(await isSignedIn(thief)).toBe(false);
});

test('an answer of one provider is not accepted for another', async () => {
  const agent = createAgent();
  const callback = new URL(await reachCallback(agent, startOf('aurora'), customerOf('aurora')));
  // The attacker's provider sends the browser on with the code of the honest one.
  const mixed = new URL(callback);
  mixed.pathname = '/session/callback/cooperativa:litoral';
  expect((await agent.send(mixed)).status).toBe(400);
  const other = createAgent();
  const second = new URL(await reachCallback(other, startOf('aurora'), customerOf('aurora')));
  second.searchParams.set('iss', kit.providers.get('cooperativa:litoral')?.issuer ?? '');
  expect((await other.send(second)).status).toBe(400);
  expect([sessionOf(agent), sessionOf(other)]).toEqual([undefined, undefined]);
});

test.each([
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  'javascript:alert(1)',
  '/\t/evil.example',
  '@evil.example',
])('a sign-in does not lead to the foreign address %j', async (returnTo) => {
  const agent = createAgent();
  const start = `${startOf('aurora')}?returnTo=${encodeURIComponent(returnTo)}`;
  const callback = await reachCallback(agent, start, customerOf('aurora'));
  const location = (await agent.send(callback)).headers.get('location') ?? '';
  expect(new URL(location, kit.origin).origin).toBe(kit.origin);
  expect(location).toMatch(/^\/(?![/\\])/);
});

describe('a request that does not come from the app', () => {
  test.each([
    ['without the header', { 'x-csrf': '' }],
    ['of another origin', { origin: 'https://evil.example' }],
    ['of another site', { 'sec-fetch-site': 'cross-site' }],
  ])('is refused %s', async (_, wrong) => {
    const agent = await signIn();
    const headers = new Headers({ origin: kit.origin, 'x-csrf': '1', ...wrong });
    if (headers.get('x-csrf') === '') headers.delete('x-csrf');
    for (const path of ['/graphql', '/session/sign-out']) {
      const body = JSON.stringify({ query });
      const answer = await agent.send(`${kit.origin}${path}`, { method: 'POST', headers, body });
      expect(answer.status).toBe(403);
    }
    expect(await isSignedIn(agent)).toBe(true);
  });
});

test('a flood of sign-ins that are never completed leaves nothing in memory or in Redis', async () => {
  const keys = await redis.client.dbsize();
  const start = () => fetch(startOf('aurora'), { redirect: 'manual' });
  const flood = async () => {
    for (let round = 0; round < 10; round++) await Promise.all(Array.from({ length: 100 }, start));
    return retainedBytes();
  };
  const before = await flood();
  expect((await flood()) - before).toBeLessThan(1_000_000);
  expect(await redis.client.dbsize()).toBe(keys);
});

test('cookies with the wrong seal, or of any length, are not signed in', async () => {
  for (const value of ['', 'x', 'x'.repeat(8000), 'Fe26.2*1*a*b*c**d*e*f']) {
    const agent = createAgent();
    agent.setCookie(kit.origin, '__Host-session', value);
    agent.setCookie(kit.origin, '__Host-sign-in', value);
    expect((await kit.ask(agent, query)).status).toBe(401);
    expect((await agent.send(`${kit.origin}/session/callback/aurora?code=a&state=b`)).status).toBe(
      400,
    );
  }
});

test('a forged logout token ends no session', async () => {
  const agent = await signIn();
  const { issuer = '', clientId = '' } = kit.providers.get('aurora') ?? {};
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  const forged = await new SignJWT({ events, sub: customerOf('aurora') })
    .setProtectedHeader({ alg: 'HS256', kid: 'aurora' })
    .setIssuer(issuer)
    .setAudience(clientId)
    .setJti('1')
    .setIssuedAt()
    .sign(new TextEncoder().encode('x'.repeat(32)));
  const [idToken = ''] = kit.providers.get('aurora')?.issued.slice(-2, -1) ?? [];
  for (const token of [forged, idToken, 'x', '']) {
    const body = new URLSearchParams({ logout_token: token });
    const url = `${kit.origin}/session/back-channel-logout/aurora`;
    expect((await fetch(url, { method: 'POST', body })).status).toBe(400);
  }
  expect(await isSignedIn(agent)).toBe(true);
});

test('while Redis is away requests fail clearly, and afterwards the session is there again', async () => {
  const agent = await signIn();
  redis.hang();
  const answer = await kit.ask(agent, query);
  expect(answer.status).toBe(503);
  expect(answer.headers.get('set-cookie')).toBeNull();
  expect(await answer.json()).toMatchObject({
    errors: [{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }],
  });
  redis.goOn();
  await expect.poll(() => isSignedIn(agent), { timeout: 20_000 }).toBe(true);
});

test('while a provider is away sessions go on, and a sign-in shows a page that says so', async () => {
  await using other = await startKit();
  const agent = await other.signIn('aurora', customerOf('aurora'));
  await other.providers.get('aurora')?.[Symbol.asyncDispose]();
  expect((await other.ask(agent, query)).status).toBe(200);
  // Soon to expire: the token is still good, though it cannot be refreshed.
  other.advance(280);
  expect((await other.ask(agent, query)).status).toBe(200);
  other.advance(60);
  const expired = await other.ask(agent, query);
  expect([expired.status, expired.headers.get('set-cookie')]).toEqual([503, null]);
  await using fresh = await startKit({ env: { ISSUERS: unreachable } });
  const page = await fetch(`${fresh.origin}/session/sign-in/aurora`);
  expect(page.status).toBe(503);
  expect(await page.text()).toContain('Nothing is lost');
});

const unreachable = JSON.stringify([
  { tenant: 'aurora', issuer: 'http://127.0.0.1:9', clientId: 'app', clientSecret: 'x' },
]);

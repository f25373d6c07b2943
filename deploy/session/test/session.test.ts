// Signing in, asking, refreshing and signing out, with real providers, a real gateway and a real Redis.
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startRedis, type TestRedis } from '../../../test/support/redis.ts';
import { createAgent } from './agent.ts';
import { type Kit, reachCallback, startKit } from './kit.ts';

const ana = 'Ana Beatriz Moreira da Silva';
const query = '{ me { ... on AccountHolder { id name } } }';

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

/** The id of the first customer of a tenant. */
function customerOf(tenant: string): string {
  return kit.gateway.bank.holders.find((holder) => holder.tenant === tenant)?.id ?? '';
}

const signIn = (tenant = 'aurora') => kit.signIn(tenant, customerOf(tenant));

async function nameFor(agent: Awaited<ReturnType<typeof signIn>>): Promise<unknown> {
  const { data } = (await (await kit.ask(agent, query)).json()) as {
    data: { me: { name: string } };
  };
  return data.me.name;
}

async function signOut(agent: Awaited<ReturnType<typeof signIn>>, headers = {}) {
  return agent.send(`${kit.origin}/session/sign-out`, {
    method: 'POST',
    headers: { origin: kit.origin, 'x-csrf': '1', ...headers },
  });
}

const sessionOf = (agent: Awaited<ReturnType<typeof signIn>>) =>
  agent.cookie(kit.origin, '__Host-session');

describe('a signed-in browser', () => {
  test('reads the data of its customer in the tenant of its provider', async () => {
    const agent = await signIn();
    expect(await nameFor(agent)).toBe(ana);
    const state = await agent.send(`${kit.origin}/session`);
    expect(await state.json()).toEqual({ signedIn: true, tenant: 'aurora' });
    const other = await signIn('cooperativa:litoral');
    expect(await nameFor(other)).not.toBe(ana);
  });

  test('gets no token, code or verifier in any answer or cookie of the kit', async () => {
    const agent = createAgent();
    const seen: string[] = [];
    const record = async (response: Response) => {
      seen.push(JSON.stringify([...response.headers]), await response.clone().text());
      return response;
    };
    const start = `${kit.origin}/session/sign-in/aurora`;
    const callback = await reachCallback(agent, start, customerOf('aurora'));
    await record(await agent.send(callback));
    await record(await kit.ask(agent, query));
    await record(await agent.send(`${kit.origin}/session`));
    await record(await signOut(agent));
    const all = [...seen, ...agent.received].join('\n');
    const { issued = [] } = kit.providers.get('aurora') ?? {};
    expect(issued.length).toBeGreaterThan(3);
    expect(issued.filter((token) => all.includes(token))).toEqual([]);
    // Not only the beginning of a token: three letters may also be in a random text.
    expect(all).not.toMatch(/eyJ[\w-]+\.eyJ/);
  });

  test('has cookies that scripts, other hosts and other sites cannot use', async () => {
    const agent = await signIn();
    const [session = ''] = agent.received.filter((line) => line.startsWith('__Host-session'));
    expect(session).toMatch(
      /^__Host-session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    const [attempt = ''] = agent.received.filter((line) => line.startsWith('__Host-sign-in'));
    expect(attempt).toMatch(/; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  });

  test('returns to the place in the app where it began', async () => {
    const agent = createAgent();
    const start = `${kit.origin}/session/sign-in/aurora?returnTo=${encodeURIComponent('/a?b=c#d')}`;
    const callback = await reachCallback(agent, start, customerOf('aurora'));
    expect((await agent.send(callback)).headers.get('location')).toBe('/a?b=c#d');
  });

  test('is signed out here and at the provider, and its refresh token is revoked', async () => {
    const agent = await signIn();
    const provider = kit.providers.get('aurora');
    const before = provider?.revocations() ?? 0;
    const answer = (await (await signOut(agent)).json()) as { continueAt: string };
    expect((provider?.revocations() ?? 0) - before).toBe(1);
    const issuer = provider?.issuer ?? '';
    expect(answer.continueAt.startsWith(`${issuer}/session/end?`)).toBe(true);
    expect(answer.continueAt).not.toContain('id_token_hint');
    expect((await kit.ask(agent, query)).status).toBe(401);
    expect(sessionOf(agent)).toBeUndefined();
  });

  test('is signed out by a sign-out at the provider', async () => {
    const agent = await signIn();
    const { issuer = '' } = kit.providers.get('aurora') ?? {};
    const page = await agent.send(`${issuer}/session/end`);
    const [, xsrf = ''] = /name="xsrf" value="([^"]+)"/.exec(await page.text()) ?? [];
    const body = new URLSearchParams({ xsrf, logout: 'yes' });
    await agent.send(`${issuer}/session/end/confirm`, { method: 'POST', body });
    expect((await kit.ask(agent, query)).status).toBe(401);
  });
});

describe('an access token', () => {
  test('that has expired is refreshed once, for all requests and all replicas', async () => {
    const agent = await signIn();
    const provider = kit.providers.get('aurora');
    const before = provider?.refreshes() ?? 0;
    const replica = await kit.startReplica();
    kit.advance(400);
    const urls = [kit.origin, replica, kit.origin, replica, kit.origin, replica];
    const answers = await Promise.all(
      urls.map((url) =>
        fetch(`${url}/graphql`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            origin: kit.origin,
            'x-csrf': '1',
            cookie: `__Host-session=${sessionOf(agent) ?? ''}`,
          },
          body: JSON.stringify({ query }),
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(urls.map(() => 200));
    expect((provider?.refreshes() ?? 0) - before).toBe(1);
    // The refresh token was rotated: the next refresh needs the new one.
    kit.advance(400);
    expect(await nameFor(agent)).toBe(ana);
    expect((provider?.refreshes() ?? 0) - before).toBe(2);
  });

  test('that expires soon is refreshed while requests go on with it', async () => {
    const agent = await signIn();
    const provider = kit.providers.get('aurora');
    const before = provider?.refreshes() ?? 0;
    kit.advance(280);
    expect(await nameFor(agent)).toBe(ana);
    await expect.poll(() => (provider?.refreshes() ?? 0) - before, { timeout: 20_000 }).toBe(1);
  });
});

describe('a session', () => {
  test('ends after the absolute lifetime, and in Redis after the idle time', async () => {
    const agent = await signIn();
    const keys = await redis.client.keys('account-bff-session:session:*');
    const lives = await Promise.all(keys.map((key) => redis.client.ttl(key)));
    expect(Math.max(...lives)).toBeLessThanOrEqual(15 * 60);
    expect(Math.max(...lives)).toBeGreaterThan(14 * 60);
    kit.advance(12 * 3600 + 1);
    expect((await kit.ask(agent, query)).status).toBe(401);
  });

  test('is sealed in Redis, under a key that is not the cookie', async () => {
    const agent = await signIn();
    const keys = await redis.client.keys('*');
    const values = await Promise.all(
      keys.filter((key) => key.includes(':session:')).map((key) => redis.client.get(key)),
    );
    const all = JSON.stringify([keys, values]);
    expect(all).not.toContain(sessionOf(agent));
    // Not only the beginning of a token: three letters may also be in a random text.
    expect(all).not.toMatch(/eyJ[\w-]+\.eyJ/);
    expect(all).not.toContain(customerOf('aurora').toUpperCase());
  });
});

test('the gateway gets the token, the tenant and no cookie, and its answer is streamed', async () => {
  const heads: Record<string, unknown>[] = [];
  const rest = Promise.withResolvers<undefined>();
  const upstream = createServer((request, response) => {
    heads.push(request.headers);
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json', 'set-cookie': 'a=b' });
    response.write('{"data":');
    void rest.promise.then(() => response.end('null}'));
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  await using other = await startKit({ env: { GATEWAY_URL: url } });
  const agent = await other.signIn('aurora', customerOf('aurora'));
  const headers = {
    authorization: 'Bearer mine',
    'x-tenant-id': 'cooperativa:litoral',
    'x-request-id': 'r1',
  };
  const response = await other.ask(agent, query, headers);
  const reader = response.body?.getReader();
  const first = await reader?.read();
  expect(new TextDecoder().decode(first?.value as Uint8Array)).toBe('{"data":');
  rest.resolve(undefined);
  const second = await reader?.read();
  expect(new TextDecoder().decode(second?.value as Uint8Array)).toBe('null}');
  expect(response.headers.get('set-cookie')).toBeNull();
  expect(heads[0]).toMatchObject({ 'x-tenant-id': 'aurora', 'x-request-id': 'r1' });
  expect(heads[0]?.['authorization']).toMatch(/^Bearer eyJ/);
  expect(heads[0]).not.toHaveProperty('cookie');
  expect(heads[0]).not.toHaveProperty('x-csrf');
  upstream.close();
});

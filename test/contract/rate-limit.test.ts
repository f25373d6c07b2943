// RATE_LIMIT_PER_MINUTE: which requests count, and for which caller; how excess requests are rejected; and how gateways
// count with and without Redis.
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startBank } from '../../src/sandbox/bank.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import {
  type Answer,
  ask as askUrl,
  callerHeaders,
  codesOf,
  firstHolder,
  post,
  query,
} from '../support/query.ts';
import { byId, sha256 } from '../support/manifest.ts';
import { hasRedis, startRedis, type TestRedis } from '../support/redis.ts';

const document = '{ accounts { id } }';

/** The numbers of answers with data and of answers with RATE_LIMITED. */
function tally(answers: readonly Answer[]): { served: number; limited: number } {
  const limited = answers.filter((answer) => codesOf(answer)[0] === 'RATE_LIMITED').length;
  return { served: answers.filter(({ data }) => data !== undefined).length, limited };
}

async function times(count: number, ask: (n: number) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let n = 0; n < count; n++) answers.push(await ask(n));
  return answers;
}

describe('with the rate limit in memory', () => {
  const clock = { ms: 0 };
  let gateway: TestGateway;
  beforeEach(async () => {
    clock.ms = Date.now();
    gateway = await startTestGateway({ RATE_LIMIT_PER_MINUTE: '3' }, { now: () => clock.ms });
    return () => gateway.close();
  });

  test.each(['application/json', 'application/graphql-response+json'])(
    'an operation over the budget gets status 429, the media type %s and Retry-After, without a call to the service',
    async (accept) => {
      await times(3, () => query(gateway, document));
      const callsBefore = gateway.bank.calls().length;
      clock.ms += 20_500;
      const answer = await query(gateway, document, { headers: { accept } });
      expect(answer.status).toBe(429);
      expect(answer.headers.get('content-type')).toBe(`${accept}; charset=utf-8`);
      expect(answer.headers.get('retry-after')).toBe('40');
      expect(answer.errors).toEqual([
        { message: 'Too many requests.', extensions: { code: 'RATE_LIMITED', retryAfter: 40 } },
      ]);
      expect(JSON.parse(answer.text)).not.toHaveProperty('data');
      expect(gateway.bank.calls()).toHaveLength(callsBefore);
    },
  );

  test('the budget is renewed a minute after the first operation', async () => {
    expect(tally(await times(4, () => query(gateway, document)))).toEqual({
      served: 3,
      limited: 1,
    });
    clock.ms += 59_999;
    expect(tally([await query(gateway, document)])).toEqual({ served: 0, limited: 1 });
    clock.ms += 1;
    expect(tally(await times(4, () => query(gateway, document)))).toEqual({
      served: 3,
      limited: 1,
    });
  });

  test('setting the clock back causes no rejection', async () => {
    const headers = await callerHeaders(gateway.bank, undefined, { iat: 0, nbf: 0 });
    await times(4, () => query(gateway, document, { headers }));
    clock.ms -= 3_600_000;
    expect(tally([await query(gateway, document, { headers })])).toEqual({ served: 1, limited: 0 });
  });

  test('rejected requests do not delay the renewal of the budget', async () => {
    await times(100, () => query(gateway, document));
    clock.ms += 60_000;
    expect(tally([await query(gateway, document)])).toEqual({ served: 1, limited: 0 });
  });

  test('each token has its own budget', async () => {
    const { bank } = gateway;
    const callers = [
      await callerHeaders(bank),
      await callerHeaders(bank, firstHolder(bank), { jti: 'another' }),
    ];
    for (const headers of callers) {
      expect(tally(await times(4, () => query(gateway, document, { headers })))).toEqual({
        served: 3,
        limited: 1,
      });
    }
  });

  test('a token has one budget for all tenants', async () => {
    const headers = await callerHeaders(gateway.bank);
    const answers = await times(9, (n) =>
      query(gateway, document, { headers: { ...headers, 'x-tenant-id': `tenant-${n}` } }),
    );
    expect(tally(answers).limited).toBe(6);
  });

  test.each([
    ['__typename', '{ __typename }'],
    ['introspection', '{ __schema { queryType { name } } }'],
    ['the SDL', '{ _service { sdl } }'],
    ['a document that cannot be parsed', '{'],
    ['an invalid document', '{ nothing }'],
    ['a mutation', 'mutation { x }'],
  ])('%s does not count towards the budget', async (_name, free) => {
    await times(5, () => query(gateway, free));
    expect(tally(await times(4, () => query(gateway, document)))).toEqual({
      served: 3,
      limited: 1,
    });
  });

  test('requests without the exact token of a caller do not use up the caller’s budget', async () => {
    const headers = await callerHeaders(gateway.bank);
    const { authorization } = headers;
    const strangers: Record<string, string>[] = [
      { ...headers, authorization: 'Bearer nonsense' },
      { ...headers, authorization: `${authorization.slice(0, -8)}AAAAAAAA` },
      { ...headers, authorization: authorization.split('.').slice(0, 2).join('.') },
      { 'x-tenant-id': headers['x-tenant-id'] },
    ];
    for (const stranger of strangers) {
      await times(5, () =>
        post(gateway, JSON.stringify({ query: document }), { headers: stranger }),
      );
    }
    expect(tally(await times(3, () => query(gateway, document)))).toEqual({
      served: 3,
      limited: 0,
    });
  });

  test('an operation counts once, whatever it selects', async () => {
    const large = `{ accounts { id transactions { totalCount } } me { __typename } }`;
    expect(tally(await times(4, () => query(gateway, large)))).toEqual({ served: 3, limited: 1 });
  });
});

test('a request with another tenant’s token counts towards the budget, but a request without a valid tenant does not', async () => {
  await using gateway = await startTestGateway({
    RATE_LIMIT_PER_MINUTE: '3',
    JWT_TENANT_CLAIM: 'tenant',
  });
  const headers = await callerHeaders(gateway.bank, undefined, { tenant: 'other' });
  const askAs = (tenant: Readonly<Record<string, string>>) => () =>
    query(gateway, document, { headers: { ...headers, ...tenant } });
  const codes = (answers: readonly Answer[]) => answers.flatMap(codesOf);
  expect(codes(await times(5, askAs({ 'x-tenant-id': 'not one' })))).toEqual(
    Array.from({ length: 5 }, () => 'TENANT_REQUIRED'),
  );
  expect(codes(await times(4, askAs({ 'x-tenant-id': 'another' })))).toEqual([
    ...['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN'],
    'RATE_LIMITED',
  ]);
  expect(gateway.bank.calls()).toEqual([]);
});

test.skipIf(!hasRedis)(
  'without RATE_LIMIT_PER_MINUTE, no operation is counted in Redis',
  async () => {
    await using redis = await startRedis();
    await using gateway = await startTestGateway({ REDIS_URL: redis.url });
    await query(gateway, document);
    expect(await redis.client.keys('*')).toEqual([]);
  },
);

describe.skipIf(!hasRedis)('with the rate limit in Redis', () => {
  let redis: TestRedis;
  beforeEach(async () => {
    redis = await startRedis();
    return () => redis[Symbol.asyncDispose]();
  });

  const gateways: TestGateway[] = [];
  afterEach(async () => {
    for (const gateway of gateways.splice(0).reverse()) await gateway.close();
  });

  /** Starts two gateways for one bank, with a shared budget of six operations. */
  async function startTwo(): Promise<[TestGateway, TestGateway]> {
    const env = { RATE_LIMIT_PER_MINUTE: '6', REDIS_URL: redis.url };
    const one = await startTestGateway(env);
    gateways.push(one);
    const other = await startTestGateway(env, { bank: one.bank });
    gateways.push(other);
    return [one, other];
  }

  /** Returns a function that sends the requests of one caller to the two gateways alternately. */
  function byTurns(pair: readonly [TestGateway, TestGateway]): (n: number) => Promise<Answer> {
    return (n) => query(n % 2 === 0 ? pair[0] : pair[1], document);
  }

  test('two gateways share one budget', async () => {
    const answers = await times(10, byTurns(await startTwo()));
    expect(tally(answers.slice(0, 6))).toEqual({ served: 6, limited: 0 });
    expect(tally(answers.slice(6))).toEqual({ served: 0, limited: 4 });
    for (const { errors, status } of answers.slice(6)) {
      expect(status).toBe(429);
      expect(errors?.[0]?.extensions.retryAfter).toBeGreaterThan(50);
      expect(errors?.[0]?.extensions.retryAfter).toBeLessThanOrEqual(60);
    }
  });

  test('two gateways count each of their concurrent operations once', async () => {
    const ask = byTurns(await startTwo());
    const asked = Array.from({ length: 40 }, (_, n) => ask(n));
    expect(tally(await Promise.all(asked))).toEqual({ served: 6, limited: 34 });
  });

  test('the stored keys contain neither the token nor the tenant, and expire after a minute', async () => {
    const pair = await startTwo();
    await query(pair[0], document);
    const keys = await redis.client.keys('*');
    expect(keys).toEqual([expect.stringMatching(/^account-bff:1:rate:[\w-]{43}$/)]);
    expect(await redis.client.pttl(keys[0] ?? '')).toBeLessThanOrEqual(60_000);
  });

  test('the Redis permissions in docs/limits.md are sufficient', async () => {
    const page = readFileSync('docs/limits.md', 'utf8');
    const [, sentence = ''] = /The user needs ([^.]+) on keys/.exec(page) ?? [];
    const names = [...sentence.matchAll(/[A-Z]{3,}/g)].map(([name]) => name.toLowerCase());
    expect(names).toContain('ping');
    const rights = names.map((name) => `+${name}`);
    await redis.client.acl('SETUSER', 'gateway', 'on', '>pass', '~account-bff:*', ...rights);
    const url = `${redis.url.replace('//', '//gateway:pass@')}/3`;
    await using gateway = await startTestGateway({ RATE_LIMIT_PER_MINUTE: '6', REDIS_URL: url });
    await query(gateway, document, { extensions: byId(sha256(document)) });
    await redis.client.select(3);
    await vi.waitFor(async () => expect(await redis.client.dbsize()).toBe(2));
    expect(gateway.log.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  test('while Redis hangs, each gateway serves requests and counts alone; later both share the count again', async () => {
    const pair = await startTwo();
    const askAt = (gateway: TestGateway) => () => query(gateway, document);
    await times(4, askAt(pair[0]));
    redis.hang();
    const start = performance.now();
    const answers = await times(7, askAt(pair[0]));
    expect(performance.now() - start).toBeLessThan(3000);
    expect(tally(answers)).toEqual({ served: 2, limited: 5 });
    expect(tally(await times(7, askAt(pair[1])))).toEqual({ served: 6, limited: 1 });
    for (const { log } of pair) {
      expect(log.filter(({ msg }) => String(msg).startsWith('Redis is down'))).toHaveLength(1);
    }
    redis.goOn();
    await counted(redis, pair);
  });

  test('requests are served while Redis restarts, and are counted in Redis again afterwards', async () => {
    const pair = await startTwo();
    await redis.kill();
    expect(tally(await times(4, byTurns(pair)))).toEqual({ served: 4, limited: 0 });
    await redis.start();
    await counted(redis, pair);
  });

  test('a gateway remembers its own count if Redis restarts and has lost it', async () => {
    const pair = await startTwo();
    const askAt = () => query(pair[0], document);
    await times(4, askAt);
    await redis.kill();
    await redis.start();
    await counted(redis, pair);
    expect(tally(await times(7, askAt))).toEqual({ served: 2, limited: 5 });
  });

  test('the log has the reason if Redis asks for a password and none is set', async () => {
    await redis.client.acl('SETUSER', 'default', 'on', '>pass');
    await using gateway = await startTestGateway({ REDIS_URL: redis.url });
    const said = gateway.log.find(({ msg }) => String(msg).startsWith('Redis is down'));
    expect(said?.['reason']).toBe('NOAUTH');
    await redis.client.acl('SETUSER', 'default', 'on', 'nopass');
  });

  test('two processes share one budget, work without Redis, report the failure of Redis in a metric, and reconnect', async () => {
    await using bank = await startBank();
    const env = { UPSTREAM_URL: bank.url, RATE_LIMIT_PER_MINUTE: '6', REDIS_URL: redis.url };
    await using one = await startGatewayProcess(env);
    await using other = await startGatewayProcess(env);
    const askAs = (headers: Readonly<Record<string, string>>) => (n: number) =>
      query({ url: n % 2 === 0 ? one.url : other.url, bank }, document, { headers });
    const ask = askAs(await callerHeaders(bank));
    const failures = async () => {
      const { text } = await askUrl(`${one.adminUrl}/metrics`);
      return Number(/^account_bff_redis_failures_total (\d+)$/m.exec(text)?.[1]);
    };
    expect(tally(await times(10, ask))).toEqual({ served: 6, limited: 4 });
    expect(await failures()).toBe(0);

    redis.hang();
    // A token that has used up its budget is rejected even without Redis.
    expect(tally(await times(2, ask))).toEqual({ served: 0, limited: 2 });
    const somebody = async () =>
      askAs(await callerHeaders(bank, undefined, { jti: Math.random() }));
    expect(tally(await times(10, await somebody()))).toEqual({ served: 10, limited: 0 });
    expect(await failures()).toBe(5);

    await redis.kill();
    await redis.start();
    await vi.waitFor(
      async () => {
        await redis.client.flushall();
        await times(2, await somebody());
        expect(Object.values(await redis.client.mget(await redis.client.keys('*')))).toEqual(['2']);
      },
      { timeout: 10_000, interval: 50 },
    );
    const counted = await failures();
    await times(2, await somebody());
    expect(await failures()).toBe(counted);
    expect([...one.lines, ...other.lines].join()).not.toContain(new URL(redis.url).host);
  });

  test('a gateway starts and stops while Redis hangs', async () => {
    redis.hang();
    const start = performance.now();
    const env = { RATE_LIMIT_PER_MINUTE: '6', REDIS_URL: redis.url };
    const gateway = await startTestGateway(env);
    expect(tally([await query(gateway, document)])).toEqual({ served: 1, limited: 0 });
    await gateway.close();
    expect(performance.now() - start).toBeLessThan(4000);
    redis.goOn();
  });
});

/**
 * Waits until each gateway counts in Redis. Each request has a new token, because the budget of an old one may be used
 * up.
 */
async function counted(redis: TestRedis, gateways: readonly TestGateway[]): Promise<void> {
  for (const gateway of gateways) {
    await vi.waitFor(
      async () => {
        await redis.client.flushall();
        const headers = await callerHeaders(gateway.bank, undefined, { jti: Math.random() });
        expect((await query(gateway, document, { headers })).status).toBe(200);
        expect(await redis.client.keys('*')).toHaveLength(1);
      },
      { timeout: 10_000, interval: 50 },
    );
    expect(gateway.log.map(({ msg }) => msg)).toContain('Redis is up again');
  }
}

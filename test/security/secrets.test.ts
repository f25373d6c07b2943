// Answers, logs, metrics, traces, Redis commands and a process title are searched for secrets after requests and
// failures of every kind.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { errorKinds } from '../../src/errors.ts';
import { type Bank, startBank } from '../../src/sandbox/bank.ts';
import { startCollector } from '../support/collector.ts';
import { scrape } from '../support/exposition.ts';
import { startGatewayProcess } from '../support/gateway-process.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { askedMark, found, partsOf, personalMark, secretMark } from '../support/marks.ts';
import { codesOf } from '../support/query.ts';
import { openSocket, receiveAll } from '../support/raw.ts';
import { freePort } from '../support/port.ts';
import { hasRedis, startRedis, type TestRedis } from '../support/redis.ts';
import { createSigner, signToken, unsignedToken } from '../support/tokens.ts';
import * as traffic from './secret-traffic.ts';

const client = new traffic.Client();
/** What gateways logged, exported or sent to Redis, and the title of a gateway's process. */
const seen = { log: '', metrics: '', traces: '', redis: '', title: '' };
let bank: Bank;
let callers: readonly traffic.Caller[];
let hits: readonly number[];
/** `secrets` must not appear in any output; `personal` strings may appear only in the `data` of answers. */
let secrets: readonly string[];
let personal: readonly string[];

const redisPassword = `redis-${secretMark}`;
const keyPassword = `keys-${secretMark}`;

beforeAll(async () => {
  bank = await startBank();
  const holders = traffic.addHolders(bank);
  callers = await Promise.all(
    holders.map(async (holder) => ({
      holder,
      token: await bank.tokenFor(holder, {
        jti: secretMark,
        email: personalMark,
        nested: { secretMark },
      }),
    })),
  );
  const bad = badTokens(callers[0]?.token ?? '', holders[0]?.tenant ?? '');
  const tokens = [...callers.map(({ token }) => token), ...bad];
  secrets = [secretMark, bank.secretMark, ...tokens.flatMap(partsOf)];
  personal = [personalMark, ...traffic.personalTexts(holders)];
  await withEverything(bad);
  await withoutKeys();
  await withoutClock();
  await inACrowd();
  await atTheEnd();
}, 120_000);
afterAll(() => bank.close());

/** Rejected tokens, each with a mark. */
function badTokens(good: string, tenant: string): string[] {
  const claims = { jti: secretMark, tenant, exp: 4_000_000_000 };
  const stranger = createSigner('ES256', secretMark);
  return [
    secretMark.repeat(4),
    good.slice(0, -8),
    `${good.slice(0, -8)}AAAAAAAA`,
    signToken(stranger, claims),
    signToken(stranger, { ...claims, exp: 1 }),
    unsignedToken(claims, { alg: 'none', kid: secretMark }),
  ];
}

/**
 * Sends requests of every kind to a process with all settings that may contain a secret, and then makes the process
 * crash.
 */
async function withEverything(bad: readonly string[]): Promise<void> {
  await using collector = await startCollector();
  await using redis = hasRedis ? await startRedis() : null;
  const gateway = await startGatewayProcess({
    ...verifying(keyPassword),
    UPSTREAM_URL: bank.url,
    // On a busy machine, a shorter timeout would open the circuit, so that no call meets the next fault.
    UPSTREAM_TIMEOUT_MS: '1000',
    JWT_TENANT_CLAIM: 'tenant',
    RATE_LIMIT_PER_MINUTE: '100000',
    ROUTER_SECRET: traffic.routerSecret,
    OPERATIONS_MANIFEST: traffic.writeManifest(),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url.replace('//', `//reader:traces-${secretMark}@`),
    LOG_LEVEL: 'trace',
    ...(redis !== null && { REDIS_URL: await guarded(redis) }),
    NODE_OPTIONS: `--import=${import.meta.dirname}/../support/defects.ts`,
    DEFECT_SAYS: `it carried Bearer ${callers[0]?.token ?? ''}`,
    DEFECT_CARRIES: JSON.stringify({
      password: secretMark,
      headers: { authorization: secretMark, cookie: [secretMark] },
    }),
  });
  using watched = redis === null ? null : await watch(redis.client);
  hits = await traffic.askThroughFaults(client, gateway, bank, callers);
  await traffic.askOtherwise(client, gateway, callers);
  await traffic.askAsStrangers(client, gateway, callers[0] as traffic.Caller, bad);
  await expireCursor(gateway);
  await unsettle(gateway);
  seen.metrics += (await scrape(gateway)).text;
  seen.title += execFileSync('ps', ['-p', String(gateway.pid), '-o', 'args='], {
    encoding: 'utf8',
  });
  expect(await gateway.end('SIGUSR2')).toBe(1);
  seen.log += gateway.printed;
  seen.traces += collector.text;
  seen.redis += watched?.commands.join('\n') ?? '';
}

const verifying = (password: string) => {
  const url = bank.keySetUrl.replace('//', `//reader:${password}@`);
  return { JWT_JWKS_URL: url, JWT_ISSUER: bank.issuer, JWT_AUDIENCE: bank.audience };
};

/** Adds a user with a password to Redis; returns the address with both. */
async function guarded({ url, client: admin }: TestRedis): Promise<string> {
  await admin.acl('SETUSER', 'gateway', 'on', `>${redisPassword}`, '~account-bff:*', '+@all');
  return `${url.replace('//', `//gateway:${redisPassword}@`)}/0`;
}

/** Records the commands that Redis reports with MONITOR, until the returned object is disposed of. */
async function watch(admin: Redis): Promise<Disposable & { readonly commands: string[] }> {
  const commands: string[] = [];
  const monitor = await admin.monitor();
  monitor.on('monitor', (_time: string, parts: string[]) => commands.push(parts.join(' ')));
  return { commands, [Symbol.dispose]: () => monitor.disconnect() };
}

async function expireCursor(gateway: { readonly url: string }): Promise<void> {
  const [caller] = callers as [traffic.Caller];
  const [id = ''] = caller.holder.accounts;
  const lines = traffic.callerLines(caller);
  const slice = async (args: string) =>
    client.ask(
      gateway,
      { query: `{ transactions(accountId: "${id}", ${args}) { edges { cursor } } }` },
      lines,
    );
  const { data } = await slice('first: 61');
  const { edges } = data?.['transactions'] as { edges: readonly { cursor: string }[] };
  // Removes the row of the cursor and all other rows that the cursor names.
  bank.remove(id, { index: 20, count: 70 });
  await slice(`first: 20, after: "${edges[60]?.cursor ?? ''}"`);
}

/** Reads a slice while a row is removed before each page. */
async function unsettle(gateway: { readonly url: string }): Promise<void> {
  const [caller] = callers as [traffic.Caller];
  const { id, tenant } = caller.holder;
  const accountId = bank.addAccount(id, { tenant, transactions: 300 });
  bank.onStatementRead({ accountId, removals: 1, times: 50 });
  const query = `{ transactions(accountId: "${accountId}", last: 100) { totalCount edges { cursor } } }`;
  await client.ask(gateway, { query }, traffic.callerLines(caller));
}

/** Calls `ask` with a gateway in this process, and keeps the gateway's metrics and log. */
async function during(
  env: Readonly<Record<string, string>>,
  ask: (gateway: TestGateway) => Promise<unknown>,
  now: () => number = Date.now,
): Promise<void> {
  const gateway = await startTestGateway({ LOG_LEVEL: 'trace', ...env }, { bank, now });
  await ask(gateway);
  seen.metrics += (await scrape(gateway)).text;
  await gateway.close();
  seen.log += logOf(gateway);
}

async function withoutKeys(): Promise<void> {
  const url = `http://reader:${keyPassword}@127.0.0.1:${await freePort()}/${secretMark}`;
  await during({ JWT_JWKS_URL: url }, (gateway) => traffic.askEverything(client, gateway, callers));
}

/**
 * Runs three gateways: one whose clock throws an error that quotes a secret, one with OPERATIONS_ONLY, and one with a
 * rate limit.
 */
async function withoutClock(): Promise<void> {
  const broken = () => {
    throw Object.assign(new Error(`no time for Bearer ${callers[0]?.token ?? ''}`), {
      token: secretMark,
    });
  };
  await during(
    { RATE_LIMIT_PER_MINUTE: '1' },
    (gateway) => traffic.askEverything(client, gateway, callers),
    broken,
  );
  const only = { OPERATIONS_MANIFEST: traffic.writeManifest(), OPERATIONS_ONLY: 'on' };
  await during(only, (gateway) => traffic.askEverything(client, gateway, callers));
  await during({ RATE_LIMIT_PER_MINUTE: '1' }, async (gateway) => {
    await traffic.askEverything(client, gateway, callers);
    await traffic.askEverything(client, gateway, callers);
  });
}

/** Saturates a gateway: one connection to a hanging service, and a queue of calls that is more than half full. */
async function inACrowd(): Promise<void> {
  const env = { UPSTREAM_CONNECTIONS: '1', MAX_PARALLEL_READS: '50', UPSTREAM_TIMEOUT_MS: '4000' };
  await during(env, async (gateway) => {
    bank.addFault({ kind: 'hang' });
    const [caller] = callers as [traffic.Caller];
    const [id = ''] = caller.holder.accounts;
    const crowd = Array.from({ length: 22 }, (_, group) => {
      const fields = Array.from({ length: 25 }, (_, i) => {
        const day = new Date(Date.UTC(2020, 0, 1 + i + 25 * group)).toISOString().slice(0, 10);
        return `_${i}: transactions(accountId: "${id}", from: "${day}") { totalCount }`;
      });
      return client.ask(gateway, { query: `{ ${fields.join(' ')} }` }, traffic.callerLines(caller));
    });
    await vi.waitFor(async () => {
      const answer = await client.ask(gateway, { query: '{ __typename }' });
      expect(codesOf(answer)).toEqual(['OVERLOADED']);
    }, 10_000);
    await Promise.all(crowd);
    bank.clearFaults();
  });
}

/**
 * Sends two pipelined requests, the second one while the gateway closes. The first request is answered, and the second
 * is rejected.
 */
async function atTheEnd(): Promise<void> {
  const gateway = await startTestGateway({ LOG_LEVEL: 'trace' }, { bank });
  bank.addFault({ kind: 'delay', delayMs: 300 });
  const socket = await openSocket(gateway);
  const received = receiveAll(socket);
  const idle = await openSocket(gateway);
  const [caller] = callers as [traffic.Caller];
  const lines = traffic.callerLines(caller);
  const request = traffic.requestBytes({ query: '{ accounts { id } }' }, lines);
  socket.write(request);
  await bank.waitForCall(({ outcome }) => outcome === 'open');
  const closed = gateway.close();
  // Once this idle connection is closed, the gateway is draining, and rejects pipelined requests.
  await once(idle.resume(), 'close');
  socket.write(request);
  client.keep(await received);
  await closed;
  bank.clearFaults();
  seen.log += logOf(gateway);
}

const logOf = ({ log }: TestGateway) => log.map((line) => JSON.stringify(line)).join('\n');

describe('the search for secrets', () => {
  test('covers every error code, every kind of fault and every kind of operation', () => {
    const told = [...seen.log.matchAll(/"codes":\[([^\]]*)\]/g)].flatMap(
      ([, codes = '']) => codes.match(/\w+/g) ?? [],
    );
    const met = new Set([...client.answers.flatMap(codesOf), ...told]);
    expect(Object.keys(errorKinds).filter((code) => !met.has(code))).toEqual([]);
    expect(hits).toHaveLength(Object.values(traffic.faults).flat().length);
    expect(Math.min(...hits)).toBeGreaterThan(0);
    for (const kind of ['query', 'mutation', 'subscription'])
      expect(seen.log).toContain(`"operationKind":"${kind}"`);
  });

  test('covers every personal string in the `data` of answers', () => {
    const data = client.answers.map((answer) => JSON.stringify(answer.data)).join();
    expect(found(personal, data)).toEqual(personal);
  });

  test('finds secrets in UTF-8, hex, base64 and base64url, and the parts of a token', () => {
    for (const offset of ['', 'a', 'bc']) {
      const bytes = Buffer.from(`${offset}${secretMark}d`);
      for (const encoding of ['utf8', 'hex', 'base64', 'base64url'] as const) {
        expect(found([secretMark], `…${bytes.toString(encoding)}…`), encoding).toEqual([
          secretMark,
        ]);
      }
    }
    const { token } = callers[0] as traffic.Caller;
    expect(found(partsOf(token), `…${token}…`)).toEqual(partsOf(token));
  });
});

describe('secrets', () => {
  test('are in no answer, and personal data is only in the `data` of an answer', () => {
    const hidden = [...secrets, new URL(bank.url).host];
    for (const { bytes, data, text } of client.answers) {
      expect(found(hidden, bytes), bytes.slice(0, 2000)).toEqual([]);
      const head = bytes.slice(0, bytes.indexOf('\r\n\r\n'));
      const rest =
        data == null ? text : JSON.stringify({ ...(JSON.parse(text) as object), data: null });
      expect(found(personal, head + rest), bytes.slice(0, 2000)).toEqual([]);
    }
  });

  test.each(['log', 'metrics', 'traces'] as const)(
    'are absent from the %s, as are personal data and request data',
    (where) => {
      expect(seen[where].length).toBeGreaterThan(10_000);
      expect(found([...secrets, ...personal, askedMark], seen[where])).toEqual([]);
    },
  );

  test('are redacted in the log line of a crash whose error contains them', () => {
    const [crash = ''] = seen.log.split('\n').filter((line) => line.includes('"level":"fatal"'));
    expect(crash).toContain('it carried Bearer [redacted]');
    expect(crash).toContain('defects.ts');
    expect(found(secrets, crash)).toEqual([]);
  });

  test('are not in the process title', () => {
    expect(seen.title).toContain('src/main.ts');
    expect(found([...secrets, ...personal], seen.title)).toEqual([]);
  });

  test.skipIf(!hasRedis)(
    'are in no Redis command except for authentication, and Redis keys contain only hashes',
    () => {
      expect(seen.redis).toMatch(/evalsha|eval/i);
      expect(seen.redis).toMatch(/account-bff:1:apq:[0-9a-f]{64}/);
      expect(found([...secrets, ...personal], seen.redis)).toEqual([]);
      const keys = new Set(seen.redis.match(/account-bff:\S+/g));
      expect(keys.size).toBe(3);
      for (const key of keys)
        expect(key).toMatch(/^account-bff:1:(?:rate:[\w-]{43}|apq:[0-9a-f]{64})$/);
    },
  );

  test('are in no call to the service, except in the caller’s Authorization and x-tenant-id headers', () => {
    for (const { rawHeaders, target } of bank.calls()) {
      const others = rawHeaders.filter(
        (_, i) => !/^(?:authorization|x-tenant-id)$/i.test(rawHeaders[i - 1] ?? ''),
      );
      expect(
        found([secretMark, traffic.routerSecret, redisPassword], [...others, target].join('\n')),
      ).toEqual([]);
    }
  });
});

test('invalid settings that may contain a secret are reported without their values', async () => {
  const wrong = {
    REDIS_URL: `http://:${secretMark}@redis.example`,
    JWT_JWKS_URL: `ftp://reader:${secretMark}@keys.example`,
    UPSTREAM_URL: `http://user:${secretMark}@bank.example`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `grpc://:${secretMark}@traces.example`,
    PORT: 'x',
    ROUTER_SECRET: secretMark,
  };
  const error = await startGatewayProcess(wrong).catch((reason: unknown) => reason as Error);
  const told = error instanceof Error ? error.message : '';
  for (const name of Object.keys(wrong).slice(0, 5)) expect(told).toContain(name);
  expect(found([secretMark], told)).toEqual([]);
});

// The shared store over a real Redis: what it keeps, and that nobody waits for a Redis that hangs or is gone.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { once } from 'node:events';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openSharedStore, type SharedRedis, type SharedStore } from '../../src/shared-store.ts';
import { freePort } from '../support/port.ts';
import { hasRedis, startRedis, type TestRedis } from '../support/redis.ts';

/** What the store logged: level and reason or message. */
const lines: string[] = [];
const log = {
  warn: ({ reason }: { reason: string }) => void lines.push(`warn ${reason}`),
  info: (message: string) => void lines.push(`info ${message}`),
};
const failures = { count: 0 };
beforeEach(() => {
  lines.length = 0;
  failures.count = 0;
});

const stores: SharedStore[] = [];
afterEach(() => {
  for (const store of stores.splice(0)) store.close();
});

async function open(url: string | null): Promise<SharedStore> {
  const store = await openSharedStore({ url, log, onFailure: () => (failures.count += 1) });
  stores.push(store);
  return store;
}

/** A store over a Redis. */
async function openOver(url: string) {
  const store = await open(url);
  if (store.redis === null) throw new Error('no Redis');
  return { store, redis: store.redis };
}

const anything = () => true;

async function timeOf(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await action().catch(() => undefined);
  return performance.now() - start;
}

/** Until it is asked again: at most the pause between two probes, and between two tries to connect. */
function untilBack(redis: SharedRedis): Promise<void> {
  return vi.waitFor(() => expect(redis.isAway).toBe(false), { timeout: 10_000, interval: 20 });
}

describe('in memory', () => {
  test('a text is kept, and an unknown key is undefined', async () => {
    const store = await open(null);
    await store.set('a', 'text');
    expect(await store.get('a', anything)).toBe('text');
    expect(await store.get('b', anything)).toBeUndefined();
  });

  test('a text that is too long is not kept', async () => {
    const store = await open(null);
    await store.set('a', 'x'.repeat(32_769));
    expect(await store.get('a', anything)).toBeUndefined();
  });

  test('the least recently used text is evicted', async () => {
    const store = await open(null);
    for (let n = 0; n < 300; n++) await store.set(`key ${n}`, 'x'.repeat(32_768));
    expect(await store.get('key 0', anything)).toBeUndefined();
    expect(await store.get('key 299', anything)).toBeDefined();
    for (let n = 0; n < 10_001; n++) await store.set(`small ${n}`, 'x');
    expect(await store.get('key 299', anything)).toBeUndefined();
    expect(await store.get('small 0', anything)).toBeUndefined();
    expect(await store.get('small 1', anything)).toBe('x');
  });
});

describe.skipIf(!hasRedis)('over Redis', () => {
  let server: TestRedis;
  beforeEach(async () => {
    server = await startRedis();
    return () => server[Symbol.asyncDispose]();
  });

  test('a text stored by one replica is known to the other for an hour', async () => {
    const [one, other] = [await open(server.url), await open(server.url)];
    await one.set('a', 'text');
    expect(await other.get('a', anything)).toBe('text');
    expect(await server.client.ttl('a')).toBe(3600);
  });

  test('writes to Redis are limited, and memory has the rest', async () => {
    const store = await open(server.url);
    for (let n = 0; n < 200; n++) await store.set(`key ${n}`, 'text');
    expect(await server.client.dbsize()).toBe(120);
    expect(await store.get('key 199', anything)).toBe('text');
  });

  test('a text that was read once is answered from memory', async () => {
    const store = await open(server.url);
    await server.client.set('a', 'text');
    expect(await store.get('a', anything)).toBe('text');
    await server.client.del('a');
    expect(await store.get('a', anything)).toBe('text');
  });

  test('a text that is not genuine is ignored', async () => {
    const store = await open(server.url);
    await server.client.set('a', 'forged');
    expect(await store.get('a', (text) => text === 'genuine')).toBeUndefined();
    await server.client.set('a', 'genuine');
    expect(await store.get('a', (text) => text === 'genuine')).toBe('genuine');
  });

  test('a hanging Redis delays requests briefly, and is used again once it answers', async () => {
    const { store, redis } = await openOver(server.url);
    server.hang();
    const first = await timeOf(() => redis.ask((client) => client.get('a')));
    expect(first).toBeGreaterThan(50);
    expect(first).toBeLessThan(1000);
    const next = await timeOf(async () => {
      for (let n = 0; n < 1000; n++) await store.get(`key ${n}`, anything);
    });
    expect(next).toBeLessThan(1000);
    expect(failures.count).toBe(1001);
    expect(lines).toEqual(['warn no answer in time']);
    server.goOn();
    await untilBack(redis);
    await store.set('a', 'text');
    expect(await server.client.get('a')).toBe('text');
    expect(lines.slice(1)).toEqual(['info Redis is back']);
  });

  test('a restarted Redis is found again, and memory keeps its texts', async () => {
    const { store, redis } = await openOver(server.url);
    await store.set('a', 'text');
    await server.kill();
    await vi.waitFor(() => expect(redis.isAway).toBe(true), { interval: 5 });
    expect(await timeOf(() => store.set('b', 'other'))).toBeLessThan(1000);
    expect(await store.get('a', anything)).toBe('text');
    expect(await store.get('b', anything)).toBe('other');
    expect(failures.count).toBe(1);
    await server.start();
    await untilBack(redis);
    await store.set('c', 'third');
    expect(await server.client.get('c')).toBe('third');
  });

  test('a dead connection is replaced', async () => {
    const { redis } = await openOver(server.url);
    const before = Number(await server.client.call('CLIENT', 'ID'));
    server.hang();
    await timeOf(() => redis.ask((client) => client.get('a')));
    await once(redis.client, 'reconnecting');
    server.goOn();
    await untilBack(redis);
    const id = await redis.ask((client) => client.call('CLIENT', 'ID'));
    expect(Number(id)).toBeGreaterThan(before + 1);
  });

  test('at start a hanging Redis is waited for at most a second', async () => {
    server.hang();
    const opened = open(server.url);
    expect(await timeOf(() => opened)).toBeLessThan(3000);
    server.goOn();
    const { redis } = await opened;
    if (redis !== null) await untilBack(redis);
  });

  test('a hanging Redis does not delay the stop', async () => {
    const { store, redis } = await openOver(server.url);
    server.hang();
    const asked = redis.ask((client) => client.get('a'));
    store.close();
    await expect(asked).rejects.toThrow();
    server.goOn();
    expect(lines).toEqual([]);
  });

  test('an answer that came while this process was busy is in time', async () => {
    const { redis, store } = await openOver(server.url);
    await server.client.set('a', 'text');
    const asked = store.get('a', anything);
    // Sent by now, but not read: a turn that takes longer than an answer may.
    setImmediate(() => {
      const until = performance.now() + 300;
      while (performance.now() < until);
    });
    expect(await asked).toBe('text');
    expect(redis.isAway).toBe(false);
    expect(lines).toEqual([]);
  });

  test('a Redis that rejects a command is skipped until the next probe', async () => {
    const { store, redis } = await openOver(server.url);
    await server.client.lpush('a', 'a list');
    expect(await store.get('a', anything)).toBeUndefined();
    expect(redis.isAway).toBe(true);
    expect(failures.count).toBe(1);
    expect(lines).toEqual(['warn WRONGTYPE']);
    await untilBack(redis);
  });
});

describe.skipIf(!hasRedis)('a Redis with a password', () => {
  const password = 'S3CRET:mark@/%';
  const withPassword = ({ url }: TestRedis, given: string) =>
    url.replace('//', `//:${encodeURIComponent(given)}@`);

  test('accepts the one in the address', async () => {
    await using server = await startRedis();
    await server.client.config('SET', 'requirepass', password);
    const { store } = await openOver(withPassword(server, password));
    await store.set('a', 'text');
    expect(await server.client.get('a')).toBe('text');
    expect(lines).toEqual([]);
  });

  test('and a wrong one is never logged', async () => {
    await using server = await startRedis();
    await server.client.config('SET', 'requirepass', password);
    const wrong = 'WR0NG-mark';
    const printed = vi.spyOn(console, 'warn');
    const { store, redis } = await openOver(withPassword(server, wrong));
    expect(await store.get('a', anything)).toBeUndefined();
    expect(redis.isAway).toBe(true);
    expect(lines).toEqual(['warn WRONGPASS']);
    expect(printed).not.toHaveBeenCalled();
  });
});

test('without a server it starts at once, and logs that without the address', async () => {
  const url = `redis://user:secret@127.0.0.1:${await freePort()}`;
  expect(await timeOf(() => open(url))).toBeLessThan(900);
  expect(lines).toEqual(['warn ECONNREFUSED']);
});

describe.skipIf(!hasRedis)('rediss', () => {
  const folder = mkdtempSync(join(tmpdir(), 'redis-tls-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  beforeAll(() => makeCertificate(key, cert));
  const original = getCACertificates('default');
  afterEach(() => setDefaultCACertificates(original));

  /** With a second port, for TLS. */
  async function startTlsRedis() {
    const port = await freePort();
    const files = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-auth-clients', 'no'];
    const server = await startRedis(['--tls-port', String(port), ...files]);
    return { ...server, tlsUrl: `rediss://localhost:${port}` };
  }

  test('a server whose certificate is trusted is used', async () => {
    await using server = await startTlsRedis();
    setDefaultCACertificates([...original, readFileSync(cert, 'utf8')]);
    const { store } = await openOver(server.tlsUrl);
    await store.set('a', 'text');
    expect(await server.client.get('a')).toBe('text');
  });

  test('one with an untrusted certificate is not', async () => {
    await using server = await startTlsRedis();
    const { store } = await openOver(server.tlsUrl);
    await store.set('a', 'text');
    expect(await server.client.get('a')).toBeNull();
    expect(lines).toEqual(['warn DEPTH_ZERO_SELF_SIGNED_CERT']);
  });
});

/** One that its own key vouches for, for `localhost`. */
function makeCertificate(key: string, cert: string): void {
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', key, '-out', cert, '-days', '2'];
  execFileSync('openssl', ['req', ...kind, ...name, ...files], { stdio: 'ignore' });
}

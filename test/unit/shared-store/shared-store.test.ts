// The shared store, in memory and with a real Redis: which values it stores, how it works while Redis hangs or is down,
// and connections with a password or TLS.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import {
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import { createRateLimit } from '../../../src/identity/rate-limit.ts';
import type { SharedRedis } from '../../../src/shared-store/shared-redis.ts';
import { openSharedStore, type SharedStore } from '../../../src/shared-store/shared-store.ts';
import { type FakeRedis, pour, properReply, startFakeRedis } from '../../support/fake-redis.ts';
import { freePort } from '../../support/port.ts';
import { hasRedis, startRedis, type TestRedis } from '../../support/redis.ts';

/** The lines that the store logged: the level, followed by the reason or the message. */
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
  const store = await openSharedStore(url, log, () => (failures.count += 1));
  stores.push(store);
  return store;
}

/** Opens a store with the Redis at this address. Returns the store and its connection to Redis. */
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

/** Waits up to 10 s until Redis is used again. */
function untilBack(redis: SharedRedis): Promise<void> {
  return vi.waitFor(() => expect(redis.isAway).toBe(false), { timeout: 10_000, interval: 20 });
}

describe('a store in memory', () => {
  test('returns a stored value, and undefined for an unknown key', async () => {
    const store = await open(null);
    await store.set('a', 'text');
    expect(await store.get('a', anything)).toBe('text');
    expect(await store.get('b', anything)).toBeUndefined();
  });

  test('does not keep a value that is too long', async () => {
    const store = await open(null);
    await store.set('a', 'x'.repeat(32_769));
    expect(await store.get('a', anything)).toBeUndefined();
  });

  test('evicts the least recently used values', async () => {
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

/** Bytes that answer no command of the gateway, or are no replies of RESP2. */
const wrongBytes = [
  '$-1\r\n',
  '*-1\r\n',
  '+OK\r\n',
  '-ERR\r\n',
  ':1\r\n',
  '_\r\n',
  '>-1\r\n',
  '>0\r\n',
  '>1\r\n$-1\r\n',
  '>2\r\n+subscribe\r\n$-1\r\n',
  '*1\r\n$-1\r\n',
  '*3\r\n$7\r\nmessage\r\n$-1\r\n$-1\r\n',
  '*0\r\n',
  '*-2\r\n',
  '*4294967295\r\n',
  '*99999999999999999999\r\n',
  '$-2\r\n',
  '$4294967296\r\n',
  '$1\r\nxyz',
  '$x\r\n',
  ':1e9\r\n',
  '#t\r\n',
  ',1.5\r\n',
  '(12345678901234567890\r\n',
  '!5\r\nERROR\r\n',
  '=8\r\ntxt:text\r\n',
  '%1\r\n+a\r\n:1\r\n',
  '%4294967295\r\n',
  '~4294967295\r\n',
  '|1\r\n+a\r\n:1\r\n+OK\r\n',
  '*1\r\n'.repeat(100_000),
  '*1\r\n:5\r\n',
  '*1\r\n+OK\r\n',
  '*2\r\n$-1\r\n$-1\r\n',
  '*2\r\n:999999999999999\r\n:999999999999999\r\n',
  '\0',
  '\r\n',
  'HTTP/1.1 400 Bad Request\r\n\r\n',
].map((bytes) => ({ name: JSON.stringify(bytes).slice(0, 60), bytes }));

describe('a store over a server that is not a proper Redis', () => {
  let server: FakeRedis;
  beforeEach(async () => {
    server = await startFakeRedis();
    return () => server[Symbol.asyncDispose]();
  });

  test.each(wrongBytes)('works if each reply is $name', async ({ bytes }) => {
    server.onCommand = (_name, socket) => void socket.write(bytes);
    const store = await open(server.url);
    const isText = (text: string) => text.startsWith('text');
    expect(await store.get('a', isText)).toBeUndefined();
    await store.set('a', 'text');
    expect(await store.get('a', isText)).toBe('text');
    const limit = createRateLimit(2, store, Date.now);
    await limit?.('token');
    await limit?.('token');
    await expect(limit?.('token')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });

  test.each(wrongBytes)('replaces a connection that sends $name unasked', async ({ bytes }) => {
    const { store, redis } = await openOver(server.url);
    await untilBack(redis);
    server.sockets[0]?.write(bytes);
    await vi.waitFor(() => expect(server.sockets).toHaveLength(2), { interval: 5 });
    await untilBack(redis);
    expect(await store.get('a', anything)).toBeUndefined();
    expect(lines).toEqual([expect.stringMatching(/^warn /), 'info Redis is up again']);
    expect(failures.count).toBe(0);
  });

  describe.each([
    ['text', '$131072\r\n', 'x'],
    ['text that is too long', '$4000000000\r\n', 'x'],
    ['line', '+', 'x'],
    ['number', ':', '1'],
    ['length', '$', '1'],
    ['array', '*4000000000\r\n', '$4\r\ntext\r\n'],
    ['array within arrays', '', '*2\r\n'],
    ['stream of replies', '', '+OK\r\n'],
  ])('that sends an endless %s', (_name, start, filling) => {
    test.each([
      ['in answer to its first command', 'PING'],
      ['in answer to a later command', 'GET'],
    ])('%s, replaces the connection without reading much of it', async (_when, at) => {
      server.onCommand = (name, socket) => {
        if (name === at && server.sockets.length === 1) pour(socket, start, filling);
        else socket.write(properReply(name));
      };
      const store = await open(server.url);
      expect(await store.get('a', () => false)).toBeUndefined();
      const [socket] = server.sockets;
      await vi.waitFor(() => expect(socket?.destroyed).toBe(true), { interval: 5 });
      // The buffers of the sockets hold a few MiB.
      expect(socket?.bytesWritten).toBeLessThan(16 * 1024 * 1024);
      await vi.waitFor(() => expect(server.sockets).toHaveLength(2), 10_000);
    });
  });

  test('replaces a connection after two seconds without the reply to a command, even if other bytes arrive', async () => {
    const { redis } = await openOver(server.url);
    await untilBack(redis);
    const dripping = setInterval(() => server.sockets[0]?.write('x'), 50);
    onTestFinished(() => clearInterval(dripping));
    server.onCommand = (name, socket) =>
      void socket.write(socket === server.sockets[0] ? '$100000\r\n' : properReply(name));
    expect(await redis.ask(['GET', 'a'])).toBeNull();
    await vi.waitFor(() => expect(server.sockets).toHaveLength(2), 10_000);
    await untilBack(redis);
  });

  test('logs only the first word of an error reply', async () => {
    const error = `-${'E'.repeat(100)} secret\r\n`;
    server.onCommand = (_name, socket) => void socket.write(error);
    await open(server.url);
    expect(lines).toEqual([`warn ${'E'.repeat(64)}`]);
  });

  test('waits longer before each further connection', async () => {
    server.onCommand = (_name, socket) => void socket.write('?');
    const start = performance.now();
    await open(server.url);
    await vi.waitFor(() => expect(server.sockets).toHaveLength(4), 10_000);
    // 100, 200 and 300 ms.
    expect(performance.now() - start).toBeGreaterThan(550);
  });
});

describe.skipIf(!hasRedis)('a store over Redis', () => {
  let server: TestRedis;
  beforeEach(async () => {
    server = await startRedis();
    return () => server[Symbol.asyncDispose]();
  });

  test('shares values between replicas for an hour', async () => {
    const [one, other] = [await open(server.url), await open(server.url)];
    await one.set('a', 'text');
    expect(await other.get('a', anything)).toBe('text');
    expect(await server.client.ttl('a')).toBe(3600);
  });

  test('writes at most 120 values a minute to Redis and keeps the others in memory', async () => {
    const store = await open(server.url);
    for (let n = 0; n < 200; n++) await store.set(`key ${n}`, 'text');
    expect(await server.client.dbsize()).toBe(120);
    expect(await store.get('key 199', anything)).toBe('text');
  });

  test('reads a value from memory after the first read', async () => {
    const store = await open(server.url);
    await server.client.set('a', 'text');
    expect(await store.get('a', anything)).toBe('text');
    await server.client.del('a');
    expect(await store.get('a', anything)).toBe('text');
  });

  test('returns no value that fails the given check', async () => {
    const store = await open(server.url);
    await server.client.set('a', 'forged');
    expect(await store.get('a', (text) => text === 'genuine')).toBeUndefined();
    await server.client.set('a', 'genuine');
    expect(await store.get('a', (text) => text === 'genuine')).toBe('genuine');
  });

  test('waits for less than a second for a Redis that hangs, and uses this Redis again once it responds', async () => {
    const { store, redis } = await openOver(server.url);
    server.hang();
    const first = await timeOf(() => redis.ask(['GET', 'a']));
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
    expect(lines.slice(1)).toEqual(['info Redis is up again']);
  });

  test('reconnects to a Redis that was down, and meanwhile keeps values in memory', async () => {
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

  test('starts in less than three seconds even if Redis hangs', async () => {
    server.hang();
    const opened = open(server.url);
    expect(await timeOf(() => opened)).toBeLessThan(3000);
    server.goOn();
    const { redis } = await opened;
    if (redis !== null) await untilBack(redis);
  });

  test('closes at once while Redis hangs', async () => {
    const { store, redis } = await openOver(server.url);
    server.hang();
    const asked = redis.ask(['GET', 'a']);
    store.close();
    expect(await asked).toBeNull();
    server.goOn();
    expect(lines).toEqual([]);
  });

  test('accepts an answer that arrived in time while the process was busy', async () => {
    const { redis, store } = await openOver(server.url);
    await server.client.set('a', 'text');
    const asked = store.get('a', anything);
    // Blocks the event loop for longer than the timeout of an answer. The answer arrives during this time, but is read
    // only afterwards.
    setImmediate(() => {
      const until = performance.now() + 300;
      while (performance.now() < until);
    });
    expect(await asked).toBe('text');
    expect(redis.isAway).toBe(false);
    expect(lines).toEqual([]);
  });

  test('stops using a Redis that rejects a command, and uses it again after a probe', async () => {
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

  test('is used if the address has the password', async () => {
    await using server = await startRedis();
    await server.client.config('SET', 'requirepass', password);
    const { store } = await openOver(withPassword(server, password));
    await store.set('a', 'text');
    expect(await server.client.get('a')).toBe('text');
    expect(lines).toEqual([]);
  });

  test('is not used if the address has a wrong password, and the password is not logged', async () => {
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

test.skipIf(!hasRedis)(
  'a Redis without the database of the address is not used, not even with another database',
  async () => {
    await using server = await startRedis(['--databases', '4']);
    const { store, redis } = await openOver(`${server.url}/4`);
    expect(lines).toEqual(['warn ERR']);
    // Two probes have failed by then.
    await vi.waitFor(async () => expect(await selectsOf(server)).toBeGreaterThan(2), 10_000);
    await store.set('a', 'text');
    expect(redis.isAway).toBe(true);
    expect(await server.client.dbsize()).toBe(0);
    const { store: inThree } = await openOver(`${server.url}/3`);
    await inThree.set('a', 'text');
    await server.client.select(3);
    expect(await server.client.get('a')).toBe('text');
  },
);

/** How many SELECT commands a Redis has received. */
async function selectsOf({ client }: TestRedis): Promise<number> {
  const stats = await client.info('commandstats');
  return Number(/cmdstat_select:calls=(\d+)/.exec(stats)?.[1] ?? 0);
}

test('a store over Redis starts in less than a second if nothing listens at the address, and logs the failure without the address', async () => {
  const url = `redis://user:secret@127.0.0.1:${await freePort()}`;
  expect(await timeOf(() => open(url))).toBeLessThan(900);
  expect(lines).toEqual(['warn ECONNREFUSED']);
});

describe.skipIf(!hasRedis)('a store over TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'redis-tls-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  beforeAll(() => makeCertificate(key, cert));
  const original = getCACertificates('default');
  afterEach(() => setDefaultCACertificates(original));

  /** A Redis with a second port for TLS. */
  async function startTlsRedis() {
    const port = await freePort();
    const files = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-auth-clients', 'no'];
    const server = await startRedis(['--tls-port', String(port), ...files]);
    return { ...server, tlsUrl: `rediss://localhost:${port}` };
  }

  test('uses a server with a trusted certificate', async () => {
    await using server = await startTlsRedis();
    setDefaultCACertificates([...original, readFileSync(cert, 'utf8')]);
    const { store } = await openOver(server.tlsUrl);
    await store.set('a', 'text');
    expect(await server.client.get('a')).toBe('text');
  });

  test('uses a server with a trusted certificate at an IPv6 address', async () => {
    await using server = await startTlsRedis();
    setDefaultCACertificates([...original, readFileSync(cert, 'utf8')]);
    const { store } = await openOver(server.tlsUrl.replace('localhost', '[::1]'));
    await store.set('a', 'text');
    expect(await server.client.get('a')).toBe('text');
  });

  test('does not use a server with an untrusted certificate', async () => {
    await using server = await startTlsRedis();
    const { store } = await openOver(server.tlsUrl);
    await store.set('a', 'text');
    expect(await server.client.get('a')).toBeNull();
    expect(lines).toEqual(['warn DEPTH_ZERO_SELF_SIGNED_CERT']);
  });
});

/** Makes a self-signed certificate for `localhost` and ::1. */
function makeCertificate(key: string, cert: string): void {
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:::1'];
  const files = ['-keyout', key, '-out', cert, '-days', '2'];
  execFileSync('openssl', ['req', ...kind, ...name, ...files], { stdio: 'ignore' });
}

// The shared store, in memory and with a real Redis: which values it stores, how it works while Redis hangs or is down,
// and connections with a password or TLS.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
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
import { createRateLimit } from '../../src/http/admission/rate-limit.ts';
import { openSharedStore, type SharedRedis, type SharedStore } from '../../src/shared-store.ts';
import { freePort } from '../support/port.ts';
import { hasRedis, startRedis, type TestRedis } from '../support/redis.ts';

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

describe('a store over a server that is not a proper Redis', () => {
  /** Starts a server that answers everything that arrives. `sockets` has its connections. */
  async function startServer(answer: (socket: Socket) => void) {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined).on('data', () => answer(socket));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return { url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
  }

  test.each([
    ':1',
    '#t',
    '*1\r\n:5',
    '*1\r\n+OK',
    '*2\r\n$-1\r\n$-1',
    ',1.5',
    '%1\r\n+a\r\n:1',
    '$-1',
    '-ERR',
  ])('works if each reply is %j', async (reply) => {
    const { url } = await startServer((socket) => socket.write(`${reply}\r\n`));
    const store = await open(url);
    const isText = (text: string) => text.startsWith('text');
    expect(await store.get('a', isText)).toBeUndefined();
    await store.set('a', 'text');
    expect(await store.get('a', isText)).toBe('text');
    const limit = createRateLimit(2, store, Date.now);
    await limit?.('token');
    await limit?.('token');
    await expect(limit?.('token')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });

  test('replaces a connection that sends a reply without end', async () => {
    const block = 'x'.repeat(65_536);
    const { url, sockets } = await startServer((socket) => {
      socket.write('$4000000000\r\n');
      const pour = () => {
        while (socket.write(block));
      };
      socket.on('drain', pour);
      pour();
    });
    await open(url);
    await vi.waitFor(() => expect(sockets[0]?.destroyed).toBe(true), { timeout: 10_000 });
  });

  test('logs only the beginning of the reason if Redis is down', async () => {
    const { url } = await startServer((socket) => socket.write(`-${'E'.repeat(100_000)}\r\n`));
    await open(url);
    expect(lines).toEqual([`warn ${'E'.repeat(64)}`]);
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

  test('replaces a connection that no longer responds', async () => {
    const { redis } = await openOver(server.url);
    const before = Number(await server.client.call('CLIENT', 'ID'));
    server.hang();
    await timeOf(() => redis.ask((client) => client.get('a')));
    // `once` of node:events would reject with the error of the old connection.
    await new Promise((resolve) => redis.client.once('reconnecting', resolve));
    server.goOn();
    await untilBack(redis);
    const id = await redis.ask((client) => client.call('CLIENT', 'ID'));
    expect(Number(id)).toBeGreaterThan(before + 1);
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
    const asked = redis.ask((client) => client.get('a'));
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

// The proxy of HTTP_PROXY, HTTPS_PROXY and NO_PROXY, for the service and the key set.
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type Bank, startBank } from '../../src/sandbox/bank.ts';
import { createAuthority } from '../support/certificates.ts';
import { startTestGateway } from '../support/gateway.ts';
import { startProxy } from '../support/proxy.ts';
import { codesOf, query } from '../support/query.ts';
import { startTlsService } from '../support/tls-service.ts';

const document = '{ accounts { id } }';
const proxied = { NODE_USE_ENV_PROXY: '1' };
const credentials = `Basic ${Buffer.from('user:geheim').toString('base64')}`;

let bank: Bank;

beforeEach(async () => {
  bank = await startBank();
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']) {
    vi.stubEnv(name, undefined);
    vi.stubEnv(name.toLowerCase(), undefined);
  }
  return async () => {
    vi.unstubAllEnvs();
    await bank.close();
  };
});

async function start(env: Readonly<Record<string, string>> = {}) {
  const gateway = await startTestGateway({ UPSTREAM_RETRIES: '0', ...proxied, ...env }, { bank });
  onTestFinished(gateway.close);
  return gateway;
}

async function proxyFor(name: string, refuses?: number) {
  const proxy = await startProxy(refuses);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  vi.stubEnv(name, `http://user:geheim@${proxy.host}`);
  return proxy;
}

test.each(['HTTP_PROXY', 'http_proxy'])(
  'a service with http is asked through %s, with an absolute target',
  async (name) => {
    const proxy = await proxyFor(name);
    const gateway = await start();
    for (let n = 0; n < 3; n++) expect((await query(gateway, document)).errors).toBeUndefined();
    expect(proxy.asked).toEqual(Array(3).fill(`GET ${bank.url}/persons`));
    expect(proxy.credentials).toEqual(Array(3).fill(credentials));
    expect(JSON.stringify(bank.calls())).not.toContain('proxy-authorization');
  },
);

test.each(['HTTPS_PROXY', 'https_proxy'])(
  'a service with https and client certificates is asked through a tunnel of %s',
  async (name) => {
    using authority = createAuthority();
    const client = authority.issue('client');
    await using service = await startTlsService({
      target: bank.url,
      certificate: authority.issue('service'),
      clientsOf: authority,
    });
    const proxy = await proxyFor(name);
    const gateway = await start({
      UPSTREAM_URL: service.url,
      UPSTREAM_CA: authority.ca,
      UPSTREAM_CERT: client.cert,
      UPSTREAM_KEY: client.key,
    });
    for (let n = 0; n < 3; n++) expect((await query(gateway, document)).errors).toBeUndefined();
    expect(proxy.asked).toEqual([`CONNECT ${new URL(service.url).host}`]);
    expect(proxy.credentials).toEqual([credentials]);
    expect(service.clients).toEqual(Array(3).fill('client'));
    await gateway.close();
  },
);

test('hosts of NO_PROXY are asked directly', async () => {
  const proxy = await proxyFor('HTTP_PROXY');
  vi.stubEnv('NO_PROXY', 'other.example,127.0.0.1');
  const gateway = await start();
  expect((await query(gateway, document)).errors).toBeUndefined();
  expect(proxy.asked).toEqual([]);
});

test('without NODE_USE_ENV_PROXY, no proxy is used', async () => {
  const proxy = await proxyFor('HTTP_PROXY');
  const gateway = await start({ NODE_USE_ENV_PROXY: '0' });
  expect((await query(gateway, document)).errors).toBeUndefined();
  expect(proxy.asked).toEqual([]);
});

test('the key set is read through the proxy too', async () => {
  const proxy = await proxyFor('HTTP_PROXY');
  const gateway = await start({ JWT_JWKS_URL: `${bank.url}/.well-known/jwks.json` });
  await query(gateway, document);
  expect(proxy.asked).toContain(`GET ${bank.url}/.well-known/jwks.json`);
});

test.each([
  ['refuses the credentials', 407],
  ['fails', 502],
])('if the proxy %s, calls fail, and no credentials are logged', async (_what, status) => {
  using authority = createAuthority();
  await using service = await startTlsService({
    target: bank.url,
    certificate: authority.issue('service'),
  });
  for (const name of ['HTTP_PROXY', 'HTTPS_PROXY']) await proxyFor(name, status);
  for (const url of [bank.url, service.url]) {
    const gateway = await start({ UPSTREAM_URL: url, LOG_LEVEL: 'trace', UPSTREAM_RETRIES: '1' });
    expect(codesOf(await query(gateway, document))).toEqual(['UPSTREAM_UNAVAILABLE']);
    const log = JSON.stringify(gateway.log);
    expect(log).not.toMatch(/geheim|dXNlcjpnZWhlaW0/);
    await gateway.close();
  }
});

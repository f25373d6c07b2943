// The doctor reaches a service exactly where the gateway reaches it: TLS, HTTP/2, and the limits of an answer's head.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { examine } from '../../doctor/checkup.ts';
import { type Authority, createAuthority, pemOf } from '../support/certificates.ts';
import { startExampleService } from '../support/example-service.ts';
import { startTestGateway } from '../support/gateway.ts';
import { post } from '../support/query.ts';
import { createSigner, signToken } from '../support/tokens.ts';

const token = signToken(createSigner('ES256'), { entityType: 'PERSON', exp: 4_102_444_800 });
const tenant = 'aurora';

type Env = Readonly<Record<string, string>>;

/** Returns the doctor's report of the holder, after comparing the doctor's verdict with the gateway's answer. */
async function holderFor(url: string, env: Env = {}): Promise<{ seen: string; there: string }> {
  const settings = { UPSTREAM_URL: url, UPSTREAM_RETRIES: '0', ...env };
  const { verdict, findings } = await examine({ env: settings, token, tenant, accountId: null });
  await using gateway = await startTestGateway(settings);
  const headers = { authorization: `Bearer ${token}`, 'x-tenant-id': tenant };
  const query = JSON.stringify({ query: '{ me { __typename } accounts { id } }' });
  const { errors = [] } = await post(gateway, query, { headers });
  expect(verdict === 'cannot work').toBe(errors.length > 0);
  const { seen = '', there = '' } = findings.find(({ id }) => id === 'holder') ?? {};
  return { seen, there };
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

describe('a service with TLS', () => {
  let authority: Authority;
  beforeAll(() => {
    authority = createAuthority();
    return () => authority[Symbol.dispose]();
  });

  async function serviceWith(options: object, days?: number) {
    const service = await startExampleService(token, {
      tls: { ...pemOf(authority.issue('accounts', days)), ...options },
    });
    onTestFinished(() => service[Symbol.asyncDispose]());
    return service.url;
  }

  test('of a private authority needs UPSTREAM_CA', async () => {
    const url = await serviceWith({});
    const { seen, there } = await holderFor(url);
    expect(seen).toMatch(/SELF_SIGNED|UNABLE_TO_VERIFY/);
    expect(there).toContain('UPSTREAM_CA');
    expect(await holderFor(url, { UPSTREAM_CA: authority.ca })).toEqual({ seen: '', there: '' });
  });

  test('whose certificate has expired cannot work until it is renewed', async () => {
    const url = await serviceWith({}, -1);
    const { seen, there } = await holderFor(url, { UPSTREAM_CA: authority.ca });
    expect(seen).toContain('CERT_HAS_EXPIRED');
    expect(there).toContain('renew the certificate');
  });

  test('that asks for a client certificate needs UPSTREAM_CERT and UPSTREAM_KEY', async () => {
    const url = await serviceWith({ ca: await readFile(authority.ca), requestCert: true });
    const { seen, there } = await holderFor(url, { UPSTREAM_CA: authority.ca });
    expect(seen).toMatch(/CERTIFICATE_REQUIRED|ECONNRESET|UND_ERR_SOCKET/);
    expect(there).toContain('UPSTREAM_CERT and UPSTREAM_KEY');
  });

  test('that speaks HTTP/2 only cannot work', async () => {
    const server = createSecureServer({ ...pemOf(authority.issue('h2')), allowHTTP1: false });
    const port = await listening(server);
    onTestFinished(() => void server.close());
    const { seen, there } = await holderFor(`https://127.0.0.1:${port}`, {
      UPSTREAM_CA: authority.ca,
    });
    expect(seen).not.toBe('');
    expect(there).toContain('HTTP/1.1');
  });
});

describe('the head of an answer', () => {
  const person = JSON.stringify({ person: { id: 'p' }, accounts: [] });

  async function serviceWith(head: (response: ServerResponse) => void) {
    const server = createServer(({ url }, response) => {
      head(response);
      response
        .writeHead(url === '/persons' ? 200 : 404, { 'content-type': 'application/json' })
        .end(person);
    });
    const port = await listening(server);
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    return `http://127.0.0.1:${port}`;
  }

  test.each<[string, (response: ServerResponse) => void]>([
    [
      '300 small headers',
      (response) => {
        for (let n = 0; n < 300; n++) response.setHeader(`x-${n}`, 'a');
      },
    ],
    [
      '8,000 small headers',
      (response) => {
        for (let n = 0; n < 8000; n++) response.setHeader(`x-${n}`, '');
      },
    ],
    ['a long header', (response) => response.setHeader('x-long', 'a'.repeat(17_000))],
    [
      '90 interim answers',
      (response) => {
        for (let n = 0; n < 90; n++) response.writeEarlyHints({ link: '</a>; rel=preload' });
      },
    ],
    [
      '200 interim answers',
      (response) => {
        for (let n = 0; n < 200; n++) response.writeEarlyHints({ link: '</a>; rel=preload' });
      },
    ],
  ])('has the limits of the gateway: %s', async (_, head) => {
    await holderFor(await serviceWith(head));
  });
});

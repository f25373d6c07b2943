// Cross-site requests: what pages of other sites can make a browser send or read, and what the gateway's own page
// may do.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { boundMemory, expectRefusal, expectSafeHeaders } from '../support/attack.ts';
import { gatewayOfFile } from '../support/fixtures.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { ask, callerHeaders, post } from '../support/query.ts';
import { rawRequest, sendRawOnce } from '../support/raw.ts';

boundMemory();

const gateway = await gatewayOfFile();
const headers = await callerHeaders(gateway.bank);

const reader = '{"query":"{ accounts { id } }"}';
const forgery = { status: 400, code: 'BAD_REQUEST' };
const unsupported = { status: 415, code: 'BAD_REQUEST' };

/**
 * The headers of a request that a form or script of another site can cause. Such a request has cookies, and needs no
 * preflight.
 */
const fromElsewhere = { origin: 'https://evil.example', cookie: 'session=1' };

describe('CSRF prevention', () => {
  test.each([
    '?query={__typename}',
    '?query={accounts{id}}',
    '?query=mutation{x}',
    '?query={__typename}&operationName=x',
    '?extensions={"persistedQuery":{"version":1,"sha256Hash":"x"}}',
    '',
  ])('rejects a GET without a header that forces a preflight: /graphql%s', async (search) => {
    const url = `${gateway.url}/graphql${encodeURI(search)}`;
    await expectRefusal(gateway, forgery, () => ask(url, { headers: fromElsewhere }));
  });

  test.each([
    'text/plain',
    'text/plain; charset=utf-8',
    ' TEXT/PLAIN',
    'text/plain;application/json',
    'text/plain; x="application/json"',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
  ])('rejects a GET with the content type %j', async (type) => {
    const start = 'GET /graphql?query={__typename} HTTP/1.1';
    const standard = ['Host: a', 'Connection: close', 'Origin: https://evil.example'];
    const request = rawRequest({ start, standard, lines: [`Content-Type: ${type}`] });
    await expectRefusal(gateway, forgery, () => sendRawOnce(gateway, request));
  });

  test('accepts a GET with the content type of JSON in any case', async () => {
    const start = 'GET /graphql?query={__typename} HTTP/1.1';
    const lines = ['Content-Type: Application/JSON'];
    const standard = ['Host: a', 'Connection: close'];
    expect((await sendRawOnce(gateway, rawRequest({ start, standard, lines }))).status).toBe(200);
  });

  test.each<[string, RequestInit['body'] & {}]>([
    ['a form', new URLSearchParams({ query: '{ accounts { id } }' })],
    ['a multipart form', formOf({ query: '{ accounts { id } }' })],
    ['a multipart upload', formOf({ operations: reader, map: '{}' })],
    ['a beacon', new Blob([reader], { type: 'text/plain' })],
    ['JSON as text/plain', reader],
  ])('rejects a POST of %s', async (_name, body) => {
    const send = () =>
      ask(`${gateway.url}/graphql`, { method: 'POST', body, headers: fromElsewhere });
    await expectRefusal(gateway, unsupported, send);
  });

  function formOf(fields: Readonly<Record<string, string>>): FormData {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    return form;
  }

  test.each([
    ['Range', { range: 'bytes=0-' }],
    ['Accept-Language', { 'accept-language': 'pt' }],
    ['X-Requested-With', { 'x-requested-with': 'XMLHttpRequest' }],
    ['an empty Apollo-Require-Preflight', { 'apollo-require-preflight': '' }],
    ['an empty X-Apollo-Operation-Name', { 'x-apollo-operation-name': '' }],
    ['a misspelled Apollo-Require-Preflight', { 'x-apollo-require-preflight': 'true' }],
    ['X-CSRF-Token', { 'x-csrf-token': 'x' }],
  ])(
    'rejects a request whose only additional header is %s',
    async (_name, sent: Record<string, string>) => {
      const url = `${gateway.url}/graphql?query={__typename}`;
      await expectRefusal(gateway, forgery, () =>
        ask(url, { headers: { ...fromElsewhere, ...sent } }),
      );
    },
  );

  test.each([
    'authorization',
    'x-tenant-id',
    'apollo-require-preflight',
    'x-apollo-operation-name',
  ])(
    'accepts a request with the header %s, because the header forces a preflight',
    async (name) => {
      const url = `${gateway.url}/graphql?query={__typename}`;
      const answer = await ask(url, { headers: { ...fromElsewhere, [name]: 'x' } });
      expect([answer.status, answer.data]).toEqual([200, { __typename: 'Query' }]);
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    },
  );

  test('ignores cookies and does not forward them', async () => {
    const cookie = `authorization=${headers.authorization}; x-tenant-id=aurora`;
    const refused = { status: 401, code: 'UNAUTHENTICATED' };
    await expectRefusal(gateway, refused, () => post(gateway, reader, { headers: { cookie } }));
    gateway.bank.resetCalls();
    const answer = await post(gateway, reader, { headers: { ...headers, cookie } });
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(gateway.bank.calls()[0]?.headers).not.toHaveProperty('cookie');
  });
});

describe('CORS', () => {
  let strict: TestGateway;
  beforeAll(async () => {
    const env = { CORS_ORIGINS: 'https://app.example,http://localhost:5173' };
    strict = await startTestGateway(env, { bank: gateway.bank });
  });
  afterAll(() => strict.close());

  test.each([
    ['GET /nothing', 404],
    ['PUT /graphql', 405],
    ['OPTIONS /nothing', 404],
    ['POST /graphql', 400],
  ])('allows a listed origin to read the refusal of %s', async (start, status) => {
    const lines = ['Origin: https://app.example'];
    const answer = await sendRawOnce(strict, rawRequest({ start: `${start} HTTP/1.1`, lines }));
    const allowed = answer.headers.get('access-control-allow-origin');
    expect([answer.status, allowed]).toEqual([status, 'https://app.example']);
  });

  const preflightOf = (origin: string, from = strict) =>
    sendRawOnce(
      from,
      rawRequest({
        start: 'OPTIONS /graphql HTTP/1.1',
        lines: [
          `Origin: ${origin}`,
          'Access-Control-Request-Method: POST',
          'Access-Control-Request-Headers: authorization, x-tenant-id',
        ],
      }),
    );

  test.each([
    'https://evil.example',
    'https://app.example.evil.example',
    'https://evil-app.example',
    'https://evilapp.example',
    'https://app.example:8443',
    'http://app.example',
    'https://APP.example',
    'https://app.example/',
    'https://app.example.',
    'https://app.example@evil.example',
    'https://evil.example/https://app.example',
    'https://app.example, https://evil.example',
    'https://app.example https://evil.example',
    'https://app%2eexample',
    'https://\xe0pp.example',
    'https://sub.app.example',
    'http://localhost',
    'http://localhost:5174',
    'http://localhost:5173.evil.example',
    'http://127.0.0.1:5173',
    'null',
    'NULL',
    'file://',
    'data:',
    'chrome-extension://abc',
    '*',
    '',
    'undefined',
  ])('does not allow the origin %j if CORS_ORIGINS does not list it', async (origin) => {
    const preflight = await preflightOf(origin);
    expect(preflight.status).toBe(204);
    const simple = await sendRawOnce(
      strict,
      rawRequest({ lines: [`Origin: ${origin}`], body: '{"query":"{ __typename }"}' }),
    );
    for (const answer of [preflight, simple]) {
      for (const name of ['allow-origin', 'allow-headers', 'allow-methods', 'allow-credentials']) {
        expect(answer.headers.get(`access-control-${name}`)).toBeNull();
      }
      expect(answer.headers.get('vary')).toBe('accept, authorization, origin, x-tenant-id');
      expectSafeHeaders(answer);
    }
  });

  test.each([
    'http://localhost.evil.example',
    'http://localhost@evil.example',
    'http://localhost:3000@evil.example',
    'http://localhost:',
    'http://localhost:3000/',
    'http://xlocalhost:3000',
    'http://127.0.0.1.evil.example',
    'http://127.0.0.2:3000',
    'http://[::1]evil.example',
    'http://0.0.0.0:3000',
    'http://2130706433',
    'null',
    'https://studio.apollographql.com.evil.example',
    'http://studio.apollographql.com',
    'ftp://localhost',
  ])('does not allow the origin %j by default outside production', async (origin) => {
    const { headers: given } = await preflightOf(origin, gateway);
    expect(given.get('access-control-allow-origin')).toBeNull();
  });

  test('allows a listed origin by name, without credentials', async () => {
    const { headers: given } = await preflightOf('https://app.example');
    expect(given.get('access-control-allow-origin')).toBe('https://app.example');
    expect(given.get('access-control-allow-headers')).toBe('authorization, x-tenant-id');
    expect(given.get('access-control-allow-credentials')).toBeNull();
    expect(given.get('access-control-allow-private-network')).toBeNull();
    expect(given.get('vary')).toBe('accept, authorization, origin, x-tenant-id');
  });

  test('allows no origin by default in production', async () => {
    const env = { NODE_ENV: 'production', SHUTDOWN_DELAY_MS: '0' };
    await using production = await startTestGateway(env, { bank: gateway.bank });
    for (const origin of ['http://localhost:3000', 'https://studio.apollographql.com', 'null']) {
      const { headers: given } = await preflightOf(origin, production);
      expect(given.get('access-control-allow-origin')).toBeNull();
    }
  });
});

describe('every answer', () => {
  test.each<[string, () => Promise<{ readonly headers: Headers }>]>([
    ['a result', () => post(gateway, reader, { headers })],
    ['a rejection before execution', () => post(gateway, reader)],
    ['a rejected body', () => post(gateway, 'x')],
    ['an unknown path', () => ask(`${gateway.url}/x`)],
    ['an unsupported method', () => ask(`${gateway.url}/graphql`, { method: 'PUT' })],
    ['a preflight', () => ask(`${gateway.url}/graphql`, { method: 'OPTIONS' })],
    ['a malformed request', () => sendRawOnce(gateway, 'nonsense\r\n\r\n')],
    ['an explorer page', () => ask(`${gateway.url}/graphql`, { headers: { accept: 'text/html' } })],
  ])(
    'has a content type, security headers and Cache-Control: no-store (%s)',
    async (_name, send) => {
      expectSafeHeaders(await send());
    },
  );

  test('is JSON, or HTML without the markup of the request', async () => {
    const markup = '<script>alert(1)</script>';
    for (const search of [`?query=${markup}`, `?query={${markup}}`, `?${markup}`]) {
      const accept = 'text/html';
      const url = `${gateway.url}/graphql${encodeURI(search)}`;
      const answer = await ask(url, { headers: { accept, 'apollo-require-preflight': 'x' } });
      const type = answer.headers.get('content-type') ?? '';
      if (type.includes('html')) expect(answer.text).not.toContain('alert(1)');
      else expect(type).toContain('json');
    }
  });
});

describe('the Apollo Sandbox page', () => {
  const open = () => ask(`${gateway.url}/graphql`, { headers: { accept: 'text/html' } });

  /** The directives of the Content-Security-Policy, with their sources. */
  function policyOf(given: Headers): Map<string, readonly string[]> {
    const directives = (given.get('content-security-policy') ?? '').split('; ');
    return new Map(
      directives.map((text) => text.split(' ')).map(([name = '', ...rest]) => [name, rest]),
    );
  }

  test('has a content security policy without unsafe sources, and cannot be framed', async () => {
    const { headers: given } = await open();
    const policy = policyOf(given);
    const none = ["'none'"];
    for (const name of ['default-src', 'base-uri', 'form-action', 'frame-ancestors']) {
      expect([name, policy.get(name)]).toEqual([name, none]);
    }
    expect(policy.get('script-src')).toEqual([expect.stringMatching(/^'nonce-[\w-]{32,}'$/)]);
    expect(policy.get('connect-src')).toEqual(["'self'"]);
    expect([...policy.values()].flat().join(' ')).not.toMatch(/unsafe|\*|data:|http:/);
    expect(given.get('referrer-policy')).toBe('same-origin');
  });

  test('has only scripts and styles that its policy allows', async () => {
    const { headers: given, text } = await open();
    const policy = policyOf(given);
    const nonce = /'nonce-(.*)'/.exec(policy.get('script-src')?.[0] ?? '')?.[1] ?? '';
    const tags = text.match(/<(?:script|style)\b[^>]*>/g) ?? [];
    expect(tags.length).toBeGreaterThan(3);
    for (const tag of tags) expect(tag).toMatch(new RegExp(`nonce="?${nonce}"?[ >]`));
    expect(text).not.toMatch(/ on\w+=|style=|javascript:/);
    const allowed = [...policy.values()].flat();
    for (const [, origin] of text.matchAll(
      /<(?:link|img|iframe)\b[^>]*(?:href|src)="(https:\/\/[^/"]+)/g,
    )) {
      expect(allowed).toContain(origin);
    }
  });

  test('has a new nonce for each request', async () => {
    const [one, other] = [await open(), await open()].map(({ headers: given }) =>
      policyOf(given).get('script-src'),
    );
    expect(one).not.toEqual(other);
  });

  test('is not served by default in production', async () => {
    const env = { NODE_ENV: 'production', SHUTDOWN_DELAY_MS: '0' };
    await using production = await startTestGateway(env, { bank: gateway.bank });
    for (const path of ['/graphql', '/explorer', '/']) {
      const answer = await ask(`${production.url}${path}`, { headers: { accept: 'text/html' } });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(answer.headers.get('content-type')).toContain('json');
    }
  });
});

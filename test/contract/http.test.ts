// HTTP as docs/http.md describes it: routes, headers, bodies, status codes, CSRF prevention, CORS, deadlines, and
// disconnects.
import { connect, type Socket } from 'node:net';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { gatewayOfFile } from '../support/fixtures.ts';
import { startTestGateway } from '../support/gateway.ts';
import { ask, callerHeaders, codesOf, post, query } from '../support/query.ts';

const graphqlJson = { accept: 'application/graphql-response+json' };
const preflight = { 'apollo-require-preflight': 'true' };

const gateway = await gatewayOfFile();

const graphqlUrl = (search = '') => `${gateway.url}/graphql${search}`;
const head = 'POST /graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
const chunkedPost = `${head}Transfer-Encoding: chunked\r\n\r\n`;
const typename = JSON.stringify({ query: '{ __typename }' });

async function connectTo(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  // Errors are ignored, because some of these tests wait until the gateway resets their connection.
  socket.on('error', () => undefined);
  return socket;
}

function drained(socket: Socket): Promise<unknown> {
  return new Promise((resolve) => socket.once('drain', resolve));
}

/** Everything received until the connection closes, cleanly or not. */
async function receive(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(chunks).toString();
}

/** Sends text unchanged; returns everything received until the connection closes. */
async function sendRaw(request: string): Promise<string> {
  const socket = await connectTo(gateway.url);
  socket.write(request);
  return receive(socket);
}

describe('the gateway', () => {
  test('answers a query over POST and over GET', async () => {
    expect(await query(gateway, '{ __typename }')).toMatchObject({
      status: 200,
      data: { __typename: 'Query' },
    });
    const search = `?query=${encodeURIComponent('query Q($n: String!) { __type(name: $n) { name } }')}`;
    const variables = `&operationName=Q&variables=${encodeURIComponent('{"n":"Account"}')}`;
    expect(await ask(graphqlUrl(search + variables), { headers: preflight })).toMatchObject({
      status: 200,
      data: { __type: { name: 'Account' } },
    });
  });

  test.each([
    ['GET', '/', 404],
    ['GET', '/graphql/', 404],
    ['GET', '/graphqlx', 404],
    ['POST', '/health/ready', 404],
    ['PUT', '/graphql', 405],
    ['DELETE', '/graphql', 405],
  ])('answers %s %s with status %d and a JSON body', async (method, path, status) => {
    const answer = await ask(`${gateway.url}${path}`, { method, headers: preflight });
    expect(answer.status).toBe(status);
    expect(codesOf(answer)).toEqual(['BAD_REQUEST']);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('allow')).toBe(status === 405 ? 'GET, POST, OPTIONS' : null);
  });

  test('answers a mutation over GET with status 405 and an Allow header', async () => {
    const answer = await ask(graphqlUrl('?query=mutation{x}'), { headers: preflight });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST');
  });

  test('serves health checks, but not GraphQL, on the admin listener', async () => {
    expect((await ask(`${gateway.adminUrl}/health/live`)).status).toBe(200);
    expect((await ask(`${gateway.adminUrl}/health/ready`)).status).toBe(200);
    expect((await ask(`${gateway.adminUrl}/graphql`)).status).toBe(404);
    expect((await ask(`${gateway.adminUrl}/health/live`, { method: 'POST' })).status).toBe(405);
  });

  test('reports that it is ready even if the service is offline', async () => {
    await gateway.bank.goOffline();
    expect((await ask(`${gateway.adminUrl}/health/ready`)).status).toBe(200);
    await gateway.bank.goOnline();
  });
});

describe('Apollo Sandbox', () => {
  const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

  test('is served to a browser that opens /graphql', async () => {
    const answer = await ask(graphqlUrl(), { headers: html });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.text).toContain('sandbox');
  });

  test('is not served if EXPLORER is off', async () => {
    await using plain = await startTestGateway({ EXPLORER: 'off' }, { bank: gateway.bank });
    const answer = await ask(`${plain.url}/graphql`, { headers: html });
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toContain('json');
  });
});

describe('CSRF prevention', () => {
  test('rejects a GET without a header that forces a preflight', async () => {
    const answer = await ask(graphqlUrl('?query={__typename}'));
    expect(answer.status).toBe(400);
    expect(codesOf(answer)).toEqual(['BAD_REQUEST']);
  });

  test.each([
    'authorization',
    'x-tenant-id',
    'apollo-require-preflight',
    'x-apollo-operation-name',
  ])('accepts a GET with the header %s', async (name) => {
    const answer = await ask(graphqlUrl('?query={__typename}'), { headers: { [name]: 'x' } });
    expect(answer).toMatchObject({ status: 200, data: { __typename: 'Query' } });
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'rejects a POST with the content type %s',
    async (type) => {
      const answer = await post(gateway, typename, { headers: { 'content-type': type } });
      expect(answer.status).toBe(415);
      expect(answer.data).toBeUndefined();
    },
  );
});

describe('request ids', () => {
  test.each(['a', 'A-z_0.9', 'x'.repeat(128)])(
    'are echoed and sent upstream if valid: %s',
    async (id) => {
      const answer = await query(gateway, '{ accounts { id } }', {
        headers: { 'x-request-id': id },
      });
      expect(answer.headers.get('x-request-id')).toBe(id);
      expect(gateway.bank.calls()[0]?.headers['x-request-id']).toBe(id);
    },
  );

  test.each(['', 'a b', 'x'.repeat(129), 'ação', 'a,b'])(
    'are replaced if invalid: %j',
    async (id) => {
      const answer = await query(gateway, '{ accounts { id } }', {
        headers: { 'x-request-id': id },
      });
      const made = answer.headers.get('x-request-id');
      expect(made).toMatch(/^[\da-f-]{36}$/);
      expect(gateway.bank.calls()[0]?.headers['x-request-id']).toBe(made);
    },
  );

  test('are echoed for rejected requests too', async () => {
    const answer = await ask(`${gateway.url}/nothing`, { headers: { 'x-request-id': 'mine' } });
    expect(answer.headers.get('x-request-id')).toBe('mine');
  });
});

test('only the documented headers of a client are sent upstream', async () => {
  const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
  const sent = {
    cookie: 'a=b',
    'x-forwarded-for': '10.0.0.1',
    'user-agent': 'me',
    origin: 'http://a.example',
  };
  await query(gateway, '{ accounts { id } }', {
    headers: { ...sent, traceparent, tracestate: 'a=1' },
  });
  const [call] = gateway.bank.calls();
  expect(Object.keys(call?.headers ?? {}).sort()).toEqual([
    'accept',
    'authorization',
    'connection',
    'content-type',
    'host',
    'traceparent',
    'tracestate',
    'x-request-id',
    'x-tenant-id',
  ]);
  expect(call?.headers).toMatchObject({
    ...(await callerHeaders(gateway.bank)),
    traceparent,
    tracestate: 'a=1',
  });
});

describe('a trace context', () => {
  const [trace, span] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  const zeros = (count: number) => '0'.repeat(count);

  /** The headers of the call to the service for a request with this traceparent. */
  async function sentWith(traceparent: string) {
    await query(gateway, '{ accounts { id } }', { headers: { traceparent, tracestate: 'a=1' } });
    return gateway.bank.calls().at(-1)?.headers ?? {};
  }

  test.each([
    ['version 00', `00-${trace}-${span}-01`],
    ['version 00 with other flags', `00-${trace}-${span}-fe`],
    ['a later version', `01-${trace}-${span}-01`],
    ['a later version with additional parts', `cc-${trace}-${span}-01-what-it-adds`],
    ['ids that begin with zeros', `00-${zeros(31)}1-${zeros(15)}1-00`],
  ])('is sent upstream unchanged: %s', async (_what, traceparent) => {
    expect(await sentWith(traceparent)).toMatchObject({ traceparent, tracestate: 'a=1' });
  });

  test.each([
    ['a trace id of zeros', `00-${zeros(32)}-${span}-01`],
    ['a parent id of zeros', `00-${trace}-${zeros(16)}-01`],
    ['zeros in a later version', `01-${zeros(32)}-${span}-01`],
    ['version ff', `ff-${trace}-${span}-01`],
    ['version ff with a fifth part', `ff-${trace}-${span}-01-x`],
    ['version 00 with a fifth part', `00-${trace}-${span}-01-x`],
    ['version 00 with an empty fifth part', `00-${trace}-${span}-01-`],
    ['capital letters', `00-${trace.toUpperCase()}-${span}-01`],
    ['a missing part', `00-${trace}-${span}`],
  ])('is not sent upstream if it has %s', async (_what, traceparent) => {
    const headers = await sentWith(traceparent);
    expect(headers['traceparent']).toBeUndefined();
    expect(headers['tracestate']).toBeUndefined();
  });
});

describe('request bodies', () => {
  const cases: [string, string | Buffer, Record<string, string>, number, string][] = [
    ['an empty body', '', {}, 400, 'BAD_REQUEST'],
    ['invalid JSON', '{"query":', {}, 400, 'BAD_REQUEST'],
    ['a string', '"{ __typename }"', {}, 400, 'BAD_REQUEST'],
    ['null', 'null', {}, 400, 'BAD_REQUEST'],
    ['a batch', `[${typename}]`, {}, 400, 'BAD_REQUEST'],
    ['an empty batch', '[]', {}, 400, 'BAD_REQUEST'],
    ['no query', '{"notquery":"{ __typename }"}', {}, 400, 'BAD_REQUEST'],
    ['an empty query', '{"query":""}', {}, 400, 'BAD_REQUEST'],
    ['a query that is not a string', '{"query":{"kind":"Document"}}', {}, 400, 'BAD_REQUEST'],
    [
      'variables that are not an object',
      '{"query":"{ __typename }","variables":[]}',
      {},
      400,
      'BAD_REQUEST',
    ],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), {}, 400, 'BAD_REQUEST'],
    [
      'UTF-16',
      typename,
      { 'content-type': 'application/json; charset=utf-16' },
      415,
      'BAD_REQUEST',
    ],
    [
      'another JSON media type',
      typename,
      { 'content-type': 'application/vnd.x+json' },
      415,
      'BAD_REQUEST',
    ],
    [
      'application/graphql',
      '{ __typename }',
      { 'content-type': 'application/graphql' },
      415,
      'BAD_REQUEST',
    ],
    ['a compressed body', typename, { 'content-encoding': 'gzip' }, 415, 'BAD_REQUEST'],
    ['a body that is too large', `"${'x'.repeat(1_048_576)}"`, {}, 413, 'OPERATION_TOO_COMPLEX'],
    [
      'a body that is much too large',
      `"${'x'.repeat(5_000_000)}"`,
      {},
      413,
      'OPERATION_TOO_COMPLEX',
    ],
  ];
  test.each(cases)(
    'are rejected if invalid or too large: %s',
    async (_name, body, headers, status, code) => {
      const answer = await post(gateway, body, { headers });
      expect(answer.status).toBe(status);
      expect(codesOf(answer)).toEqual([code]);
      expect(answer.data).toBeUndefined();
    },
  );

  test('of the largest allowed size are read', async () => {
    const body = JSON.stringify({ query: '{ __typename }', filler: '' });
    const filled = body.replace('""', `"${'x'.repeat(1_048_576 - body.length)}"`);
    expect(await post(gateway, filled)).toMatchObject({ status: 200 });
  });

  test.each([
    'application/json;charset=UTF-8',
    'Application/JSON; charset="utf-8"',
    'application/json;',
  ])('with the content type %s are read as JSON', async (type) => {
    expect((await post(gateway, typename, { headers: { 'content-type': type } })).status).toBe(200);
  });

  test('that never end get status 413, are cut off, and are not kept in memory', async () => {
    const socket = await connectTo(gateway.url);
    const answer = receive(socket);
    const before = process.memoryUsage().arrayBuffers;
    socket.write(chunkedPost);
    const chunk = `${(1_048_576).toString(16)}\r\n${'x'.repeat(1_048_576)}\r\n`;
    while (!socket.destroyed) {
      if (!socket.write(chunk)) await Promise.race([drained(socket), answer]);
    }
    expect(await answer).toMatch(/^HTTP\/1.1 413 /);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 1_048_576);
    expect((await post(gateway, typename)).status).toBe(200);
  });
});

describe('HTTP messages', () => {
  test.each([
    ['text that is not HTTP', 'nonsense\r\n\r\n', 400],
    ['no Host', 'GET /graphql HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['two lengths', `${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx`, 400],
    [
      'a length and chunks',
      `${head}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
    ],
    ['bad chunks', `${head}Transfer-Encoding: chunked\r\n\r\nnonsense\r\n`, 400],
    ['header fields of 100 KB', `${head}X: ${'x'.repeat(100_000)}\r\n\r\n`, 431],
    ['a token of 1 MB', `${head}Authorization: Bearer ${'x'.repeat(1_000_000)}\r\n\r\n`, 431],
    [
      'an unknown expectation',
      `${head}Connection: close\r\nExpect: wonders\r\nContent-Length: 0\r\n\r\n`,
      417,
    ],
  ])('are rejected if malformed, too large or unsupported: %s', async (_name, request, status) => {
    const answer = await sendRaw(request);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer.toLowerCase()).toContain('cache-control: no-store');
    expect(answer).toContain('"code":"BAD_REQUEST"');
    expect((await post(gateway, typename)).status).toBe(200);
  });

  test('are answered in order if pipelined', async () => {
    const one = (n: number) => {
      const body = JSON.stringify({ query: `{ q${n}: __typename }` });
      return `${head}${n === 3 ? 'Connection: close\r\n' : ''}Content-Length: ${body.length}\r\n\r\n${body}`;
    };
    const answer = await sendRaw([1, 2, 3].map(one).join(''));
    expect(answer.match(/"q\d"/g)).toEqual(['"q1"', '"q2"', '"q3"']);
  });
});

describe('a request', () => {
  test.each([
    ['*/*', 'application/json; charset=utf-8'],
    ['application/json', 'application/json; charset=utf-8'],
    [
      'application/graphql-response+json, application/json;q=0.9',
      'application/graphql-response+json; charset=utf-8',
    ],
  ])('with Accept: %s gets the content type %s, for errors too', async (accept, type) => {
    for (const document of ['{ __typename }', '{']) {
      const answer = await query(gateway, document, { headers: { accept } });
      expect(answer.headers.get('content-type')).toBe(type);
    }
    const batch = await post(gateway, '[]', { headers: { accept } });
    expect([batch.status, batch.headers.get('content-type')]).toEqual([400, type]);
  });

  test('that accepts only unsupported media types gets status 406', async () => {
    const answer = await post(gateway, typename, { headers: { accept: 'application/xml' } });
    expect(answer.status).toBe(406);
  });
});

describe('automatic persisted queries', () => {
  const document = '{ persisted: __typename }';
  const sha256Hash = createHash('sha256').update(document).digest('hex');
  const extensions = { persistedQuery: { version: 1, sha256Hash } };

  test('are found over POST and GET once they are registered', async () => {
    const unknown = await post(gateway, JSON.stringify({ extensions }), { headers: graphqlJson });
    expect(unknown.status).toBe(200);
    expect(codesOf(unknown)).toEqual(['PERSISTED_QUERY_NOT_FOUND']);
    expect(unknown.headers.get('cache-control')).toBe('no-store');
    expect(await query(gateway, document, { extensions })).toMatchObject({ status: 200 });
    expect(await post(gateway, JSON.stringify({ extensions }))).toMatchObject({
      status: 200,
      data: { persisted: 'Query' },
    });
    const search = `?extensions=${encodeURIComponent(JSON.stringify(extensions))}`;
    expect(await ask(graphqlUrl(search), { headers: preflight })).toMatchObject({ status: 200 });
  });

  test('fail with BAD_REQUEST over POST and GET if the hash is a nested array', async () => {
    const deep = (levels: number) =>
      `{"persistedQuery":{"version":1,"sha256Hash":${'['.repeat(levels)}${']'.repeat(levels)}}}`;
    const posted = await post(gateway, `{"extensions":${deep(25_000)}}`);
    expect([posted.status, codesOf(posted)]).toEqual([400, ['BAD_REQUEST']]);
    const got = await ask(graphqlUrl(`?extensions=${deep(7000)}`), { headers: preflight });
    expect([got.status, codesOf(got)]).toEqual([400, ['BAD_REQUEST']]);
  });

  test.each([
    ['the hash of another text', { version: 1, sha256Hash: '0'.repeat(64) }],
    ['an unknown version', { version: 2, sha256Hash }],
    ['no version', { sha256Hash }],
  ])('fail with BAD_REQUEST if sent with %s', async (_name, persistedQuery) => {
    const answer = await query(gateway, document, { extensions: { persistedQuery } });
    expect(answer.status).toBe(400);
    expect(codesOf(answer)).toEqual(['BAD_REQUEST']);
  });
});

describe('CORS', () => {
  const preflightOf = (origin: string, url = gateway.url) =>
    ask(`${url}/graphql`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,x-tenant-id',
      },
    });

  test.each(['https://studio.apollographql.com', 'http://localhost:3000', 'http://127.0.0.1:5173'])(
    'allows the origin %s outside production',
    async (origin) => {
      const { status, headers } = await preflightOf(origin);
      expect(status).toBe(204);
      expect(headers.get('content-length')).toBeNull();
      expect(headers.get('access-control-allow-origin')).toBe(origin);
      expect(headers.get('access-control-allow-headers')).toContain('x-tenant-id');
      const answer = await query(gateway, '{ __typename }', { headers: { origin } });
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
      expect(answer.headers.get('access-control-expose-headers')).toContain('x-request-id');
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    },
  );

  test.each(['https://evil.example', 'http://localhost.evil.example', 'null'])(
    'does not allow the origin %s',
    async (origin) => {
      const { headers } = await preflightOf(origin);
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(headers.get('vary')).toBe('accept, authorization, origin, x-tenant-id');
    },
  );

  test('allows only the listed origins if CORS_ORIGINS is set', async () => {
    const apps = [
      'capacitor://localhost',
      'ionic://localhost',
      'tauri://localhost',
      'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
    ];
    const env = { CORS_ORIGINS: ['https://app.example', ...apps].join(',') };
    await using other = await startTestGateway(env, { bank: gateway.bank });
    const allowed = async (origin: string) =>
      (await preflightOf(origin, other.url)).headers.get('access-control-allow-origin');
    for (const origin of ['https://app.example', ...apps]) {
      expect(await allowed(origin)).toBe(origin);
    }
    for (const origin of ['http://localhost:3000', 'capacitor://localhost:1', 'ionic://app']) {
      expect(await allowed(origin)).toBeNull();
    }
  });
});

describe('while the service hangs', () => {
  test('fields that are not ready at the deadline fail with UPSTREAM_TIMEOUT; the others are answered', async () => {
    await using quick = await startTestGateway(
      { OPERATION_TIMEOUT_MS: '300' },
      { bank: gateway.bank },
    );
    gateway.bank.addFault({ kind: 'hang', match: { route: 'transactions' } });
    const answer = await query(
      quick,
      '{ accounts { id } a: accounts { transactions { totalCount } } }',
    );
    expect(answer.status).toBe(200);
    expect(answer.data?.['accounts']).toHaveLength(4);
    expect(new Set(codesOf(answer))).toEqual(new Set(['UPSTREAM_TIMEOUT']));
    expect(answer.errors?.map(({ path }) => path)).toContainEqual(['a', 0, 'transactions']);
  });

  test('the upstream calls of a request are aborted if its client disconnects', async () => {
    gateway.bank.addFault({ kind: 'hang' });
    const controller = new AbortController();
    const asked = query(gateway, '{ accounts { id } }', { signal: controller.signal });
    await gateway.bank.waitForCall((call) => call.outcome === 'open');
    controller.abort();
    await expect(asked).rejects.toThrow();
    const call = await gateway.bank.waitForCall((one) => one.outcome === 'aborted', 1000);
    expect(call.status).toBeNull();
  });
});

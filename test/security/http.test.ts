// HTTP: malformed requests, unknown paths, unsupported methods, and headers that could override the path or the method.
import { describe, expect, test } from 'vitest';
import { boundMemory, expectRefusal, expectServing } from '../support/attack.ts';
import { gatewayOfFile } from '../support/fixtures.ts';
import type { Answer } from '../support/query.ts';
import {
  callerLines,
  chunked,
  openSocket,
  type RawRequest,
  rawRequest,
  receiveAll,
  sendRaw,
  sendRawOnce,
} from '../support/raw.ts';

boundMemory();

const gateway = await gatewayOfFile();
const caller = await callerLines(gateway.bank);

const reader = '{"query":"{ accounts { id } }"}';
const malformed = { status: 400, code: 'BAD_REQUEST' };
const notFound = { status: 404, code: 'BAD_REQUEST' };
const notAllowed = { status: 405, code: 'BAD_REQUEST' };

/** Sends an accepted caller's request with one change. */
function send({ lines = [], ...others }: RawRequest): Promise<Answer> {
  return sendRawOnce(
    gateway,
    rawRequest({ body: reader, ...others, lines: [...caller, ...lines] }),
  );
}

const chunkedFraming = ['Transfer-Encoding: chunked'];

describe('a malformed or unsupported request', () => {
  test.each<[string, RawRequest]>([
    ['text that is not HTTP', { start: 'hello' }],
    ['no method', { start: ' /graphql HTTP/1.1' }],
    ['no path', { start: 'POST  HTTP/1.1' }],
    ['a method in lower case', { start: 'post /graphql HTTP/1.1' }],
    ['an unknown method', { start: 'FOO /graphql HTTP/1.1' }],
    ['a method of 10,000 letters', { start: `${'P'.repeat(10_000)} /graphql HTTP/1.1` }],
    ['two paths', { start: 'POST /graphql /x HTTP/1.1' }],
    ['a tab after the path', { start: 'POST /graphql\tHTTP/1.1' }],
    ['a null byte in the path', { start: 'POST /graphql\0 HTTP/1.1' }],
    ['a carriage return in the path', { start: 'POST /graphql\rX HTTP/1.1' }],
    ['a path outside ASCII', { start: 'POST /gr\xe1phql HTTP/1.1' }],
    ['HTTP/1.2', { start: 'POST /graphql HTTP/1.2' }],
    ['HTTP/3.0', { start: 'POST /graphql HTTP/3.0' }],
    ['HTTP/11', { start: 'POST /graphql HTTP/11' }],
    ['no version', { start: 'POST /graphql' }],
    ['the version of another protocol', { start: 'POST /graphql SIP/2.0' }],
    ['a path without a slash', { start: 'POST graphql HTTP/1.1' }],
    ['a path with a backslash', { start: 'POST \\graphql HTTP/1.1' }],
    ['the preface of HTTP/2', { start: 'PRI * HTTP/2.0' }],
    ['the greeting of TLS', { start: '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03' }],
    ['no Host', { standard: ['Connection: close', 'Content-Type: application/json'] }],
    ['two Hosts', { lines: ['Host: other'] }],
    ['two equal Hosts', { lines: ['host: gateway'] }],
    ['a header without a name', { lines: [': x'] }],
    ['a header without a colon', { lines: ['nonsense'] }],
    ['a space before a colon', { lines: ['X-A : b'] }],
    ['a folded header', { lines: ['X-A: b', ' c'] }],
    ['a name with a space', { lines: ['X A: b'] }],
    ['a name outside ASCII', { lines: ['X-\xe9: b'] }],
    ['a null byte in a header', { lines: ['X-A: b\0'] }],
    ['a lone carriage return', { lines: ['X-A: b\rX-B: c'] }],
    ['a lone line feed', { lines: ['X-A: b\nX-B: c'] }],
    ['a negative length', { framing: ['Content-Length: -1'] }],
    ['a length with a sign', { framing: [`Content-Length: +${reader.length}`] }],
    ['a length in hexadecimal', { framing: ['Content-Length: 0x1f'] }],
    ['a length with a decimal point', { framing: [`Content-Length: ${reader.length}.0`] }],
    ['a length in words', { framing: ['Content-Length: ten'] }],
    ['a length beyond 64 bits', { framing: ['Content-Length: 99999999999999999999'] }],
    ['a list of lengths', { framing: [`Content-Length: ${reader.length}, ${reader.length}`] }],
    ['two lengths', { framing: ['Content-Length: 1', `Content-Length: ${reader.length}`] }],
    ['two equal lengths', { framing: [`Content-Length: 31`, 'Content-Length: 31'] }],
    ['an empty length', { framing: ['Content-Length:'] }],
    [
      'a length and chunks',
      { framing: ['Content-Length: 5', ...chunkedFraming], body: chunked(reader) },
    ],
    [
      'chunks and a length',
      { framing: [...chunkedFraming, 'Content-Length: 5'], body: chunked(reader) },
    ],
    ['chunks twice', { framing: [...chunkedFraming, ...chunkedFraming], body: chunked(reader) }],
    [
      'chunked before another encoding',
      { framing: ['Transfer-Encoding: chunked, identity'], body: chunked(reader) },
    ],
    [
      'gzip within chunks',
      { framing: ['Transfer-Encoding: gzip, chunked'], body: chunked(reader) },
    ],
    ['identity', { framing: ['Transfer-Encoding: identity', 'Content-Length: 31'] }],
    [
      'an unknown transfer encoding',
      { framing: ['Transfer-Encoding: xchunked'], body: chunked(reader) },
    ],
    ['a quoted encoding', { framing: ['Transfer-Encoding: "chunked"'], body: chunked(reader) }],
    [
      'a vertical tab before the encoding',
      { framing: ['Transfer-Encoding: \x0bchunked'], body: chunked(reader) },
    ],
    [
      'a transfer encoding on a folded line',
      { framing: ['Transfer-Encoding:', ' chunked'], body: chunked(reader) },
    ],
    [
      'a transfer encoding with an extra space',
      { framing: ['Transfer-Encoding : chunked'], body: chunked(reader) },
    ],
    ['chunks without a size', { framing: chunkedFraming, body: `\r\n${reader}\r\n0\r\n\r\n` }],
    ['a negative chunk size', { framing: chunkedFraming, body: `-1\r\n${reader}\r\n0\r\n\r\n` }],
    [
      'a chunk size with a sign',
      { framing: chunkedFraming, body: `+1f\r\n${reader}\r\n0\r\n\r\n` },
    ],
    [
      'a chunk size above 64 bits',
      { framing: chunkedFraming, body: `${'f'.repeat(17)}\r\n${reader}` },
    ],
    ['a chunk size with 0x', { framing: chunkedFraming, body: `0x1f\r\n${reader}\r\n0\r\n\r\n` }],
    [
      'a chunk longer than its size',
      { framing: chunkedFraming, body: `5\r\n${reader}\r\n0\r\n\r\n` },
    ],
    [
      'chunks that end with line feeds only',
      { framing: chunkedFraming, body: `1f\n${reader}\n0\n\n` },
    ],
    [
      'a chunk with 20 KB of extensions',
      { framing: chunkedFraming, body: `1f;${'x'.repeat(20_000)}\r\n${reader}\r\n0\r\n\r\n` },
    ],
    [
      'chunks in HTTP/1.0',
      { start: 'POST /graphql HTTP/1.0', framing: chunkedFraming, body: chunked(reader) },
    ],
  ])('is rejected: %s', async (_name, request) => {
    const answer = await expectRefusal(gateway, malformed, () => send(request));
    expect(answer.headers.get('connection')).toBe('close');
  });

  test('is rejected if its lines end with only a line feed', async () => {
    const request = rawRequest({ lines: caller, body: reader }).toString('latin1');
    await expectRefusal(gateway, malformed, () =>
      sendRawOnce(gateway, request.replaceAll('\r\n', '\n')),
    );
  });

  test.each([
    ['20 KB in one header', [`X-A: ${'x'.repeat(20_000)}`]],
    ['a name of 20 KB', [`${'x'.repeat(20_000)}: a`]],
    ['2,000 headers', Array.from({ length: 2000 }, (_, i) => `X-${i}: a`)],
    ['50,000 headers', Array.from({ length: 50_000 }, () => 'a:')],
  ])('gets status 431 if it has %s', async (_name, lines) => {
    const tooLarge = { status: 431, code: 'BAD_REQUEST' };
    await expectRefusal(gateway, tooLarge, () => send({ lines }));
  });

  test('gets status 431 and the reason if it has 101 short headers or more, but not if it has 100', async () => {
    const tooLarge = { status: 431, code: 'BAD_REQUEST' };
    const { length } = rawRequest({ lines: caller, body: reader }).toString('latin1').split('\r\n');
    // The lines of the request without further headers include its first line, an empty one and the body.
    const further = Array.from({ length: 101 - (length - 3) }, (_, i) => `X-${i}: a`);
    // The second request is rejected by Node.js itself.
    for (const lines of [further, [...further, 'Y: a']]) {
      const answer = await expectRefusal(gateway, tooLarge, () => send({ lines }));
      expect(answer.errors?.[0]?.message).toContain('more than 100');
    }
    expect((await send({ lines: further.slice(1) })).status).toBe(200);
  });

  test('gets status 431 if it has a target of 20 KB', async () => {
    const tooLarge = { status: 431, code: 'BAD_REQUEST' };
    const start = `GET /graphql?query=${'a'.repeat(20_000)} HTTP/1.1`;
    await expectRefusal(gateway, tooLarge, () => send({ start, body: '' }));
  });

  test('gets status 417 if it has an unknown expectation', async () => {
    const unknown = { status: 417, code: 'BAD_REQUEST' };
    for (const expectation of ['wonders', '100-continue, wonders', '100-continued', '']) {
      const lines = [`Expect: ${expectation}`];
      await expectRefusal(gateway, unknown, () => send({ lines }));
    }
  });

  test('is rejected if its method is CONNECT', async () => {
    for (const target of ['bank.example:443', '127.0.0.1:22', '/graphql']) {
      gateway.bank.resetCalls();
      const start = `CONNECT ${target} HTTP/1.1`;
      const answers = await sendRaw(gateway, rawRequest({ start, body: 'SSH-2.0' }));
      expect(answers.filter(({ status }) => status < 400)).toEqual([]);
      expect(gateway.bank.calls()).toEqual([]);
    }
    await expectServing(gateway);
  });
});

describe('a request', () => {
  test.each([
    '/',
    '//graphql',
    '/graphql/',
    '/graphql//',
    '/graphql/x',
    '/./graphql',
    '/x/../graphql',
    '/../graphql',
    '/graphql%00',
    '/graphql%20',
    '/graphql%2f',
    '/%67raphql',
    '/graphql%3fquery={__typename}',
    '/GRAPHQL',
    '/graphql;x=1',
    '/graphql#x',
    '/graphql\\',
    '/graphql.json',
    '/graphql&query={__typename}',
    '/graphqlx',
    '/graphiql',
    '/metrics',
    '/health/live',
    '/health/ready',
    '/__bank',
    '/persons',
    '/companies',
    '/.env',
    '/.git/config',
    '/package.json',
    '/src/main.ts',
    '/../../../../etc/passwd',
    '/..%2f..%2fetc%2fpasswd',
    '/.well-known/jwks.json',
    '/favicon.ico',
    '/debug',
    '/admin',
    '/json/version',
    'http://gateway',
    'http://gateway/other',
    'http://user@gateway/graphql',
    'http://user:password@gateway/graphql',
    'http:///graphql',
    'ftp://gateway/graphql',
    '*',
  ])('with the target %s gets status 404', async (path) => {
    await expectRefusal(gateway, notFound, () => send({ start: `POST ${path} HTTP/1.1` }));
  });

  test.each([
    'http://gateway/graphql',
    'HTTP://other.example/graphql',
    'https://gateway.example:443/graphql',
    'http://[::1]:4000/graphql',
  ])(
    'with the target %s is served as /graphql, as RFC 9112 section 3.2.2 requires',
    async (target) => {
      expect(await send({ start: `POST ${target} HTTP/1.1` })).toMatchObject({ status: 200 });
      const start = `GET ${target}?query=%7B__typename%7D HTTP/1.1`;
      const answer = await send({ start, body: '' });
      expect([answer.status, answer.data]).toEqual([200, { __typename: 'Query' }]);
      const hosts = { start, standard: ['Connection: close'], body: '' };
      await expectRefusal(gateway, malformed, () => send(hosts));
    },
  );

  test.each([
    'PUT',
    'PATCH',
    'DELETE',
    'TRACE',
    'COPY',
    'LOCK',
    'MKCOL',
    'MOVE',
    'PROPFIND',
    'PURGE',
    'REPORT',
    'SEARCH',
    'LINK',
    'QUERY',
    'SOURCE',
    'SUBSCRIBE',
    'NOTIFY',
    'M-SEARCH',
    'MERGE',
  ])('with the method %s gets status 405', async (method) => {
    const answer = await expectRefusal(gateway, notAllowed, () =>
      send({ start: `${method} /graphql HTTP/1.1` }),
    );
    expect(answer.headers.get('allow')).toBe('GET, POST, OPTIONS');
    // A server that supports TRACE would return the request.
    expect(answer.text).not.toContain('Bearer');
  });

  test('with the method HEAD gets status 405, without a body', async () => {
    const socket = await openSocket(gateway);
    socket.write(rawRequest({ start: 'HEAD /graphql?query={__typename} HTTP/1.1', lines: caller }));
    const text = (await receiveAll(socket)).toString();
    expect(text).toMatch(/^HTTP\/1\.1 405 /);
    expect(text).toMatch(/\r\n\r\n$/);
  });

  test.each([
    ['HEAD', 405],
    ['OPTIONS', 204],
  ])('with the method %s is answered before a long body arrives', async (method, status) => {
    const start = `${method} /graphql HTTP/1.1`;
    const framing = ['Content-Length: 20000'];
    const socket = await openSocket(gateway);
    socket.write(rawRequest({ start, lines: caller, framing, body: 'abc' }));
    expect((await receiveAll(socket)).toString()).toMatch(RegExp(`^HTTP/1\\.1 ${status} `));
  });

  test.each([
    'X-HTTP-Method-Override: GET',
    'X-HTTP-Method: GET',
    'X-Original-URL: /health/live',
    'X-Rewrite-URL: /metrics',
  ])('keeps its path and method despite the header %s', async (line) => {
    const start = 'DELETE /graphql HTTP/1.1';
    await expectRefusal(gateway, notAllowed, () => send({ start, lines: [line] }));
  });
});

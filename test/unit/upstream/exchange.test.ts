// One exchange over real sockets: the request that is sent, the answers that are accepted, and how the exchange ends.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { getEventListeners } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { CallBudget } from '../../../src/upstream/exchange/call.ts';
import { UpstreamStatusError } from '../../../src/upstream/exchange/failure.ts';
import { createReads } from '../../../src/upstream/reads/shared-reads.ts';
import { partsOf, type PartsSettings, textReads } from './parts.ts';
import { answer, hang, raw, reset, serve, writeEndlessly } from './server.ts';

const readsOf = (origin: string, settings?: PartsSettings) => textReads(partsOf(origin, settings));

async function failureOf(promise: Promise<unknown>): Promise<GatewayError> {
  const error: unknown = await promise.then(
    () => expect.unreachable(),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(GatewayError);
  return error as GatewayError;
}

/** Sends one GET to a server with this handler. Returns the server and the pending result. */
async function outcomeOf(handler: RequestListener, settings?: PartsSettings) {
  const server = await serve(handler);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { server, result: readsOf(server.origin, settings)() };
}

async function codeOf(handler: RequestListener, settings?: PartsSettings) {
  const { result } = await outcomeOf(handler, settings);
  return (await failureOf(result)).code;
}

const eventually = (check: () => void) => vi.waitFor(check, { timeout: 5000, interval: 5 });

describe('a request', () => {
  it('has the given path and headers unchanged, and also a Host and a Connection header', async () => {
    await using server = await serve(answer(200));
    await readsOf(server.origin)({ path: '/a/b?c=%20', authorization: 'bearer  é.x' });
    const [request] = server.requests;
    expect(request).toMatchObject({ method: 'GET', url: '/a/b?c=%20' });
    expect(request?.rawHeaders).toEqual([
      ...['host', server.origin.slice('http://'.length), 'connection', 'keep-alive'],
      ...['accept', 'application/json', 'content-type', 'application/json'],
      ...['authorization', 'bearer  é.x', 'x-tenant-id', 't', 'x-request-id', 'r'],
    ]);
  });

  it('fails with INTERNAL_SERVER_ERROR if a header is invalid', async () => {
    await using server = await serve(answer(200));
    const get = readsOf(server.origin)({ authorization: 'a\nb' });
    expect((await failureOf(get)).code).toBe('INTERNAL_SERVER_ERROR');
  });

  it('reuses open connections', async () => {
    await using server = await serve(answer(200, '{"ç":1}'));
    const read = readsOf(server.origin);
    for (let i = 0; i < 9; i++) expect(await read()).toBe('{"ç":1}');
    expect(server.connections()).toBe(1);
  });

  it('opens no connection beyond the allowed number', async () => {
    await using server = await serve((request, response) => {
      setImmediate(() => answer(200)(request, response));
    });
    const read = readsOf(server.origin, { connections: 3 });
    await Promise.all(Array.from({ length: 40 }, () => read()));
    expect(server.requests).toHaveLength(40);
    expect(server.connections()).toBe(3);
  });
});

describe('the body of an answer with status 200', () => {
  it('may arrive in pieces that split a character', async () => {
    const text = JSON.stringify({ name: 'Conceição €'.repeat(3000) });
    const bytes = Buffer.from(text);
    const { result } = await outcomeOf((_request, response) => {
      for (let at = 0; at < bytes.length; at += 1001) response.write(bytes.subarray(at, at + 1001));
      response.end();
    });
    expect(await result).toBe(text);
  });

  it('may follow early hints', async () => {
    const { result } = await outcomeOf((request, response) => {
      response.writeEarlyHints({ link: '</x>; rel=preload' });
      answer(200, '[1]')(request, response);
    });
    expect(await result).toBe('[1]');
  });

  it.each([
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json ; charset=utf8; v=1',
    'application/problem+json',
    'application/vnd.bank.v1+json; profile=x',
  ])('may have the content type %s', async (type) => {
    const { result } = await outcomeOf(answer(200, '[]', { 'content-type': type }));
    expect(await result).toBe('[]');
  });

  it('may have no Content-Type header', async () => {
    const { result } = await outcomeOf((_request, response) => response.end('[]'));
    expect(await result).toBe('[]');
  });

  it.each([
    'text/html',
    'text/json',
    'application/jsonp',
    'application/x-ndjson-x',
    'application/json; charset=latin1',
    'application/json; a=b; charset=utf-16',
    'application/xml; of=application/json',
    '',
  ])('is rejected if its content type is "%s"', async (type) => {
    const code = await codeOf(answer(200, '[]', { 'content-type': type }));
    expect(code).toBe('UPSTREAM_CONTRACT_VIOLATION');
  });

  it('is rejected if it has two content types or an encoding other than identity', async () => {
    const two = (response: ServerResponse) =>
      response.writeHead(200, ['content-type', 'application/json', 'content-type', 'text/html']);
    const code = await codeOf((_request, response) => two(response).end('[]'));
    expect(code).toBe('UPSTREAM_CONTRACT_VIOLATION');
    for (const encoding of ['gzip', 'br', 'identity, gzip']) {
      const encoded = await codeOf(answer(200, '[]', { 'content-encoding': encoding }));
      expect(encoded).toBe('UPSTREAM_CONTRACT_VIOLATION');
    }
    for (const encoding of ['identity', 'Identity ']) {
      const { result } = await outcomeOf(answer(200, '[]', { 'content-encoding': encoding }));
      expect(await result).toBe('[]');
    }
  });

  it('is not complete if it would end with its connection, and the connection is reset', async () => {
    const begun = [
      'HTTP/1.1 200 OK',
      'content-type: application/json',
      'connection: close',
      '',
      '[1',
    ];
    const code = await codeOf(({ socket }) => {
      const onHead = () => {
        unsubscribe('undici:request:headers', onHead);
        socket.resetAndDestroy();
      };
      subscribe('undici:request:headers', onHead);
      socket.write(begun.join('\r\n'));
    });
    expect(code).toBe('UPSTREAM_UNAVAILABLE');
  });

  it('is rejected if it is not UTF-8', async () => {
    const latin1 = Buffer.from('"ção"', 'latin1');
    const code = await codeOf((_request, response) => response.end(latin1));
    expect(code).toBe('UPSTREAM_CONTRACT_VIOLATION');
  });

  it('may be as large as the limit, but not a byte larger', async () => {
    const limit = { maxBodyBytes: 1000 };
    const chunked =
      (size: number): RequestListener =>
      (_request, response) => {
        response.write('x');
        response.end('x'.repeat(size - 1));
      };
    const withLength =
      (size: number): RequestListener =>
      (_request, response) => {
        response.writeHead(200, { 'content-length': size }).end('x'.repeat(size));
      };
    for (const of of [withLength, chunked]) {
      const { result } = await outcomeOf(of(1000), limit);
      expect(await result).toHaveLength(1000);
      expect(await codeOf(of(1001), limit)).toBe('UPSTREAM_CONTRACT_VIOLATION');
    }
  });

  it('may have 1,000 chunks and one per 50 bytes of the limit, but no more', async () => {
    const limit = { maxBodyBytes: 10_000 };
    const inChunks = (count: number) =>
      raw(
        `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(count)}0\r\n\r\n`,
      );
    const { result } = await outcomeOf(inChunks(1200), limit);
    expect(await result).toHaveLength(1200);
    expect(await codeOf(inChunks(1201), limit)).toBe('UPSTREAM_CONTRACT_VIOLATION');
  });

  it('takes at most twice its length of memory, even if it is small and in several chunks', async () => {
    await using server = await serve((_request, response) => {
      response.write('x'.repeat(3000));
      response.end('x'.repeat(2000));
    });
    const parse = (utf8: Buffer) => ({ value: utf8, bytes: utf8.length });
    const subject = { route: 'transactions', notFound: 'NOT_FOUND', parse } as const;
    const headers = { authorization: 'Bearer a.b.c', tenant: 't', requestId: 'r' };
    const { signal } = new AbortController();
    const call = { callerKey: '', headers, signal, budget: new CallBudget(1) };
    const body = await createReads(partsOf(server.origin), subject)(call, '/x');
    expect(body).toHaveLength(5000);
    expect(body.buffer.byteLength).toBeLessThanOrEqual(10_000);
  });

  it('is rejected if its content-length is over the limit, and the connection is closed', async () => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-length: 999999\r\n\r\n';
    const { server, result } = await outcomeOf(raw(head, { end: false }));
    expect((await failureOf(result)).code).toBe('UPSTREAM_CONTRACT_VIOLATION');
    await eventually(() => expect(server.open()).toBe(0));
  });

  it('is rejected as soon as it exceeds the limit, and the connection is closed', async () => {
    const { server, result } = await outcomeOf((_request, response) => writeEndlessly(response));
    expect((await failureOf(result)).code).toBe('UPSTREAM_CONTRACT_VIOLATION');
    await eventually(() => expect(server.open()).toBe(0));
  });
});

describe('an answer', () => {
  it.each([
    [201, 'UPSTREAM_CONTRACT_VIOLATION'],
    [204, 'UPSTREAM_CONTRACT_VIOLATION'],
    [206, 'UPSTREAM_CONTRACT_VIOLATION'],
    [300, 'UPSTREAM_REJECTED'],
    [301, 'UPSTREAM_REJECTED'],
    [304, 'UPSTREAM_REJECTED'],
    [307, 'UPSTREAM_REJECTED'],
    [400, 'UPSTREAM_REJECTED'],
    [401, 'UNAUTHENTICATED'],
    [403, 'FORBIDDEN'],
    [404, 'NOT_FOUND'],
    [408, 'UPSTREAM_REJECTED'],
    [422, 'UPSTREAM_REJECTED'],
    [429, 'RATE_LIMITED'],
    [451, 'UPSTREAM_REJECTED'],
    [500, 'UPSTREAM_UNAVAILABLE'],
    [502, 'UPSTREAM_UNAVAILABLE'],
    [503, 'UPSTREAM_UNAVAILABLE'],
    [504, 'UPSTREAM_UNAVAILABLE'],
    [599, 'UPSTREAM_UNAVAILABLE'],
    [600, 'UPSTREAM_CONTRACT_VIOLATION'],
  ] as const)('with status %i fails with %s', async (status, code) => {
    const body = status === 204 || status === 304 ? '' : '{"secret":"shown to nobody"}';
    const { server, result } = await outcomeOf(answer(status, body, { location: '/elsewhere' }));
    const error = await failureOf(result);
    expect(error).toBeInstanceOf(UpstreamStatusError);
    expect(error).toMatchObject({ code, status, extensions: { code } });
    expect(`${error.message} ${String(error.cause)}`).not.toContain('secret');
    expect(server.paths).toEqual(['/x']);
  });

  it('with status 404 fails with the code that the endpoint sets', async () => {
    await using server = await serve(answer(404));
    const read = textReads(partsOf(server.origin), 'UPSTREAM_REJECTED');
    expect((await failureOf(read())).code).toBe('UPSTREAM_REJECTED');
  });

  it('exposes Retry-After to the client if its status is 429, but not if it is 503', async () => {
    const limited = await outcomeOf(answer(429, '{}', { 'retry-after': '7' }));
    expect((await failureOf(limited.result)).extensions.retryAfter).toBe(7);
    const busy = await outcomeOf(answer(503, '{}', { 'retry-after': '7' }));
    const error = await failureOf(busy.result);
    expect(error).toMatchObject({ retryAfterSeconds: 7 });
    expect(error.extensions).toEqual({ code: 'UPSTREAM_UNAVAILABLE' });
  });

  it.each([
    [65_536, 1],
    [65_537, 3],
  ])(
    'with status 500 leaves its connection open for the next request if its body has at most 64 KiB: %d bytes',
    async (bytes, connections) => {
      const chunked: RequestListener = (_request, response) => {
        response.writeHead(500).write('x');
        response.end('x'.repeat(bytes - 1));
      };
      for (const handler of [answer(500, 'x'.repeat(bytes)), chunked]) {
        await using server = await serve(handler);
        const read = readsOf(server.origin, { connections: 1 });
        for (let i = 0; i < 3; i++) await failureOf(read());
        expect(server.connections()).toBe(connections);
      }
    },
  );

  it.each([
    ['large', answer(500, 'x'.repeat(5_000_000))],
    [
      'large and chunked',
      ((_request, response) => {
        response.writeHead(500);
        writeEndlessly(response);
      }) satisfies RequestListener,
    ],
    ['unfinished', raw('HTTP/1.1 500 X\r\ncontent-length: 9\r\n\r\nx', { end: false })],
  ])(
    'with status 500 and a body that is %s fails at once, and its connection is closed',
    async (_what, handler) => {
      // No time passes before the failure.
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      const { server, result } = await outcomeOf(handler);
      expect(await failureOf(result)).toMatchObject({ status: 500 });
      await eventually(() => expect(server.open()).toBe(0));
    },
  );
});

describe('the head of an answer', () => {
  const withHeaders = (line: string, count: number) =>
    raw(`HTTP/1.1 200 OK\r\n${line.repeat(count)}content-length: 2\r\n\r\n{}`, { end: false });

  it.each([
    ['short headers', 'a:b\r\n', 8000, 8300],
    ['headers without a value', 'a:\r\n', 16_200, 16_400],
    ['long headers', `a:${'b'.repeat(1000)}\r\n`, 16, 17],
  ])(
    'may have up to 16,384 characters in names and values of headers: %s',
    async (...[, line, few, many]) => {
      const { result } = await outcomeOf(withHeaders(line, few));
      expect(await result).toBe('{}');
      const { server, result: refused } = await outcomeOf(withHeaders(line, many));
      expect((await failureOf(refused)).code).toBe('UPSTREAM_UNAVAILABLE');
      await eventually(() => expect(server.open()).toBe(0));
    },
  );

  it('may arrive byte by byte', async () => {
    const head = `HTTP/1.1 200 OK\r\na: ${'b'.repeat(1000)}\r\ncontent-length: 2\r\n\r\n{}`;
    const sendTo = async (socket: Socket) => {
      socket.setNoDelay();
      for (const byte of head) {
        socket.write(byte);
        await turn();
      }
    };
    const { result } = await outcomeOf(({ socket }) => void sendTo(socket));
    expect(await result).toBe('{}');
  });

  it('may follow 100 interim answers, but no more', async () => {
    const after = (count: number) =>
      raw(`${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(count)}HTTP/1.1 200 OK\r\n\r\n{}`);
    const { result } = await outcomeOf(after(100));
    expect(await result).toBe('{}');
    expect(await codeOf(after(101))).toBe('UPSTREAM_CONTRACT_VIOLATION');
  });
});

describe('a connection', () => {
  it.each([
    ['is reset by the service', reset],
    ['is closed without an answer', raw('')],
    ['is closed in the middle of the head', raw('HTTP/1.1 200 OK\r\ncontent-ty')],
    [
      'is closed before the content-length is reached',
      raw('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"a"'),
    ],
    [
      'is closed in the middle of a chunked body',
      raw('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\n{"a"\r\n'),
    ],
    ['receives bytes of another protocol', raw('SSH-2.0-OpenSSH_9.9 secret\r\n\r\n')],
  ] as [string, RequestListener][])(
    'that %s causes UPSTREAM_UNAVAILABLE',
    async (_what, handler) => {
      const { result } = await outcomeOf(handler);
      const error = await failureOf(result);
      expect(error.code).toBe('UPSTREAM_UNAVAILABLE');
      expect(error).not.toBeInstanceOf(UpstreamStatusError);
      expect(JSON.stringify(Object.entries(error.cause as Error))).not.toContain('secret');
    },
  );

  it('that is refused causes UPSTREAM_UNAVAILABLE', async () => {
    const server = await serve(hang);
    await server[Symbol.asyncDispose]();
    const get = readsOf(server.origin)();
    expect((await failureOf(get)).code).toBe('UPSTREAM_UNAVAILABLE');
  });

  it('is not opened once close was called, and close ends exchanges in progress', async () => {
    const asked = Promise.withResolvers<ServerResponse>();
    await using server = await serve((_request, response) => asked.resolve(response));
    const parts = partsOf(server.origin);
    const read = textReads(parts);
    const underWay = failureOf(read());
    await asked.promise;
    const closed = parts.connections.close();
    expect((await failureOf(read())).code).toBe('UPSTREAM_UNAVAILABLE');
    expect((await underWay).code).toBe('UPSTREAM_UNAVAILABLE');
    await closed;
    await eventually(() => expect(server.open()).toBe(0));
  });
});

describe('the deadline of a call', () => {
  it.each([
    ['no answer', hang],
    ['a head without a body', raw('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n', { end: false })],
    [
      'a body that arrives byte by byte',
      ((_request, response) => {
        const drip = setInterval(() => response.write(' '), 10);
        response.on('close', () => clearInterval(drip));
      }) satisfies RequestListener,
    ],
  ] as [string, RequestListener][])(
    'ends an exchange with %s and closes its connection',
    async (_what, handler) => {
      const { server, result } = await outcomeOf(handler, { timeoutMs: 100 });
      expect((await failureOf(result)).code).toBe('UPSTREAM_TIMEOUT');
      await eventually(() => expect(server.open()).toBe(0));
    },
  );

  it('also ends a call that waits for a connection, and its request is not sent', async () => {
    const first = Promise.withResolvers<ServerResponse>();
    await using server = await serve(({ url }, response) =>
      url === '/first' ? first.resolve(response) : response.end('[]'),
    );
    const parts = partsOf(server.origin, { connections: 1, timeoutMs: 200 });
    const patient = { ...parts, settings: { ...parts.settings, timeoutMs: 60_000 } };
    // The first call has the only connection, and the other two calls wait for this connection.
    const held = textReads(patient)({ path: '/first' });
    const response = await first.promise;
    const read = textReads(parts);
    const failures = ['/waits', '/first'].map((path) => failureOf(read({ path })));
    for (const failure of failures) expect((await failure).code).toBe('UPSTREAM_TIMEOUT');
    response.end('[]');
    expect(await held).toBe('[]');
    expect(await read({ path: '/next' })).toBe('[]');
    expect(server.paths).toEqual(['/first', '/next']);
  });
});

describe('an abort', () => {
  const gone = new GatewayError('OVERLOADED');

  it('before the request is sent prevents the request', async () => {
    await using server = await serve(answer(200));
    const get = readsOf(server.origin)({ signal: AbortSignal.abort(gone) });
    expect(await failureOf(get)).toBe(gone);
    await turn();
    expect(server.connections()).toBe(0);
  });

  it.each([
    ['the head', hang],
    ['the body', raw('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n', { end: false })],
  ] as [string, RequestListener][])(
    'before %s arrives fails the call with its reason and closes the connection at once',
    async (_what, handler) => {
      const asked = Promise.withResolvers<undefined>();
      await using server = await serve((request, response) => {
        handler(request, response);
        asked.resolve(undefined);
      });
      const controller = new AbortController();
      const get = readsOf(server.origin)({ signal: controller.signal });
      await asked.promise;
      controller.abort(gone);
      expect(await failureOf(get)).toBe(gone);
      await eventually(() => expect(server.open()).toBe(0));
    },
  );

  it('of a call that waits for a connection does not affect other calls', async () => {
    const first = Promise.withResolvers<ServerResponse>();
    await using server = await serve(({ url }, response) =>
      url === '/first' ? first.resolve(response) : response.end('[]'),
    );
    const read = readsOf(server.origin, { connections: 1 });
    const underWay = read({ path: '/first' });
    const response = await first.promise;
    const controller = new AbortController();
    const waiting = read({ path: '/gone', signal: controller.signal });
    const next = read({ path: '/next' });
    controller.abort(gone);
    expect(await failureOf(waiting)).toBe(gone);
    response.end('[]');
    expect(await Promise.all([underWay, next])).toEqual(['[]', '[]']);
    expect(server.paths).toEqual(['/first', '/next']);
    expect(server.connections()).toBe(1);
  });

  it('whose reason is not a GatewayError fails the call with UPSTREAM_TIMEOUT', async () => {
    await using server = await serve(hang);
    const signal = AbortSignal.timeout(50);
    expect((await failureOf(readsOf(server.origin)({ signal }))).code).toBe('UPSTREAM_TIMEOUT');
  });

  it('can be awaited by many calls without a warning, and only one listener of the operation is left when they end', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    await using server = await serve(({ url }, response) =>
      answer(url === '/x' ? 200 : 500)({} as never, response),
    );
    const { signal } = new AbortController();
    const read = readsOf(server.origin);
    const budget = new CallBudget(60);
    const good = Array.from({ length: 30 }, () => read({ signal, budget }));
    const bad = Array.from({ length: 30 }, () => read({ signal, budget, path: '/y' }));
    await Promise.all([...good, ...bad.map(failureOf)]);
    // It releases the memory for the answers.
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await turn();
    expect(warnings).toEqual([]);
  });
});

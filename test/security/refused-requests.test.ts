// Requests that are rejected before their body is read: which checks still apply, and how much of the body is read
// afterwards.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { codesOf, firstHolder, query } from '../support/query.ts';
import {
  callerLines,
  chunked,
  openSocket,
  parseAnswers,
  type RawRequest,
  rawRequest,
  sendRawOnce,
} from '../support/raw.ts';

let gateway: TestGateway;
const leaving = new AbortController();

/** Saturates the gateway: one connection to a hanging service, and a queue of calls that is more than half full. */
beforeAll(async () => {
  gateway = await startTestGateway({
    UPSTREAM_CONNECTIONS: '1',
    MAX_PARALLEL_READS: '50',
    UPSTREAM_TIMEOUT_MS: '60000',
    OPERATION_TIMEOUT_MS: '60000',
    SHUTDOWN_GRACE_MS: '0',
  });
  gateway.bank.addFault({ kind: 'hang' });
  const [account = ''] = firstHolder(gateway.bank).accounts;
  for (let group = 0; group < 22; group++) {
    const fields = Array.from({ length: 25 }, (_, i) => {
      const day = new Date(Date.UTC(2020, 0, 1 + i + 25 * group)).toISOString().slice(0, 10);
      return `_${i}: transactions(accountId: "${account}", from: "${day}") { totalCount }`;
    });
    const { signal } = leaving;
    query(gateway, `{ ${fields.join(' ')} }`, { signal }).catch(() => undefined);
  }
  await vi.waitFor(async () => {
    expect(codesOf(await query(gateway, '{ __typename }'))).toEqual(['OVERLOADED']);
  }, 20_000);
});
afterAll(async () => {
  leaving.abort();
  await gateway.close();
});

const mebibyte = 1_048_576;

/** Sends zeros until the gateway disconnects or `maxBytes` are sent; returns the number of bytes sent. */
function sendZeros(socket: Socket, maxBytes: number): Promise<number> {
  const zeros = Buffer.alloc(65_536, 0x30);
  const { promise, resolve } = Promise.withResolvers<number>();
  let sent = 0;
  const send = () => {
    while (sent < maxBytes && !socket.destroyed) {
      sent += zeros.length;
      if (!socket.write(zeros)) return;
    }
    resolve(sent);
  };
  socket.on('drain', send).on('close', () => resolve(sent));
  send();
  return promise;
}

describe('under overload', () => {
  test.each<[string, string, string]>([
    ['with a length', `Content-Length: ${200 * mebibyte}`, ''],
    ['in chunks', 'Transfer-Encoding: chunked', `${(200 * mebibyte).toString(16)}\r\n`],
  ])(
    'the body of a rejected request, sent %s, is read only up to a limit',
    async (_name, framing, start) => {
      const lines = await callerLines(gateway.bank);
      const socket = await openSocket(gateway);
      const received: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => received.push(chunk));
      const standard = ['Host: gateway', 'Content-Type: application/json'];
      socket.write(rawRequest({ standard, lines, framing: [framing], body: start }));
      const sent = await sendZeros(socket, 200 * mebibyte);
      // Bytes in the system's buffers count as sent.
      expect(sent).toBeLessThan(40 * mebibyte);
      const [answer] = parseAnswers(Buffer.concat(received));
      expect([answer?.status, answer?.headers.get('connection')]).toEqual([503, 'close']);
    },
  );

  test('of the tiny chunks of the body of a rejected request, no more than one read of the socket has are read', async () => {
    let chunks = 0;
    const count = (message: unknown) => {
      const { request } = message as { readonly request: IncomingMessage };
      request.on('data', () => chunks++);
    };
    subscribe('http.server.request.start', count);
    const socket = await openSocket(gateway);
    const standard = ['Host: gateway', 'Content-Type: application/json'];
    const framing = ['Transfer-Encoding: chunked'];
    const body = chunked(...Array.from({ length: 100_000 }, () => '0'));
    socket.resume().write(rawRequest({ standard, framing, body }));
    // The gateway may reset the connection, because it does not read the rest.
    await new Promise((resolve) => socket.once('close', resolve));
    unsubscribe('http.server.request.start', count);
    // Each chunk takes six bytes, and a read has at most 65,536.
    expect(chunks).toBeLessThan(2 * (65_536 / 6));
    expect(chunks).toBeGreaterThan(0);
  });

  test('a body of ordinary size is read to its end, and its client stays connected', async () => {
    const socket = await openSocket(gateway);
    const body = JSON.stringify({ query: `{ __typename } # ${'x'.repeat(2000)}` });
    const standard = ['Host: gateway', 'Content-Type: application/json'];
    for (let round = 0; round < 3; round++) {
      socket.write(rawRequest({ standard, body }));
      const [chunk] = (await once(socket, 'data')) as [Buffer];
      expect(chunk.toString()).toMatch(/^HTTP\/1\.1 503 /);
    }
    socket.destroy();
  });

  test.each([
    [16_384, 'keep-alive'],
    [16_385, 'close'],
  ])(
    'the answer to a rejected request whose body of %i bytes is still to come has the Connection header %j',
    async (bytes, expected) => {
      const socket = await openSocket(gateway);
      const standard = ['Host: gateway', 'Content-Type: application/json'];
      socket.write(rawRequest({ standard, framing: [`Content-Length: ${bytes}`] }));
      const [chunk] = (await once(socket, 'data')) as [Buffer];
      const [answer] = parseAnswers(chunk);
      expect([answer?.status, answer?.headers.get('connection')]).toEqual([503, expected]);
      socket.destroy();
    },
  );

  test.each<[string, RawRequest, number]>([
    ['no Host', { standard: ['Connection: close'] }, 400],
    ['two Hosts', { lines: ['Host: other'] }, 400],
    ['another transfer encoding', { framing: ['Transfer-Encoding: gzip, chunked'] }, 400],
    [
      'chunks in HTTP/1.0',
      { start: 'POST /graphql HTTP/1.0', framing: ['Transfer-Encoding: chunked'] },
      400,
    ],
    ['an unknown expectation', { lines: ['Expect: wonders'] }, 417],
    ['another path', { start: 'POST /other HTTP/1.1' }, 404],
    ['another method', { start: 'PUT /graphql HTTP/1.1' }, 405],
  ])(
    'an invalid request gets the same error as without overload: %s',
    async (_name, request, status) => {
      const answer = await sendRawOnce(gateway, rawRequest(request));
      expect([answer.status, codesOf(answer)]).toEqual([status, ['BAD_REQUEST']]);
    },
  );
});

test('under overload, the connection of a rejected request is still read, because a proxy may reuse the connection', async () => {
  const sockets: Socket[] = [];
  const note = (message: unknown) => sockets.push((message as { socket: Socket }).socket);
  subscribe('http.server.request.start', note);
  const socket = await openSocket(gateway);
  const standard = ['Host: gateway', 'Content-Type: application/json'];
  socket.write(rawRequest({ standard, body: '{"query":"{ __typename }"}' }));
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  unsubscribe('http.server.request.start', note);
  expect(chunk.toString()).toMatch(/^HTTP\/1\.1 503 /);
  expect(sockets.map((one) => [one.isPaused(), one.destroyed])).toEqual([[false, false]]);
  socket.destroy();
});

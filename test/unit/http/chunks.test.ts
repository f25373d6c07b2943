// How the chunks of a request body are taken, and which chunks are dropped before they are parsed, tested with a real
// node:http server.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { dropArrivedChunks } from '../../../src/http/http-exchange.ts';
import { takeChunks } from '../../../src/http/request/chunks.ts';
import { chunked, rawRequest, receiveAll, openSocket, sendRawOnce } from '../../support/raw.ts';

async function startServer(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => new Promise<void>((resolve) => void server.close(() => resolve()));
  return { url, [Symbol.asyncDispose]: close };
}

/** A request with a body in 2,000 chunks. One read of the socket can return many chunks. */
const inSmallChunks = rawRequest({
  framing: ['Transfer-Encoding: chunked'],
  body: chunked(...Array<string>(2000).fill('x')),
});

test.each([0, 1, 2])(
  'each chunk is taken once and in order if taking begins %d event-loop turns after the request',
  async (turns) => {
    const taken: string[] = [];
    await using server = await startServer((request, response) => {
      const begin = (left: number): void => {
        if (left > 0) setImmediate(() => begin(left - 1));
        else takeChunks(request, (chunk) => taken.push(chunk.toString()));
      };
      begin(turns);
      request.on('end', () => response.end(String(request.complete)));
    });
    const body = Array.from({ length: 500 }, (_, i) => String(i));
    const framing = ['Transfer-Encoding: chunked'];
    const socket = await openSocket(server);
    const answered = receiveAll(socket);
    const bytes = rawRequest({ framing, body: chunked(...body) });
    socket.write(bytes.subarray(0, 1000));
    // The rest arrives while the first chunks are being taken.
    setImmediate(() => socket.write(bytes.subarray(1000)));
    expect((await answered).toString()).toMatch(/true$/);
    expect(taken.join('')).toBe(body.join(''));
  },
);

test('the chunks that follow the last taken chunk can be read from the request as a stream', async () => {
  let taken = 0;
  await using server = await startServer((request, response) => {
    const stop = takeChunks(request, () => {
      if (++taken < 10) return;
      stop();
      setImmediate(() => {
        let left = 0;
        request.on('data', (chunk: Buffer) => (left += chunk.length));
        request.on('end', () => response.end(`${left} left`));
        request.resume();
      });
    });
  });
  expect((await sendRawOnce(server, inSmallChunks)).text).toContain('1990 left');
  expect(taken).toBe(10);
});

test('chunks that have arrived are dropped before they are parsed, and later requests are complete', async () => {
  const taken = new Map<IncomingMessage, number>();
  await using server = await startServer((request, response) => {
    const isFirst = taken.size === 0;
    taken.set(request, 0);
    takeChunks(request, () => {
      const count = (taken.get(request) ?? 0) + 1;
      taken.set(request, count);
      if (!isFirst || count < 10) return;
      dropArrivedChunks(request);
      request.destroy();
    });
    request.on('error', () => undefined);
    request.on('end', () => response.end());
  });
  const socket = await openSocket(server);
  const closed = receiveAll(socket);
  socket.write(inSmallChunks);
  await closed;
  // The requests are sent in sequence, so that Node.js reuses a parser that has handled an earlier request.
  for (let left = 3; left > 0; left--) await sendRawOnce(server, inSmallChunks);
  expect([...taken.values()]).toEqual([10, 2000, 2000, 2000]);
});

test('a body with a content-length is not dropped, because another request may have arrived together with the body', async () => {
  const bodies: string[] = [];
  await using server = await startServer((request, response) => {
    let body = '';
    takeChunks(request, (chunk) => {
      body += chunk.toString();
      dropArrivedChunks(request);
    });
    request.on('end', () => {
      bodies.push(body);
      response.end();
    });
  });
  const first = rawRequest({ standard: ['Host: gateway'], body: 'first' });
  const socket = await openSocket(server);
  const closed = receiveAll(socket);
  socket.write(Buffer.concat([first, rawRequest({ body: 'second' })]));
  await closed;
  expect(bodies).toEqual(['first', 'second']);
});

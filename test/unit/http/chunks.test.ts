// Which chunks of a request body are dropped before they are parsed, tested with a real node:http server.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { dropArrivedChunks } from '../../../src/http/http-exchange.ts';
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

test('chunks that have arrived are dropped before they are parsed, and later requests are complete', async () => {
  const taken = new Map<IncomingMessage, number>();
  await using server = await startServer((request, response) => {
    const isFirst = taken.size === 0;
    taken.set(request, 0);
    request.on('data', () => {
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

test('a body with a content-length is not dropped, because another request may have arrived with it', async () => {
  const bodies: string[] = [];
  await using server = await startServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
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

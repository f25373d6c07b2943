// How the chunks of a request body are read, tested with a real node:http server.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { ByteBudget } from '../../../src/byte-budget.ts';
import { BodyReader } from '../../../src/http/request/body.ts';
import { chunked, rawRequest, receiveAll, openSocket, sendRawOnce } from '../../support/raw.ts';

async function startServer(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => new Promise<void>((resolve) => void server.close(() => resolve()));
  return { url, [Symbol.asyncDispose]: close };
}

async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const admission = { turns: 0, enter: () => null };
  return (
    await new BodyReader(maxBytes, new ByteBudget(2 * maxBytes), admission).read(
      request,
      (body) => body,
    )
  ).value;
}

/** A request with a body in 2,000 chunks. One read of the socket can return many chunks. */
const inSmallChunks = rawRequest({
  framing: ['Transfer-Encoding: chunked'],
  body: chunked(...Array<string>(2000).fill('x')),
});

test.each([0, 1, 2])(
  'each chunk is read once and in order if reading begins %d event-loop turns after the request',
  async (turns) => {
    await using server = await startServer((request, response) => {
      const read = async () => {
        const bytes = await readBody(request, 10_000);
        response.end(`${String(request.complete)} ${bytes.toString()}`);
      };
      const begin = (left: number): void => {
        if (left > 0) setImmediate(() => begin(left - 1));
        else void read();
      };
      begin(turns);
    });
    const body = Array.from({ length: 500 }, (_, i) => String(i));
    const framing = ['Transfer-Encoding: chunked'];
    const socket = await openSocket(server);
    const answered = receiveAll(socket);
    const bytes = rawRequest({ framing, body: chunked(...body) });
    socket.write(bytes.subarray(0, 1000));
    // The rest arrives while the first chunks are being read.
    setImmediate(() => socket.write(bytes.subarray(1000)));
    expect((await answered).toString()).toContain(`\r\n\r\ntrue ${body.join('')}`);
  },
);

test('a chunk that arrives while earlier ones are still in the stream is read after them', async () => {
  const stream = new Readable({ read: () => undefined });
  const request = Object.assign(stream, { headers: { 'content-type': 'application/json' } });
  request.push(Buffer.from('earlier, '));
  const reading = readBody(request as unknown as IncomingMessage, 10_000);
  request.push(Buffer.from('later'));
  request.push(null);
  expect((await reading).toString()).toBe('earlier, later');
});

test.each([
  [1010, 'accepted'],
  [1011, 'rejected'],
])('with a limit of 10,000 bytes, a body of %i chunks is %s', async (count, expected) => {
  await using server = await startServer((request, response) => {
    const outcome = readBody(request, 10_000).then(
      () => 'accepted',
      () => 'rejected',
    );
    void outcome.then((text) => response.end(text));
  });
  const body = chunked(...Array<string>(count).fill('x'));
  const sent = rawRequest({ framing: ['Transfer-Encoding: chunked'], body });
  expect((await sendRawOnce(server, sent)).text).toContain(expected);
});

test('a body that ends in a later turn, and is refused then, counts no longer', async () => {
  const full = new Error('full');
  let turns = 0;
  const next = () => turns++;
  const admission = {
    get turns() {
      return next();
    },
    enter: () => Promise.reject(full),
  };
  // 32 bodies of this size are allowed at a time.
  const bodies = new BodyReader(1_048_576, new ByteBudget(32 * 1_048_576, 4096), admission);
  for (let times = 0; times < 40; times++) {
    const stream = new Readable({ read: () => undefined });
    const request = Object.assign(stream, { headers: { 'content-type': 'application/json' } });
    const reading = bodies.read(request as unknown as IncomingMessage, (body) => body);
    request.push(Buffer.alloc(1_048_576));
    request.push(null);
    await expect(reading).rejects.toBe(full);
  }
});

test('the chunks after a rejected one can be read from the request as a stream', async () => {
  await using server = await startServer((request, response) => {
    const readOn = () => {
      let left = 0;
      request.on('data', (chunk: Buffer) => (left += chunk.length));
      request.on('end', () => response.end(`${left} left`));
      request.resume();
    };
    // The tenth byte is too much.
    readBody(request, 9).catch(() => setImmediate(readOn));
  });
  expect((await sendRawOnce(server, inSmallChunks)).text).toContain('1990 left');
});

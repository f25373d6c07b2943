// The limit of 64 MiB for answers that clients have not read yet.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createBudgets } from '../../../src/byte-budget.ts';
import { Outbox } from '../../../src/http/outbox.ts';

const mebibyte = 1_048_576;

const settings = { maxBodyBytes: 1, upstreamMaxBodyBytes: 1, upstreamConnections: 1 };
let outbox: Outbox;
beforeEach(() => {
  outbox = new Outbox(createBudgets(settings).unread);
});

/** A client that does not read, and the response to its request. */
interface Idler {
  readonly client: Socket;
  readonly response: ServerResponse;
}

/** Starts a server, and returns a function that opens a connection with one or more pipelined requests. */
async function startServer() {
  const arrived: ((response: ServerResponse) => void)[] = [];
  const server = createServer((_request, response) => arrived.shift()?.(response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return async (client = connect((server.address() as AddressInfo).port, '127.0.0.1')) => {
    const { promise, resolve } = Promise.withResolvers<ServerResponse>();
    arrived.push(resolve);
    client.pause().on('error', () => undefined);
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    return { client, response: await promise };
  };
}

function answer({ response }: Idler, mebibytes: number): void {
  response.end('x'.repeat(mebibytes * mebibyte), 'latin1');
  outbox.written(response);
}

const areOpen = (idlers: readonly Idler[]) =>
  idlers.map(({ response }) => !response.req.socket.destroyed);

test('if clients do not read more than 64 MiB, the connection with most of them is closed', async () => {
  const open = await startServer();
  const [a, b, c, d] = [await open(), await open(), await open(), await open()];
  const all = [a, b, c, d];
  answer(a, 10);
  answer(b, 30);
  answer(c, 20);
  expect(areOpen(all)).toEqual([true, true, true, true]);
  answer(d, 10);
  expect(areOpen(all)).toEqual([true, false, true, true]);
  answer(await open(), 20);
  expect(areOpen(all)).toEqual([true, false, true, true]);
});

test('an answer counts until it is read, or until its connection is closed', async () => {
  const open = await startServer();
  for (let times = 0; times < 3; times++) {
    const read = await open();
    answer(read, 40);
    read.client.resume();
    await once(read.response, 'finish');
    const gone = await open();
    answer(gone, 40);
    gone.client.destroy();
    await new Promise((resolve) => gone.response.req.socket.once('close', resolve));
    expect(read.response.req.socket.destroyed).toBe(false);
  }
});

test('the answers to the pipelined requests of a connection count together', async () => {
  const open = await startServer();
  const first = await open();
  const second = await open(first.client);
  const other = await open();
  answer(second, 20);
  answer(other, 30);
  answer(first, 20);
  expect(areOpen([first, other])).toEqual([false, true]);
});

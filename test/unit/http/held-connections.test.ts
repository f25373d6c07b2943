// Connections that are not listened to for a while: nothing is lost, and what came too early is told apart.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { HeldConnections } from '../../../src/http/held-connections.ts';

/** A server that holds the connection of each request that it answers, for as long as the request's path says. */
async function start() {
  const held = new HeldConnections();
  const server = createServer((request, response) => {
    const hasWaited = held.hasWaited(request.socket);
    response.end(hasWaited ? 'early' : 'in time');
    held.hold(request.socket, Number(request.url?.slice(1)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  /** Asks on the one connection, and gives what is answered. */
  return async (ms: number) => {
    socket.write(`GET /${ms} HTTP/1.1\r\nHost: gateway\r\n\r\n`);
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    return chunk.toString().split('\r\n\r\n')[1];
  };
}

test('what comes while a connection is held waits, and is known to have come too early', async () => {
  const ask = await start();
  const first = await ask(600);
  const second = await ask(600);
  const third = await ask(0);
  // Early is what is read in the turn in which the connection is let go of: it waited until then.
  expect([first, second, third]).toEqual(['in time', 'early', 'early']);
});

test('what waited only shortly is in time', async () => {
  const ask = await start();
  await ask(100);
  expect(await ask(0)).toBe('in time');
});

test('what comes after that is in time', async () => {
  const ask = await start();
  await ask(600);
  // Held itself, for a while that begins later and is as long: over after the other one.
  const other = await start();
  await other(600);
  await other(0);
  expect(await ask(0)).toBe('in time');
});

// Connections that are not listened to for a while: nothing is lost, and what came too early is told apart.
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { HeldConnections } from '../../../src/http/held-connections.ts';

/** A server, and a connection to it or several. */
async function listen(listener: RequestListener, count: number): Promise<Socket[]> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    sockets.push(connect(port, '127.0.0.1').setNoDelay());
    await once(server, 'connection');
  }
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return sockets;
}

/** A server that holds the connection of each request that it answers, for as long as the request's path says. */
async function start() {
  const held = new HeldConnections();
  const [socket] = await listen((request, response) => {
    const hasWaited = held.hasWaited(request.socket);
    response.end(hasWaited ? 'early' : 'in time');
    held.hold(request, Number(request.url?.slice(1)));
  }, 1);
  if (socket === undefined) throw new Error('no connection');
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

test('of connections that all ask again at once, none is answered again before its time', async () => {
  const [held, count, holdMs] = [new HeldConnections(), 1200, 300];
  const toldAt = new Map<Socket, number>();
  const waitedMs: number[] = [];
  const all = Promise.withResolvers<undefined>();
  // More than 1,024 of them have something to say whenever libuv looks: then it looks again before the turn ends.
  const sockets = await listen((request, response) => {
    const before = toldAt.get(request.socket);
    toldAt.set(request.socket, performance.now());
    response.end();
    held.hold(request, holdMs);
    if (before !== undefined) waitedMs.push(performance.now() - before);
    if (waitedMs.length === count) all.resolve(undefined);
  }, count);
  const request = 'POST / HTTP/1.1\r\nHost: gateway\r\nContent-Length: 2\r\n\r\n{}';
  for (const socket of sockets) {
    socket.on('data', () => socket.write(request));
    socket.write(request);
  }
  await all.promise;
  // Timers count whole milliseconds.
  expect(Math.min(...waitedMs)).toBeGreaterThan(holdMs - 2);
});

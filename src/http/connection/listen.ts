// Starts and stops listening.
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Connections } from './open-connections.ts';

/**
 * How many connections may wait to be accepted; Linux caps it at net.core.somaxconn, usually 4,096. If a proxy or all
 * clients reconnect at once, further ones are dropped and retried after 1, 3 and 7 seconds.
 */
const backlog = 4096;

/** Listens, on any free port if `port` is 0; rejects if the port is taken. Returns the address as `http://…`. */
export async function listen(server: Server, port: number, host: string): Promise<string> {
  server.listen({ port, host, backlog });
  await once(server, 'listening');
  const bound = server.address() as AddressInfo;
  const name = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
  return `http://${name}:${bound.port}`;
}

/** A server and its open connections. */
export interface Listener {
  readonly server: Server;
  readonly connections: Connections;
}

export interface StopTimes {
  /** How long an idle connection stays open, so that a request on its way is still answered. */
  readonly idleMs: number;
  /** After this, requests in progress are cut off and idle connections closed. */
  readonly graceMs: number;
}

/**
 * Accepts no more connections, and waits for the requests in progress and those that still arrive on open connections.
 * Each answer has to close its connection meanwhile.
 */
export async function stopListening(
  { server, connections }: Listener,
  { idleMs, graceMs }: StopTimes,
): Promise<void> {
  if (!server.listening) return;
  await acceptAll(connections);
  const closed = once(server, 'close');
  // Not http.Server's close, which also closes the connections that are idle now.
  NetServer.prototype.close.call(server);
  const cutOff = setTimeout(() => server.closeAllConnections(), graceMs);
  const closeIdle = setTimeout(
    // A timer fires before the event loop reads; one turn later, every request that has arrived is known.
    () => setImmediate(() => connections.closeUnused()),
    Math.min(idleMs, graceMs),
  );
  await closed;
  clearTimeout(cutOff);
  clearTimeout(closeIdle);
  // Stops node:http's check for slow requests.
  server.close();
}

/** Accepts every waiting connection: those left when listening ends are reset, with the requests they have sent. */
async function acceptAll(connections: Connections): Promise<void> {
  // Each turn of the event loop accepts one.
  for (let turn = 0, known = -1; turn < backlog && known !== connections.accepted(); turn++) {
    known = connections.accepted();
    await nextTurn();
  }
}

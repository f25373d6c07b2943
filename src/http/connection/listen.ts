// Starts and stops a server's listening.
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Connections } from './open-connections.ts';

/**
 * How many connections may wait until they are accepted; Linux takes no more than net.core.somaxconn, 4,096 mostly. If a
 * proxy or all clients connect again at once, those beyond it are dropped, and retried after 1, 3, 7 seconds.
 */
const backlog = 4096;

/** Listens, on any free port if `port` is 0; rejects if the port is taken. Gives the address as `http://…`. */
export async function listen(server: Server, port: number, host: string): Promise<string> {
  server.listen({ port, host, backlog });
  await once(server, 'listening');
  const bound = server.address() as AddressInfo;
  const name = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
  return `http://${name}:${bound.port}`;
}

/** What has to end for a server to stop. */
export interface Listener {
  readonly server: Server;
  readonly connections: Connections;
}

export interface StopTimes {
  /** How long an idle connection stays open, so that its client can ask once more. */
  readonly idleMs: number;
  /** After which the requests under way are cut off; idle connections do not stay longer either. */
  readonly graceMs: number;
}

/**
 * Takes no more connections, and waits for the requests under way and for those that still come on open connections.
 * Whoever answers them has to close each connection with its answer.
 */
export async function stopListening(
  { server, connections }: Listener,
  { idleMs, graceMs }: StopTimes,
): Promise<void> {
  if (!server.listening) return;
  await acceptAll(connections);
  const closed = once(server, 'close');
  // Not node:http's own close, which also closes the connections that are idle at this moment.
  NetServer.prototype.close.call(server);
  const cutOff = setTimeout(() => server.closeAllConnections(), graceMs);
  const closeIdle = setTimeout(() => void closeUnused(connections), Math.min(idleMs, graceMs));
  await closed;
  clearTimeout(cutOff);
  clearTimeout(closeIdle);
  // Ends node:http's watch over slow requests.
  server.close();
}

/** Until nobody waits to be accepted: those that wait when the listening ends are reset, with what they have sent. */
async function acceptAll(connections: Connections): Promise<void> {
  // A turn of the event loop accepts one.
  for (let turn = 0, known = -1; turn < backlog && known !== connections.accepted(); turn++) {
    known = connections.accepted();
    await nextTurn();
  }
}

async function closeUnused(connections: Connections): Promise<void> {
  // A timer is due before the event loop reads; after it, every request that has arrived is known.
  await nextTurn();
  connections.closeUnused();
}

// Starts and stops a server's listening.
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Connections } from './connections.ts';

/**
 * How many connections may wait until they are accepted; Linux takes no more than net.core.somaxconn, 4,096 mostly. When
 * a proxy or all clients connect anew at once, those beyond it are dropped, and come again after 1, 3, 7 seconds.
 */
const backlog = 4096;

/** Listens, on any free port where `port` is 0; rejects where the port is taken. Gives the address as `http://…`. */
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

/** Takes no more connections, and waits for the requests under way; those not done after `graceMs` are cut off. */
export async function stopListening(
  { server, connections }: Listener,
  graceMs: number,
): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  connections.closeUnused();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(timer);
}

// Counts the connections to the service, and the requests under way on them.
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many there are now, and how many there were at most since the last reset. */
export interface Load {
  /** Connections, without those that only script the bank. */
  readonly sockets: number;
  readonly maxSockets: number;
  /** Requests that have come and not ended. */
  readonly requests: number;
  readonly maxRequests: number;
}

/** Watches a server. */
export interface Connections {
  load(): Load;
  /** Counts a request to the service. */
  serves(response: ServerResponse): void;
  /** Leaves the connection of a request that scripts the bank out of the count. */
  scripts(socket: Socket): void;
  reset(): void;
}

export function watchConnections(server: Server): Connections {
  const sockets = new Set<Socket>();
  let requests = 0;
  let [maxSockets, maxRequests] = [0, 0];

  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const note = () => {
    // Not already at the connection: then it is not known yet whether it will serve or script.
    maxSockets = Math.max(maxSockets, sockets.size);
    maxRequests = Math.max(maxRequests, requests);
  };
  return {
    load: () => ({ sockets: sockets.size, maxSockets, requests, maxRequests }),
    serves(response) {
      requests += 1;
      response.once('close', () => (requests -= 1));
      note();
    },
    scripts: (socket) => void sockets.delete(socket),
    reset() {
      [maxSockets, maxRequests] = [0, 0];
      note();
    },
  };
}

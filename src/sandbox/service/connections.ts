// Counts the connections to the service, and the requests in progress on them.
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The current numbers of connections and requests, and their maxima since the last reset. */
export interface Load {
  /** Connections, except those that carry control requests. */
  readonly sockets: number;
  readonly maxSockets: number;
  /** Requests in progress. */
  readonly requests: number;
  readonly maxRequests: number;
}

/** The counts of one server. */
export interface Connections {
  load(): Load;
  /** Counts a request to the service. */
  serves(response: ServerResponse): void;
  /** Excludes the connection of a control request from the count. */
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
    // `note` is not called when a connection opens, because the bank does not know yet whether the connection carries
    // control requests.
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

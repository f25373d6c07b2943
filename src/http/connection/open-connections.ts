// The connections of a server, and which of them carry a request.
import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

export interface Connections {
  /** The number of connections accepted so far. */
  readonly accepted: () => number;
  /** The response that a connection waits for or receives; undefined if there is none. */
  readonly answerOn: (socket: Duplex) => ServerResponse | undefined;
  /** Closes the connections that carry no request. */
  readonly closeUnused: () => void;
}

/** Watches a server that does not listen yet. */
export function watchConnections(server: Server): Connections {
  /** Null once it is sent: an idle connection must not keep its last request in memory. */
  const latest = new Map<Duplex, ServerResponse | null>();
  let accepted = 0;
  const answerOn = (socket: Duplex) => {
    const response = latest.get(socket) ?? undefined;
    return response?.writableFinished === true ? undefined : response;
  };
  const forget = function (this: ServerResponse) {
    const { socket } = this.req;
    if (latest.get(socket) === this) latest.set(socket, null);
  };
  server.on('connection', (socket) => {
    accepted++;
    latest.set(socket, null);
    socket.once('close', () => latest.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    latest.set(socket, response);
    response.on('close', forget);
  });
  return {
    accepted: () => accepted,
    answerOn,
    closeUnused() {
      for (const socket of latest.keys()) if (answerOn(socket) === undefined) socket.destroy();
    },
  };
}

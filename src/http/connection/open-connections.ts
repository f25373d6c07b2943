// The connections of a server, and which of them carries an answer at the moment.
import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

export interface Connections {
  /** How many have been accepted so far. */
  readonly accepted: () => number;
  /** The answer that a connection waits for, or that is on it; undefined where there is none. */
  readonly answerOn: (socket: Duplex) => ServerResponse | undefined;
  /** Closes the connections that carry no request: used before, or opened by a client in advance. */
  readonly closeUnused: () => void;
}

/** Watches a server that does not listen yet. */
export function watchConnections(server: Server): Connections {
  /** Null once it is out: else each idle connection would keep its last request, with all that was done for it. */
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

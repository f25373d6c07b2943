// A small HTTP server for one test: it records its requests, and its handler may answer in any way.
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

export interface TestServer extends AsyncDisposable {
  readonly origin: string;
  /** The requested paths, in order. */
  readonly paths: string[];
  /** The requests, in order. */
  readonly requests: IncomingMessage[];
  /** The number of connections opened so far. */
  readonly connections: () => number;
  /** The number of connections that are open now. */
  readonly open: () => number;
}

/** Starts a server on a free port. Disposing of the server ends every connection. */
export async function serve(handler: RequestListener): Promise<TestServer> {
  const requests: IncomingMessage[] = [];
  let connections = 0;
  let open = 0;
  const server = createServer((request, response) => {
    requests.push(request);
    handler(request, response);
  });
  server.on('connection', (socket) => {
    connections++;
    open++;
    socket.on('close', () => open--);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get paths() {
      return requests.map(({ url = '' }) => url);
    },
    connections: () => connections,
    open: () => open,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A handler that passes the n-th request to the n-th of these handlers, and later requests to the last. */
export function inTurn(...handlers: RequestListener[]): RequestListener {
  let next = 0;
  return (request, response) => {
    const handler = handlers[Math.min(next++, handlers.length - 1)];
    handler?.(request, response);
  };
}

/** A handler that answers with a status, a body and headers; the default content type is JSON. */
export function answer(
  status: number,
  body = '{}',
  headers: Readonly<Record<string, string | readonly string[]>> = {},
): RequestListener {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers } as never);
    response.end(body);
  };
}

/** A handler that resets the connection without an answer. */
export const reset: RequestListener = (request) => {
  request.socket.resetAndDestroy();
};

/** A handler that never answers. */
export const hang: RequestListener = () => undefined;

/** A handler that writes exactly this text to the socket, and then ends the connection unless `end` is false. */
export function raw(text: string, { end = true } = {}): RequestListener {
  return ({ socket }) => {
    if (end) socket.end(text);
    else socket.write(text);
  };
}

/** Writes a body without an end. In Node.js 26, a write to a closed connection fails before the response is destroyed. */
export function writeEndlessly(response: ServerResponse): void {
  const more = (error?: Error | null) => {
    if (!error && !response.destroyed) response.write('x'.repeat(10_000), more);
  };
  more();
}

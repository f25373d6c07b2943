// An HTTP server and its open connections: starts and stops listening, and answers requests that cannot be parsed.
import { once } from 'node:events';
import {
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ByteBudget } from '../byte-budget.ts';
import { ConnectionMemory } from './connection-memory.ts';
import { errorBody, headersOfAll, Refusal } from './http-exchange.ts';
import { onTurn } from './outbox.ts';
import { jsonType } from './request/media-type.ts';

/** The number of connections that may wait to be accepted; on Linux, net.core.somaxconn may lower it. */
const backlog = 4096;

/** The largest number of headers of a request. With 16 KiB of short ones, it would take twice the memory. */
export const maxHeaders = 100;

const overflow = `The headers of the request are too large, or more than ${maxHeaders}.`;

/** Refusals by node:http's error code; for any other code, `badRequest` is sent. */
const refusals: ReadonlyMap<unknown, Refusal> = new Map([
  ['HPE_HEADER_OVERFLOW', new Refusal(431, overflow)],
  ['ERR_HTTP_REQUEST_TIMEOUT', new Refusal(408, 'The request took too long to arrive.')],
]);

const noTunnel = new Refusal(405, 'CONNECT is not supported.');

const badRequest = new Refusal(400, 'This is not an HTTP request.');

/** What node:http and the gateway keep for a waiting request, besides its headers and body. */
const bytesPerRequest = 3072;

/** Node.js stops reading from a connection after about as much of a body that waits. */
const maxWaitingBody = 65_536;

/** The delay before a refused connection is closed: without it, the client might not receive the answer. */
const lingerMs = 500;

export class Listener {
  readonly #server: Server;
  /**
   * The latest response of each connection; null before the first, and once the response is closed, to save memory,
   * unless its request is still incomplete then.
   */
  readonly #latest = new Map<Duplex, ServerResponse | null>();
  /** Connections with a request to change the protocol: their further bytes may be anything but a request. */
  readonly #changing = new WeakSet<Duplex>();
  readonly #pipelined: ConnectionMemory;
  /** The responses to requests whose bodies could not be received: the connection has been answered. */
  readonly #refused = new WeakMap<ServerResponse, Refusal>();
  #accepted = 0;
  /** Whether idle connections have been closed; from then on, each connection is closed as soon as it is idle. */
  #isClosing = false;

  /**
   * `server` must not listen yet, and have no listener for requests. `pipelined` is for requests that wait for earlier
   * answers of their connections. `onIdle` is called after an answer if the connection has no further request.
   */
  constructor(
    server: Server,
    pipelined: ByteBudget,
    onRequest: RequestListener,
    onIdle?: (connection: Duplex) => void,
  ) {
    this.#server = server;
    this.#pipelined = new ConnectionMemory(pipelined);
    // Node.js rejects a request with more headers; its older versions drop the rest, so that the gateway has to count.
    server.maxHeadersCount = maxHeaders + 1;
    const latest = this.#latest;
    const isClosing = () => this.#isClosing;
    const forget = function (this: ServerResponse) {
      const { socket } = this.req;
      if (latest.get(socket) !== this) return;
      if (this.req.complete) latest.set(socket, null);
      onIdle?.(socket);
      if (isClosing() && this.req.complete) socket.end();
    };
    server.on('connection', (socket) => {
      this.#accepted++;
      latest.set(socket, null);
      socket.once('close', () => latest.delete(socket));
    });
    server.on('request', (request, response) => {
      const { socket } = request;
      // node:http loses bytes after such a request, and parses later ones as a request.
      if (this.#changing.has(socket)) return;
      if (request.headers.upgrade !== undefined) this.#changing.add(socket);
      latest.set(socket, response);
      response.on('close', forget);
      if (response.socket === null)
        response.once(
          'socket',
          this.#pipelined.hold(socket, bytesPerRequest + bytesWaitingIn(request)),
        );
      onRequest(request, response);
    });
    server.on('connect', (_request, socket) => {
      // Unread bytes would reset the connection, and the client might lose the answer.
      socket.resume();
      this.#refuse(socket, noTunnel);
    });
    server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
      this.#refuse(socket, refusals.get(error.code) ?? badRequest),
    );
  }

  hasLater(response: ServerResponse): boolean {
    return (this.#latest.get(response.req.socket) ?? response) !== response;
  }

  refusalOf(response: ServerResponse): Refusal | undefined {
    return this.#refused.get(response);
  }

  #refuse(socket: Duplex, refusal: Refusal): void {
    const latest = this.#latest.get(socket);
    const earlier = this.#answerOn(socket);
    // An earlier error on this connection has been answered already.
    if (!this.#latest.delete(socket)) return;
    const refuse = (answer = rawAnswer(refusal)) => {
      if (earlier?.headersSent === false) this.#refused.set(earlier, refusal);
      if (socket.writable) socket.end(answer);
      setTimeout(() => socket.destroy(), lingerMs);
    };
    // The previous request on the connection was valid, so its answer is sent first.
    if (earlier?.req.complete === true) earlier.once('finish', () => refuse());
    // The request is answered in its turn: with this error, unless it has another answer already.
    else if (earlier?.socket === null)
      onTurn(earlier, () => setImmediate(() => refuse(earlier.headersSent ? '' : undefined)));
    // An answer that has begun, or was sent before its request was complete, cannot be replaced by an error.
    else if (latest?.headersSent === true && !latest.req.complete) socket.destroy();
    else refuse();
  }

  /** The response that is being prepared or sent on a connection; undefined if the connection is idle. */
  #answerOn(socket: Duplex): ServerResponse | undefined {
    const response = this.#latest.get(socket) ?? undefined;
    return response?.writableFinished === true ? undefined : response;
  }

  /** Listens, on any free port if `port` is 0; rejects if the port is taken. Returns the address as `http://…`. */
  async listen(port: number, host: string): Promise<string> {
    this.#server.listen({ port, host, backlog });
    await once(this.#server, 'listening');
    const { address, family, port: bound } = this.#server.address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`;
  }

  /** Waits for requests in progress. Idle connections are closed after `idleMs`, all connections after `graceMs`. */
  async stop(idleMs: number, graceMs: number): Promise<void> {
    const server = this.#server;
    if (!server.listening) return;
    const bytesRead = new Map([...this.#latest.keys()].map((socket) => [socket, bytesOf(socket)]));
    await this.#acceptAll();
    const closed = once(server, 'close');
    // http.Server's own close would also close idle connections at once.
    NetServer.prototype.close.call(server);
    const cutOff = setTimeout(() => server.closeAllConnections(), graceMs);
    const closeIdle = setTimeout(
      // Timers fire before the event loop reads sockets; setImmediate waits until arrived requests have been read.
      () => setImmediate(() => this.#closeUnused(bytesRead)),
      Math.min(idleMs, graceMs),
    );
    await closed;
    clearTimeout(cutOff);
    clearTimeout(closeIdle);
    // Stops node:http's check for slow requests.
    server.close();
  }

  /**
   * Unlike http.Server's closeIdleConnections, also closes connections that have not carried a request yet. Keeps those
   * on which a request has begun to arrive: more bytes than `bytesRead`.
   */
  #closeUnused(bytesRead: ReadonlyMap<Duplex, number>): void {
    this.#isClosing = true;
    for (const socket of this.#latest.keys()) {
      const isQuiet = bytesOf(socket) === (bytesRead.get(socket) ?? 0);
      if (isQuiet && this.#answerOn(socket) === undefined) socket.destroy();
    }
  }

  /** Accepts all waiting connections: if one still waits when listening ends, its requests are lost. */
  async #acceptAll(): Promise<void> {
    // libuv accepts one connection per turn of the event loop.
    for (let turn = 0, known = -1; turn < backlog && known !== this.#accepted; turn++) {
      known = this.#accepted;
      await nextTurn();
    }
  }
}

/** The number of bytes that have arrived on a connection. */
function bytesOf(socket: Duplex & Partial<Pick<Socket, 'bytesRead'>>): number {
  return socket.bytesRead ?? 0;
}

/** The largest number of bytes of a request that are in memory while it waits: its address, headers and body. */
export function bytesWaitingIn({ headers, rawHeaders, url = '' }: IncomingMessage): number {
  const isChunked = headers['transfer-encoding'] !== undefined;
  const body = isChunked ? maxWaitingBody : Number(headers['content-length'] ?? '0');
  const head = rawHeaders.reduce((sum, text) => sum + text.length, url.length);
  return head + Math.min(body, maxWaitingBody);
}

function rawAnswer(refusal: Refusal): string {
  const body = errorBody(refusal);
  return [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}`,
    'Connection: close',
    ...Object.entries(headersOfAll).map(([name, value]) => `${name}: ${value}`),
    `Content-Type: ${jsonType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}

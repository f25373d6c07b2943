// Answers requests that node:http cannot parse, or that arrive too slowly, on the raw connection.
import { type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Listener } from './listener.ts';
import { errorBody, headersOfAll, Refusal } from '../http-exchange.ts';
import { jsonType } from '../request/media-type.ts';

/** Refusals by node:http's error code; for any other code, `badRequest` is sent. */
const refusals: ReadonlyMap<unknown, Refusal> = new Map([
  ['HPE_HEADER_OVERFLOW', new Refusal(431, 'The headers of the request are too large.')],
  ['ERR_HTTP_REQUEST_TIMEOUT', new Refusal(408, 'The request took too long to arrive.')],
]);

const badRequest = new Refusal(400, 'This is not an HTTP request.');

/** The delay before the connection is closed: without it, the client might not receive the answer. */
const lingerMs = 500;

export function answerProtocolErrors(server: Server, listener: Listener): void {
  const answered = new WeakSet<Duplex>();
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // An earlier error on this connection has been answered already.
    if (answered.has(socket)) return;
    answered.add(socket);
    const refuse = () => {
      if (socket.writable) socket.end(rawAnswer(refusals.get(error.code) ?? badRequest));
      setTimeout(() => socket.destroy(), lingerMs);
    };
    const earlier = listener.answerOn(socket);
    // The previous request on the connection was valid, so its answer is sent first.
    if (earlier?.req.complete === true) earlier.once('finish', refuse);
    // An answer that has begun cannot be replaced by an error.
    else if (earlier?.headersSent === true) socket.destroy();
    else refuse();
  });
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

// What is no request that node:http could hand on: answered on the bare connection, as the others are.
import { type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Connections } from './open-connections.ts';
import { errorBody, headersOfAll, jsonType, Refusal } from '../http-exchange.ts';

/** By node:http's code of what is wrong; anything else is a bad request. */
const refusals: ReadonlyMap<unknown, Refusal> = new Map([
  ['HPE_HEADER_OVERFLOW', new Refusal(431, 'The headers of the request are too large.')],
  ['ERR_HTTP_REQUEST_TIMEOUT', new Refusal(408, 'The request took too long to arrive.')],
]);

const badRequest = new Refusal(400, 'This is not an HTTP request.');

/** How long a client may go on sending what nobody reads, so that it gets to see its answer. */
const lingerMs = 500;

/** Answers what node:http cannot parse, or did not get in time, and closes the connection. */
export function answerProtocolErrors(server: Server, { answerOn }: Connections): void {
  const answered = new WeakSet<Duplex>();
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // More of what was wrong before.
    if (answered.has(socket)) return;
    answered.add(socket);
    const refuse = () => {
      if (socket.writable) socket.end(rawAnswer(refusalOf(error)));
      setTimeout(() => socket.destroy(), lingerMs);
    };
    const earlier = answerOn(socket);
    // The request before had nothing wrong: its answer comes first, and not as if it were this one.
    if (earlier?.req.complete === true) earlier.once('finish', refuse);
    // Nothing can be said any more within an answer that is on its way.
    else if (earlier?.headersSent === true) socket.destroy();
    else refuse();
  });
}

function refusalOf({ code }: NodeJS.ErrnoException): Refusal {
  return refusals.get(code) ?? badRequest;
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

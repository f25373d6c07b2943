// What is no request that node:http could hand on: answered on the bare connection, as the others are.
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorBody, jsonType, Refusal } from './exchange.ts';

/** By node:http's code of what is wrong; anything else is a bad request. */
const refusals: ReadonlyMap<unknown, Refusal> = new Map([
  ['HPE_HEADER_OVERFLOW', new Refusal(431, 'The headers of the request are too large.')],
  ['ERR_HTTP_REQUEST_TIMEOUT', new Refusal(408, 'The request took too long to arrive.')],
]);

const badRequest = new Refusal(400, 'This is not an HTTP request.');

/** How long a client may go on sending what nobody reads, so that it gets to see its answer. */
const lingerMs = 500;

/** Answers what node:http cannot parse, or did not get in time, and closes the connection. */
export function answerProtocolErrors(server: Server): void {
  const responses = new WeakMap<Duplex, ServerResponse>();
  const answered = new WeakSet<Duplex>();
  server.on('request', ({ socket }, response) => responses.set(socket, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // More of what was wrong before.
    if (answered.has(socket)) return;
    answered.add(socket);
    if (socket.writable && !isAnswering(responses.get(socket))) {
      socket.end(rawAnswer(refusals.get(error.code) ?? badRequest));
    }
    setTimeout(() => socket.destroy(), lingerMs);
  });
}

/** Whether a part of an answer is on the connection, so that another would get into it. */
function isAnswering(response: ServerResponse | undefined): boolean {
  return response !== undefined && response.headersSent && !response.writableFinished;
}

function rawAnswer(refusal: Refusal): string {
  const body = errorBody(refusal);
  return [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}`,
    'Connection: close',
    'Cache-Control: no-store',
    `Content-Type: ${jsonType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}

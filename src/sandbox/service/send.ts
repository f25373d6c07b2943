// Sends answers and bodies, unless the client has disconnected.
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Answer } from './answer.ts';

/** Sends an answer as JSON, unless the client has disconnected. */
export function sendAnswer(response: ServerResponse, { status, body, headers }: Answer): void {
  sendBody(response, status, body, {
    'content-type': 'application/json; charset=utf-8',
    ...headers,
  });
}

/** Sends a body with its length declared (a 204 has none). */
export function sendBody(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: OutgoingHttpHeaders,
): void {
  if (response.destroyed) return;
  const bytes = Buffer.from(body);
  const length = status === 204 ? {} : { 'content-length': bytes.length };
  response.writeHead(status, { ...headers, ...length }).end(bytes);
}

// The answer to a request that is not let in: OVERLOADED, for next to nothing, and no ear for its connection for a while.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { errorKinds } from '../errors.ts';
import type { Log } from '../telemetry/log.ts';
import type { Cors } from './cors.ts';
import type { Drain } from './drain.ts';
import { errorBody, jsonType } from './exchange.ts';
import { requestIdOf } from './request-id.ts';

export interface OverloadAnswerParts {
  readonly cors: Cors;
  readonly drain: Pick<Drain, 'isDraining'>;
  /** Told how many were refused, once for all that were within a while. */
  readonly onRefused: (count: number) => void;
  readonly log: Pick<Log, 'warn'>;
}

/** Refuses a request. */
export type OverloadAnswer = (request: IncomingMessage, response: ServerResponse) => void;

const { status, message } = errorKinds.OVERLOADED;
const body = Buffer.from(errorBody({ message, code: 'OVERLOADED' }));

/** How often refusals are told: together, as each would be a load of its own. */
const tellEveryMs = 1000;

/**
 * How long nothing more is read from a connection that was just told to come back later. Who comes back at once on the
 * same connection waits, and costs nothing meanwhile: the refusals alone could else take up what is left to serve with.
 */
const quietMs = 200;

export function createOverloadAnswer(parts: OverloadAnswerParts): OverloadAnswer {
  const count = createTally(parts);
  return (request, response) => {
    count();
    response.writeHead(status, headersFor(request, parts));
    response.end(body);
    // Not now: node:http, which drops the rest of the request by itself, would begin to read again for that.
    setImmediate(quieten, request.socket);
  };
}

function headersFor(
  request: IncomingMessage,
  { cors, drain }: OverloadAnswerParts,
): Record<string, string> {
  const headers: Record<string, string> = {
    'cache-control': 'no-store',
    'content-type': jsonType,
    'content-length': String(body.length),
    'retry-after': '1',
    'x-request-id': requestIdOf(request.headers['x-request-id']),
  };
  if (request.headers.origin !== undefined) cors({ request, headers });
  if (drain.isDraining) headers['connection'] = 'close';
  return headers;
}

function quieten(socket: Socket): void {
  socket.pause();
  setTimeout(listenAgain, quietMs, socket).unref();
}

function listenAgain(socket: Socket): void {
  socket.resume();
}

/** Counts, and tells from time to time. */
function createTally({ onRefused, log }: OverloadAnswerParts): () => void {
  let count = 0;
  const tell = () => {
    onRefused(count);
    log.warn({ refused: count }, 'overloaded: requests were refused');
    count = 0;
  };
  return () => {
    if (count === 0) setTimeout(tell, tellEveryMs).unref();
    count++;
  };
}

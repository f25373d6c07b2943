// The answer to a request that is not let in: OVERLOADED, for next to nothing, and no ear for its connection for a while.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorKinds } from '../errors.ts';
import type { Log } from '../telemetry/log.ts';
import type { Cors } from './cors.ts';
import type { Drain } from './drain.ts';
import { errorBody, jsonType } from './exchange.ts';
import type { HeldConnections } from './held-connections.ts';
import { requestIdOf } from './request-id.ts';

export interface OverloadAnswerParts {
  readonly cors: Cors;
  readonly held: HeldConnections;
  readonly drain: Pick<Drain, 'isDraining'>;
  /** Told how many were refused, once for all that were within a while. */
  readonly onRefused: (count: number) => void;
  readonly log: Pick<Log, 'warn'>;
}

/** Refuses a request, where clients have so many connections. */
export type OverloadAnswer = (
  request: IncomingMessage,
  response: ServerResponse,
  connections: number,
) => void;

const { status, message } = errorKinds.OVERLOADED;
const body = Buffer.from(errorBody({ message, code: 'OVERLOADED' }));

/** How often refusals are told: together, as each would be a load of its own. */
const tellEveryMs = 1000;

/**
 * Connections are held for as long as it takes that no more than so many are refused in a second, which is a tenth of a
 * core's time; within bounds, as one may be a load balancer's, and carry the requests of many.
 */
const refusalsPerSecond = 3000;
const minHoldMs = 200;
const maxHoldMs = 3000;

export function createOverloadAnswer(parts: OverloadAnswerParts): OverloadAnswer {
  const count = createTally(parts);
  return (request, response, connections) => {
    count();
    const holdMs = holdMsFor(connections);
    response.writeHead(status, headersFor(request, parts, Math.ceil(holdMs / 1000)));
    response.end(body);
    parts.held.hold(request, holdMs);
  };
}

function holdMsFor(connections: number): number {
  return Math.min(Math.max((connections / refusalsPerSecond) * 1000, minHoldMs), maxHoldMs);
}

function headersFor(
  request: IncomingMessage,
  { cors, drain }: OverloadAnswerParts,
  retryAfterSeconds: number,
): Record<string, string> {
  const headers: Record<string, string> = {
    'cache-control': 'no-store',
    'content-type': jsonType,
    'content-length': String(body.length),
    'retry-after': String(retryAfterSeconds),
    'x-request-id': requestIdOf(request.headers['x-request-id']),
  };
  if (request.headers.origin !== undefined) cors({ request, headers });
  if (drain.isDraining) headers['connection'] = 'close';
  return headers;
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

// The clients' listener: the steps that every request takes, in their order.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { errorKinds } from '../errors.ts';
import type { Log } from '../telemetry/log.ts';
import type { Cors } from './cors.ts';
import type { Drain } from './drain.ts';
import { type Exchange, internalRefusal, Refusal, refuse, send } from './exchange.ts';
import type { GraphQLEndpoint } from './graphql-endpoint.ts';
import { ClientGoneError } from './lifetime.ts';
import { answerProtocolErrors } from './protocol-error.ts';
import { requestIdOf } from './request-id.ts';

export interface PublicServerParts {
  readonly drain: Drain;
  readonly cors: Cors;
  readonly graphql: GraphQLEndpoint;
  readonly log: Pick<Log, 'error'>;
}

/** How long a client may take for its headers, for its request, and between two requests on one connection. */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1000,
  // Longer than load balancers keep an idle connection: else one may send on a connection that is just being closed.
  keepAliveTimeout: 65_000,
};

/** A server that does not listen yet. */
export function createPublicServer(parts: PublicServerParts): Server {
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    const exchange = createExchange(parts.drain, request, response);
    answer(parts, exchange).catch((error: unknown) => answerError(parts, exchange, error));
  };
  // Both checks of the Host and Expect headers are made here: node:http's own answers lack the headers of ours.
  const server = createServer({ ...timeouts, requireHostHeader: false }, listener);
  server.on('checkExpectation', listener);
  answerProtocolErrors(server);
  return server;
}

function createExchange(
  drain: Drain,
  request: IncomingMessage,
  response: ServerResponse,
): Exchange {
  const id = requestIdOf(request.headers['x-request-id']);
  const headers = { 'cache-control': 'no-store', 'x-request-id': id };
  return { request, response, id, headers, drain };
}

async function answer({ cors, graphql }: PublicServerParts, exchange: Exchange): Promise<void> {
  if (exchange.drain.isClosing) throw shuttingDown();
  checkProtocol(exchange.request);
  checkRoute(exchange.request);
  cors(exchange);
  if (exchange.request.method === 'OPTIONS') send(exchange, 204, '');
  else await graphql(exchange);
}

function checkProtocol({ headers, httpVersion }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion === '1.1') {
    throw new Refusal(400, 'The Host header is missing.');
  }
  if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect)) {
    throw new Refusal(417, 'The Expect header asks for something unknown.');
  }
}

function shuttingDown(): Refusal {
  const { status, message } = errorKinds.SHUTTING_DOWN;
  return new Refusal(status, message, 'SHUTTING_DOWN', { 'retry-after': '1' });
}

const allow = 'GET, POST, OPTIONS';
const methods: ReadonlySet<string | undefined> = new Set(allow.split(', '));

function checkRoute({ method, url = '' }: IncomingMessage): void {
  if (url !== '/graphql' && !url.startsWith('/graphql?')) {
    throw new Refusal(404, 'There is nothing at this path; GraphQL is at /graphql.');
  }
  if (!methods.has(method)) {
    throw new Refusal(405, 'Only GET and POST are allowed here.', 'BAD_REQUEST', { allow });
  }
}

function answerError({ log }: PublicServerParts, exchange: Exchange, error: unknown): void {
  if (error instanceof ClientGoneError) return;
  if (error instanceof Refusal) {
    refuse(exchange, error);
    return;
  }
  log.error({ requestId: exchange.id, err: error }, 'a request failed');
  if (exchange.response.headersSent) exchange.response.destroy();
  else refuse(exchange, internalRefusal());
}

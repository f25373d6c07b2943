// The clients' listener: the steps of every request, in order.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { ByteBudget } from '../byte-budget.ts';
import { GatewayError } from '../errors.ts';
import type { Log } from '../telemetry/log.ts';
import { OperationRecord } from '../telemetry/operation-record.ts';
import type { RecorderParts } from '../telemetry/telemetry.ts';
import type { Admission } from './admission/admission.ts';
import type { Cors } from './cors.ts';
import {
  answerError,
  type HttpExchange,
  headersOfAll,
  type Lifecycle,
  Refusal,
  send,
} from './http-exchange.ts';
import { onTurn, Outbox } from './outbox.ts';
import { isStartPage } from './explorer.ts';
import { ClientGoneError } from './request/lifetime.ts';
import { bytesWaitingIn, Listener, maxHeaders } from './listener.ts';

/** Rejects with a ClientGoneError, or with a GatewayError to be sent. */
type Handler = (exchange: HttpExchange) => Promise<void>;

export interface PublicServerParts {
  readonly lifecycle: Readonly<Lifecycle>;
  readonly admission: Admission;
  readonly budgets: Readonly<Record<'pipelined' | 'unread', ByteBudget>>;
  readonly cors: Cors;
  readonly graphql: Handler;
  /** Null if EXPLORER is off. */
  readonly explorer: Handler | null;
  readonly log: Pick<Log, 'error'>;
  readonly recorder: RecorderParts;
}

const options = {
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  connectionsCheckingInterval: 1000,
  // Longer than usual in load balancers, which could otherwise use a connection that is being closed.
  keepAliveTimeout: 65_000,
  // checkProtocol checks Host and Expect, because node:http's own answers would lack the gateway's headers.
  requireHostHeader: false,
  // Otherwise node:http drops a second Authorization, Host or Content-Type; joined, two values are never valid.
  joinDuplicateHeaders: true,
};

export function createPublicServer(parts: PublicServerParts): Listener {
  const { admission, budgets, lifecycle, recorder, log } = parts;
  const outbox = new Outbox(budgets.unread);
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    request.url = request.url?.replace(origin, '/') ?? '';
    const id = requestIdOf(request.headers['x-request-id']);
    const headers = { ...headersOfAll, 'x-request-id': id };
    const record = new OperationRecord(recorder, id, request);
    const connections = listener;
    const exchange = {
      request,
      response,
      id,
      headers,
      lifecycle,
      connections,
      outbox,
      record,
      log,
    };
    const onError = (error: unknown) => answerError(exchange, error);
    try {
      answer(parts, exchange)?.catch(onError);
    } catch (error) {
      // In a microtask: if the parser, which is still running, rejects the request, the parser's error is answered.
      queueMicrotask(() => onError(error));
    }
  };
  const server = createServer(options);
  // As any other request, so that the listener knows the response too.
  server.on('checkExpectation', (...pair) => server.emit('request', ...pair));
  server.on('connection', () => admission.connected());
  const listener = new Listener(server, budgets.pipelined, onRequest, (connection) =>
    admission.answered(connection),
  );
  return listener;
}

/** The client's request id if it is well formed, otherwise a new one (docs/http.md). */
function requestIdOf(sent: string | string[] | undefined): string {
  return typeof sent === 'string' && /^[\w.-]{1,128}$/.test(sent) ? sent : randomUUID();
}

/** Answers a request; returns null if no handler is needed. An async function would keep more objects alive. */
function answer(parts: PublicServerParts, exchange: HttpExchange): Promise<void> | null {
  const { request, response } = exchange;
  // First, so that a web page can read a refusal too.
  parts.cors(exchange);
  checkProtocol(exchange);
  // A pipelined request: the previous answer is sent first, and this one closes the connection.
  if (exchange.lifecycle.phase === 'draining' && response.socket === null) {
    throw new GatewayError('SHUTTING_DOWN');
  }
  const handler = route(exchange, parts);
  if (request.method === 'OPTIONS') {
    send(exchange, 204, '');
    return null;
  }
  const begin = () => {
    if (response.destroyed) throw new ClientGoneError('gone before its turn');
    return handler(exchange);
  };
  const enter = () => {
    const turn = parts.admission.enter(() => bytesWaitingIn(request));
    return turn === null ? begin() : turn.then(begin);
  };
  return response.socket === null ? untilTurn(exchange).then(enter) : enter();
}

/**
 * Resolves when the previous answer of the connection has been sent: each connection has at most one operation in
 * progress. Rejects with a ClientGoneError.
 */
function untilTurn({ request, response }: HttpExchange): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  onTurn(response, () => resolve(undefined));
  // Until its turn, a response has no connection, and does not notice when the connection is closed.
  request.once('close', () => reject(new ClientGoneError('gone before its turn')));
  return promise;
}

function checkProtocol({ request, headers }: HttpExchange): void {
  if (request.rawHeaders.length > 2 * maxHeaders) {
    throw new Refusal(431, `The request has more than ${maxHeaders} headers.`);
  }
  const invalid = protocolError(request);
  if (invalid !== null) {
    headers['connection'] = 'close';
    throw new Refusal(400, invalid);
  }
  const { expect, upgrade } = request.headers;
  // Answered in HTTP/1.1, as the last request of its connection (RFC 9110 7.8).
  if (upgrade !== undefined) headers['connection'] = 'close';
  if (expect !== undefined && !/^100-continue$/i.test(expect)) {
    throw new Refusal(417, 'The Expect header is not supported.');
  }
}

/** The reason to reject a request for its HTTP version, Host or Transfer-Encoding; null if there is none. */
function protocolError(request: IncomingMessage): string | null {
  const { headers, httpVersion } = request;
  if (httpVersion !== '1.1' && httpVersion !== '1.0') {
    return 'The HTTP version must be 1.1 or 1.0.';
  }
  const { host } = headers;
  // Two Host headers are joined with a comma and a space.
  if (host === undefined ? httpVersion === '1.1' : host.includes(', ')) {
    return 'Exactly one Host header is required.';
  }
  // Other encodings allow request smuggling: parsers disagree about where the body ends (RFC 9112 6.1).
  const coding = headers['transfer-encoding']?.toLowerCase() ?? 'chunked';
  if (coding !== 'chunked' || ('transfer-encoding' in headers && httpVersion !== '1.1')) {
    return 'The only supported transfer encoding is chunked.';
  }
  return null;
}

/** The start of an absolute request target, up to the path (RFC 9112 3.2.2). Some proxies send such targets. */
const origin = /^https?:\/\/[\w.:[\]-]+\/?/i;

const graphqlMethods = ['GET', 'POST', 'OPTIONS'];
const explorerMethods = ['GET'];

/** Returns the handler of the path; throws a Refusal if the path does not exist or does not support the method. */
function route({ request, headers }: HttpExchange, parts: PublicServerParts) {
  const { method = '', url = '' } = request;
  const isGraphQL = url === '/graphql' || url.startsWith('/graphql?');
  const isStart = isStartPage(url) && /text\/html/i.test(request.headers.accept ?? '');
  const isExplorer = isStart || /^\/explorer(?:[/?]|$)/.test(url);
  const handler = isExplorer ? parts.explorer : parts.graphql;
  if (handler === null || !(isGraphQL || isExplorer)) {
    throw new Refusal(404, 'This path does not exist; the GraphQL endpoint is /graphql.');
  }
  const methods = isGraphQL ? graphqlMethods : explorerMethods;
  if (!methods.includes(method)) {
    headers['allow'] = methods.join(', ');
    throw new Refusal(405, `Only ${headers['allow']} are allowed here.`);
  }
  return handler;
}

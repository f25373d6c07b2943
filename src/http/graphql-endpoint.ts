// GraphQL over HTTP: parses a request, executes it on the fast path or through Apollo Server, and sends the answer.
import type { IncomingMessage } from 'node:http';
import { HeaderMap } from '@apollo/server';
import { GatewayError } from '../errors.ts';
import { checkUnknownText } from '../graphql/operation/operation-admission.ts';
import type { FastPath } from '../graphql/compiled/fast-path.ts';
import type { GatewayContext, GatewayRequest } from '../graphql/context.ts';
import type { OperationCache } from '../graphql/operation/operation-cache.ts';
import {
  checkId,
  findText,
  type OperationRequest,
  parseOperationBody,
  parseOperationSearch,
} from '../graphql/operation/operation-request.ts';
import type { Manifest, PersistedQueries } from '../graphql/operation/persisted-queries.ts';
import { tooComplex } from '../graphql/limits/limits.ts';
import type { GraphQLServer } from '../graphql/server.ts';
import type { RouterCheck } from '../identity/caller.ts';
import { type BodyReader, parseBody } from './request/body.ts';
import { type HttpExchange, Refusal, send } from './http-exchange.ts';
import { Lifetime } from './request/lifetime.ts';
import { chooseMediaType, graphqlType, htmlType } from './request/media-type.ts';
import { linkToExplorer, sandboxPageHeaders } from './explorer.ts';

export interface GraphQLEndpointParts {
  readonly server: GraphQLServer;
  /** Whether a browser that opens the endpoint gets the page of Apollo Sandbox (EXPLORER). */
  readonly explorer: boolean;
  readonly operations: OperationCache;
  /** Null if Apollo Server answers all operations. */
  readonly fastPath: FastPath | null;
  readonly persistedQueries: PersistedQueries;
  readonly createContext: (request: GatewayRequest) => GatewayContext;
  /** The manifest of allowed operations (OPERATIONS_ONLY); null if all operations are allowed. */
  readonly allowed: Pick<Manifest, 'find' | 'hasText'> | null;
  /** Null without ROUTER_SECRET. */
  readonly isRouter: RouterCheck | null;
  readonly bodies: BodyReader;
  /** The greatest length of an operation text that a client may send, in characters. */
  readonly maxTextLength: number;
  readonly maxTokens: number;
  readonly maxRepresentations: number;
  readonly timeoutMs: number;
}

/** Answers a GET or a POST. Rejects with a ClientGoneError, or with a Refusal or GatewayError to be sent. */
export async function answerGraphQL(
  parts: GraphQLEndpointParts,
  exchange: HttpExchange,
): Promise<void> {
  const { server, operations, fastPath, persistedQueries, bodies } = parts;
  const { request, response, id, record } = exchange;
  const offersPage = parts.explorer && request.method === 'GET';
  const contentType = chooseMediaType(request.headers.accept, offersPage);
  if (contentType === htmlType) return sendPage(server, exchange);
  if (contentType === null) {
    throw new Refusal(406, 'Answers are application/json or application/graphql-response+json.');
  }
  const { value: operation, bytes } =
    request.method === 'GET'
      ? { value: parseOperationSearch(request.url?.replace(/^[^?]*/, '') ?? ''), bytes: 0 }
      : await bodies.read(request, (body) =>
          parseOperationBody(parseBody(body, parts.maxRepresentations)),
        );
  const lifetime = new Lifetime(response, parts.timeoutMs);
  try {
    checkAllowed(parts, operation, request);
    if (operation.text !== null && operation.text.length > parts.maxTextLength) {
      throw tooComplex(`its text is longer than ${parts.maxTextLength} characters`);
    }
    if (request.method === 'GET') checkPreflighted(request);
    const found = findText(operation, persistedQueries);
    const text = found instanceof Promise ? await found : found;
    const { id: hash, text: sent } = operation;
    const known = operations.find(text);
    const context = parts.createContext({
      id,
      head: request,
      signal: lifetime,
      documentErrorStatus: contentType === graphqlType ? 400 : 200,
      record,
      document: known?.document ?? null,
      register:
        hash === null || sent === null ? null : once(() => persistedQueries.register(hash, sent)),
    });
    exchange.headers['content-type'] = contentType;
    checkId(operation, known?.hash);
    if (fastPath === null) record.fallback = 'setting';
    if (known === null) await checkUnknownText(text, parts.maxTokens, context);
    else if (fastPath !== null) {
      const answer = await fastPath.answer(known, operation, context);
      if (answer !== null) {
        send(exchange, 200, answer, 'latin1');
        return;
      }
    }
    await execute(server, exchange, { ...operation, text }, context);
  } finally {
    bodies.release(bytes);
    // Not when the client has read the answer, which may take seconds: the service's answers are no longer kept. In the
    // next turn, because aborting a read whose answer has arrived would close its connection for nothing.
    setImmediate(() => lifetime.end());
  }
}

/** If the fast path cannot answer an operation that it has admitted, Apollo Server admits the operation again. */
function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) action();
    isDone = true;
  };
}

/** Answers through Apollo Server, which executes with graphql-js. */
async function execute(
  server: GraphQLServer,
  exchange: HttpExchange,
  { text, operationName, variables }: OperationRequest & { readonly text: string },
  contextValue: GatewayContext,
): Promise<void> {
  const { method = '' } = exchange.request;
  const request = {
    query: text,
    ...(operationName !== null && { operationName }),
    ...(variables !== null && { variables }),
    // Apollo Server needs the method to reject a mutation over GET.
    http: { method, headers: new HeaderMap(), search: '', body: undefined },
  };
  const { http, body } = await server.executeOperation(request, { contextValue });
  if (body.kind !== 'single')
    throw new Error('an incremental answer, which no operation can request');
  // Apollo Server's `cache-control` must not replace the `no-store` of all answers.
  http.headers.delete('cache-control');
  Object.assign(exchange.headers, Object.fromEntries(http.headers));
  const { errors, data, extensions } = body.singleResult;
  send(exchange, http.status ?? 200, JSON.stringify({ errors, data, extensions }));
}

/** Sends the page of Apollo Sandbox. */
async function sendPage(server: GraphQLServer, exchange: HttpExchange): Promise<void> {
  const headers = new HeaderMap([['accept', 'text/html']]);
  const { body } = await server.executeHTTPGraphQLRequest({
    httpGraphQLRequest: { method: 'GET', headers, search: '', body: undefined },
    context: () => Promise.reject(new Error('a page needs no context')),
  });
  if (body.kind !== 'complete') throw new Error('a page in parts');
  const page = linkToExplorer(body.string);
  Object.assign(exchange.headers, { 'content-type': htmlType }, sandboxPageHeaders(page));
  send(exchange, 200, page);
}

/** Rejects operations that the manifest does not list, except operations from a router. */
function checkAllowed(
  { allowed, isRouter }: GraphQLEndpointParts,
  { text, id }: OperationRequest,
  request: IncomingMessage,
): void {
  if (allowed === null) return;
  const isListed =
    text === null ? id === null || allowed.find(id) !== undefined : allowed.hasText(text);
  if (!isListed && isRouter?.(request) !== true) throw new GatewayError('PERSISTED_QUERY_REQUIRED');
}

/** Headers that a browser sends to another origin only after a preflight (docs/http.md). */
const preflightedHeaders = [
  'apollo-require-preflight',
  'x-apollo-operation-name',
  'authorization',
  'x-tenant-id',
];

/** CSRF prevention: rejects a GET that needs no preflight. A POST of JSON always needs a preflight. */
function checkPreflighted({ headers }: IncomingMessage): void {
  const isJson = /^application\/json/i.test(headers['content-type'] ?? '');
  if (isJson || preflightedHeaders.some((name) => (headers[name] ?? '') !== '')) return;
  const names = preflightedHeaders.join(', ');
  throw new GatewayError('BAD_REQUEST', { message: `A GET needs one of the headers ${names}.` });
}

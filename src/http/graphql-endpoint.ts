// GraphQL over HTTP: a request of node:http -> the fast path or Apollo Server -> its answer, with its status.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { HeaderMap, type HTTPGraphQLRequest, type HTTPGraphQLResponse } from '@apollo/server';
import { GatewayError } from '../errors.ts';
import { checkUnknownText } from '../graphql/operation/operation-admission.ts';
import type { FastPath } from '../graphql/compiled/fast-path.ts';
import type { GatewayContext, GatewayRequest } from '../graphql/context.ts';
import type { OperationCache } from '../graphql/operation/operation-cache.ts';
import {
  checkId,
  checkTextLength,
  findText,
  type OperationRequest,
  parseOperationBody,
  parseOperationSearch,
} from '../graphql/operation/operation-request.ts';
import type { Manifest, PersistedQueries } from '../graphql/operation/persisted-queries.ts';
import { type GraphQLServer, preflightedHeaders } from '../graphql/server.ts';
import type { RouterCheck } from '../identity/request-head.ts';
import { type BodyRoom, parseBody, readBody } from './request/body.ts';
import { type Exchange, Refusal, send } from './http-exchange.ts';
import { Lifetime } from './request/lifetime.ts';
import { chooseMediaType, type MediaType } from './request/media-type.ts';
import { sandboxPageHeaders } from './page-headers.ts';

export interface GraphQLEndpointParts {
  readonly server: GraphQLServer;
  /** The texts that are known to be valid. */
  readonly operations: OperationCache;
  /** Null if Apollo Server answers everything. */
  readonly fastPath: FastPath | null;
  readonly persistedQueries: PersistedQueries;
  readonly createContext: (request: GatewayRequest) => GatewayContext;
  /** The only operations that are allowed (OPERATIONS_ONLY); null if any is. */
  readonly allowed: Pick<Manifest, 'find' | 'hasText'> | null;
  /** Null if there is no router. */
  readonly isRouter: RouterCheck | null;
  readonly maxBodyBytes: number;
  /** The memory for all bodies that are being received. */
  readonly bodies: BodyRoom;
  /** The longest document that a client may send, in characters. */
  readonly maxTextLength: number;
  readonly maxTokens: number;
  /** Deadline of an operation. */
  readonly timeoutMs: number;
}

/** Answers a GET or a POST; rejects with a Refusal or a GatewayError to be sent, or with a ClientGoneError. */
export type GraphQLEndpoint = (exchange: Exchange) => Promise<void>;

export function createGraphQLEndpoint(parts: GraphQLEndpointParts): GraphQLEndpoint {
  return (exchange) => answer(parts, exchange);
}

async function answer(parts: GraphQLEndpointParts, exchange: Exchange): Promise<void> {
  const { server, operations, fastPath, persistedQueries } = parts;
  const { request, response, id, record } = exchange;
  const mediaType = checkMediaType(request);
  const isGet = request.method === 'GET';
  const operation = isGet
    ? parseOperationSearch(request.url?.replace(/^[^?]*/, '') ?? '')
    : parseOperationBody(parseBody(await readBody(request, parts.maxBodyBytes, parts.bodies)));
  checkAllowed(parts, operation, request);
  checkTextLength(operation, parts.maxTextLength);
  // A browser that requests a page names no operation.
  const isPage = isGet && operation.text === null && operation.id === null;
  if (isGet && !isPage) checkPreflighted(request);
  const found = isPage ? null : findText(operation, persistedQueries);
  const text = found instanceof Promise ? await found : found;
  const signal = new Lifetime(response, parts.timeoutMs);
  const documentErrorStatus = mediaType === 'application/graphql-response+json' ? 400 : 200;
  const { id: hash, text: sent } = operation;
  const register =
    hash === null || sent === null ? null : () => persistedQueries.register(hash, sent);
  const context = parts.createContext({
    id,
    head: request,
    signal,
    documentErrorStatus,
    record,
    register,
  });
  // Apollo Server would answer a GET with its landing page, or refuse its content type.
  const isApollos =
    isGet && (request.headers['content-type'] !== undefined || wantsPage(request.headers));
  if (text !== null) {
    const known = operations.find(text);
    checkId(operation, known?.hash);
    if (fastPath === null) record.fallBack('setting');
    if (known === undefined) await checkUnknownText(text, parts.maxTokens, context);
    else if (fastPath !== null && isApollos) record.fallBack('request');
    else if (fastPath !== null) {
      const bytes = await fastPath.answer(known, operation, context);
      if (bytes !== null) {
        exchange.headers['content-type'] = `${mediaType}; charset=utf-8`;
        send(exchange, 200, bytes, 'latin1');
        return;
      }
    }
  }
  const httpGraphQLRequest = isGet
    ? toApolloGet(request, operation, text)
    : toApolloPost(operation, text);
  const answered = await server.executeHTTPGraphQLRequest({
    httpGraphQLRequest,
    context: () => Promise.resolve(context),
  });
  sendAnswer(exchange, answered, mediaType);
}

/**
 * Throws PERSISTED_QUERY_REQUIRED if the manifest does not list the operation. A federation router passes with its secret:
 * its query planner makes documents that no manifest can list, for operations that it has admitted itself. A request
 * without an operation passes too: it is answered with a page, or rejected later.
 */
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

/** A browser's request for a page is accepted, because Apollo Server may have a landing page. */
function checkMediaType({ method, headers }: IncomingMessage): MediaType {
  const mediaType = chooseMediaType(headers.accept);
  if (mediaType !== null) return mediaType;
  if (method === 'GET' && wantsPage(headers)) return 'application/json';
  throw new Refusal(406, 'Answers are application/json or application/graphql-response+json.');
}

function wantsPage({ accept }: IncomingHttpHeaders): boolean {
  return accept?.includes('text/html') ?? false;
}

/**
 * CSRF prevention: a page of another site can make a browser send a GET without these headers, and without a preflight.
 * Apollo Server checks this too, but only after the id of a document was looked up.
 */
function checkPreflighted({ headers }: IncomingMessage): void {
  const isJson = headers['content-type']?.startsWith('application/json') ?? false;
  if (isJson || preflightedHeaders.some((name) => (headers[name] ?? '') !== '')) return;
  const names = preflightedHeaders.join(', ');
  throw new GatewayError('BAD_REQUEST', { message: `A GET needs one of the headers ${names}.` });
}

/**
 * Apollo Server reads headers to prevent CSRF and to choose a media type. A body of JSON passes the first check, because
 * browsers send it to another origin only after a preflight; the media type is already chosen. So all requests can share
 * these headers.
 */
const headersOfPost = new HeaderMap([['apollo-require-preflight', 'true']]);

function toApolloPost(
  { operationName, variables }: OperationRequest,
  text: string | null,
): HTTPGraphQLRequest {
  const body = { query: text, operationName, variables };
  return { method: 'POST', headers: headersOfPost, search: '', body };
}

function toApolloGet(
  { headers }: IncomingMessage,
  { operationName, variables }: OperationRequest,
  text: string | null,
): HTTPGraphQLRequest {
  const parameters = new URLSearchParams();
  if (text !== null) parameters.set('query', text);
  if (operationName !== null) parameters.set('operationName', operationName);
  if (variables !== null) parameters.set('variables', JSON.stringify(variables));
  const search = `?${parameters.toString()}`;
  return { method: 'GET', headers: headersOfGet(headers), search, body: undefined };
}

function headersOfGet(headers: IncomingHttpHeaders): HeaderMap {
  const names = ['content-type', ...preflightedHeaders, ...(wantsPage(headers) ? ['accept'] : [])];
  const map = new HeaderMap();
  for (const name of names) {
    const value = headers[name];
    if (typeof value === 'string') map.set(name, value);
  }
  return map;
}

function sendAnswer(exchange: Exchange, answer: HTTPGraphQLResponse, mediaType: MediaType): void {
  const { body, headers, status = 200 } = answer;
  if (body.kind !== 'complete')
    throw new Error('an answer in parts, which nothing here can ask for');
  const isPage = headers.get('content-type')?.startsWith('text/html') ?? false;
  // Answers must not be stored, whatever Apollo Server sets.
  headers.delete('cache-control');
  Object.assign(exchange.headers, Object.fromEntries(headers));
  if (isPage) Object.assign(exchange.headers, sandboxPageHeaders(body.string));
  exchange.headers['content-type'] = `${isPage ? 'text/html' : mediaType}; charset=utf-8`;
  send(exchange, status, body.string);
}

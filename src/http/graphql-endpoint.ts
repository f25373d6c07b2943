// GraphQL over HTTP: a request of node:http -> Apollo Server -> its answer, with the status of docs/errors.md.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { HeaderMap, type HTTPGraphQLRequest, type HTTPGraphQLResponse } from '@apollo/server';
import type { Lane } from '../graphql/compiled/lane.ts';
import type { GatewayContext, GatewayRequest } from '../graphql/context.ts';
import { type GraphQLServer, preflightedHeaders } from '../graphql/server.ts';
import { type JsonObject, parseBody, readBody } from './body.ts';
import { type Exchange, Refusal, send } from './exchange.ts';
import { Lifetime } from './lifetime.ts';
import { chooseMediaType, type MediaType } from './media-type.ts';
import type { OperationGate } from './operation-gate.ts';
import { sandboxPageHeaders } from './page-headers.ts';
import { checkPersistedQuery, checkPersistedQueryOf } from './persisted-query.ts';
import { RequestHead } from './request-head.ts';

export interface GraphQLEndpointParts {
  readonly server: GraphQLServer;
  /** The way past it; null for none. */
  readonly lane: Lane | null;
  readonly createContext: (request: GatewayRequest) => GatewayContext;
  /** Null where any operation may be asked for. */
  readonly gate: OperationGate | null;
  readonly maxBodyBytes: number;
  /** Deadline of an operation. */
  readonly timeoutMs: number;
}

/** Answers a GET or a POST; rejects with a Refusal, or with a ClientGoneError. */
export type GraphQLEndpoint = (exchange: Exchange) => Promise<void>;

export function createGraphQLEndpoint(parts: GraphQLEndpointParts): GraphQLEndpoint {
  const { server, lane, createContext, gate, maxBodyBytes, timeoutMs } = parts;
  return async (exchange) => {
    const { request, response, id, record } = exchange;
    const mediaType = checkMediaType(request);
    const isGet = request.method === 'GET';
    const body = isGet ? null : parseBody(await readBody(request, maxBodyBytes));
    const httpGraphQLRequest = body === null ? fromGet(request) : fromPost(body);
    const head = new RequestHead(request);
    gate?.(httpGraphQLRequest, head, mediaType);
    const signal = new Lifetime(response, timeoutMs);
    const documentErrorStatus = mediaType === 'application/graphql-response+json' ? 400 : 200;
    const context = createContext({ id, head, signal, documentErrorStatus, record });
    const bytes = body && lane ? await lane.answer(body, context) : null;
    if (bytes !== null) {
      sendBytes(exchange, bytes, mediaType);
      return;
    }
    const answer = await server.executeHTTPGraphQLRequest({
      httpGraphQLRequest,
      context: () => Promise.resolve(context),
    });
    sendAnswer(exchange, answer, mediaType);
  };
}

/** A browser that wants a page is left to Apollo Server, which has one or not. */
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
 * Apollo Server reads headers to prevent CSRF and to choose a media type. A body of JSON, which was checked, passes the
 * one, as browsers send it to another origin only after a preflight; the other was done. So all of them can share one.
 */
const headersOfPost = new HeaderMap([['apollo-require-preflight', 'true']]);

function fromPost(body: JsonObject): HTTPGraphQLRequest {
  checkPersistedQuery(body['extensions']);
  return { method: 'POST', headers: headersOfPost, search: '', body };
}

function fromGet({ url = '', headers }: IncomingMessage): HTTPGraphQLRequest {
  const search = url.includes('?') ? url.slice(url.indexOf('?')) : '';
  checkPersistedQueryOf(search);
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

function sendBytes(exchange: Exchange, bytes: string, mediaType: MediaType): void {
  exchange.headers['content-type'] = `${mediaType}; charset=utf-8`;
  send(exchange, 200, bytes, 'latin1');
}

function sendAnswer(exchange: Exchange, answer: HTTPGraphQLResponse, mediaType: MediaType): void {
  const { body, headers, status = 200 } = answer;
  if (body.kind !== 'complete')
    throw new Error('an answer in parts, which nothing here can ask for');
  const isPage = headers.get('content-type')?.startsWith('text/html') ?? false;
  // Apollo Server allows a persisted query that was not found to be stored with a check; nothing here may be.
  headers.delete('cache-control');
  Object.assign(exchange.headers, Object.fromEntries(headers));
  if (isPage) Object.assign(exchange.headers, sandboxPageHeaders(body.string));
  exchange.headers['content-type'] = `${isPage ? 'text/html' : mediaType}; charset=utf-8`;
  send(exchange, status, body.string);
}

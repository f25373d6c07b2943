// A request with its response: how answers and refusals are sent.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { challengeFor, type ErrorCode, errorKinds, GatewayError } from '../errors.ts';
import type { Log } from '../telemetry/log.ts';
import type { OperationRecord } from '../telemetry/operation-record.ts';
import { onTurn, type Outbox } from './outbox.ts';
import { ClientGoneError } from './request/lifetime.ts';
import { chooseMediaType, jsonType } from './request/media-type.ts';

/** The gateway is ready only while serving; while draining, the last answer of each connection closes it. */
export interface Lifecycle {
  phase: 'starting' | 'serving' | 'draining';
}

/** The connections of the listener. */
export interface Connections {
  /** Whether another request has arrived after this one on its connection. */
  hasLater(response: ServerResponse): boolean;
  /** The refusal with which the listener has answered, because the request's body could not be received. */
  refusalOf(response: ServerResponse): Refusal | undefined;
}

export interface HttpExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The request's id, sent as x-request-id in the answer and in calls to the service. */
  readonly id: string;
  /** The headers of the answer, whatever its status. */
  readonly headers: Record<string, string>;
  readonly lifecycle: Readonly<Lifecycle>;
  readonly connections: Connections;
  readonly outbox: Pick<Outbox, 'endSoon' | 'written'>;
  /** The operation's record, which ends when the answer has been sent or the client has disconnected. */
  readonly record: OperationRecord;
  readonly log: Pick<Log, 'error'>;
}

/** An error that is found before GraphQL execution, with its own HTTP status instead of the one in `errorKinds`. */
export class Refusal extends GatewayError {
  readonly status: number;

  constructor(status: number, message: string, code: ErrorCode = 'BAD_REQUEST') {
    super(code, { message });
    this.name = 'Refusal';
    this.status = status;
  }
}

/** Headers of every answer. `vary` is for proxies that merge identical requests, or cache despite no-store. */
export const headersOfAll = {
  'cache-control': 'no-store',
  vary: 'accept, authorization, origin, x-tenant-id',
  'x-content-type-options': 'nosniff',
};

export function errorBody({ message, extensions }: GatewayError): string {
  return JSON.stringify({ errors: [{ message, extensions }] });
}

/** Ends the record of a request whose client has disconnected, or whose body could not be received. */
function endUnanswered({ response, connections, record }: HttpExchange): void {
  const refusal = connections.refusalOf(response);
  if (refusal !== undefined) record.refuse(refusal.code);
  record.end(refusal?.status ?? null);
}

/** Answers a request with an error from outside GraphQL execution. A defect is logged and masked. */
export function answerError(exchange: HttpExchange, err: unknown): void {
  const { request, response, id, headers, connections, record, log } = exchange;
  const isKnown = err instanceof GatewayError;
  const isGone = err instanceof ClientGoneError;
  if (!isKnown && !isGone) log.error({ requestId: id, err }, 'a request failed');
  // An answer that has begun cannot be replaced by an error.
  const isRefused = connections.refusalOf(response) !== undefined;
  if (isGone || response.headersSent || isRefused) {
    if (!isRefused) response.destroy();
    endUnanswered(exchange);
    return;
  }
  const error = isKnown ? err : new GatewayError('INTERNAL_SERVER_ERROR');
  const { code, extensions } = error;
  record.refuse(code);
  headers['content-type'] = chooseMediaType(request.headers.accept) ?? jsonType;
  if (code === 'UNAUTHENTICATED') {
    headers['www-authenticate'] = challengeFor(request.headers.authorization);
  }
  const isBusy = code === 'OVERLOADED' || code === 'SHUTTING_DOWN';
  const retryAfter = isBusy ? 1 : extensions.retryAfter;
  if (retryAfter !== undefined) headers['retry-after'] = String(retryAfter);
  const status = error instanceof Refusal ? error.status : errorKinds[code].status;
  send(exchange, status, errorBody(error));
}

/** Sends the answer, unless the client has disconnected. With latin1, each character of `content` is a byte. */
export function send(
  exchange: HttpExchange,
  status: number,
  content: string | Buffer,
  encoding: 'utf8' | 'latin1' = 'utf8',
): void {
  const { request, response, headers, connections, outbox } = exchange;
  if (response.destroyed || connections.refusalOf(response) !== undefined) {
    endUnanswered(exchange);
    return;
  }
  const { complete, headers: sent } = request;
  const isLong =
    Number(sent['content-length'] ?? '0') > smallBody || sent['transfer-encoding'] !== undefined;
  const isEarly = !complete && isLong;
  // node:http discards the answers to pipelined requests after an answer that closes the connection.
  const isLast = exchange.lifecycle.phase === 'draining' && !connections.hasLater(response);
  if (isEarly || isLast) headers['connection'] = 'close';
  const bytes = Buffer.byteLength(content, encoding);
  // A 204 must not have a content-length (RFC 9110 8.6).
  if (status !== 204) headers['content-length'] = String(bytes);
  // ASCII has the same bytes in both encodings, and latin1 needs no conversion.
  const written = bytes === content.length ? 'latin1' : encoding;
  response.writeHead(status, headers);
  if (isEarly) {
    endAfterRequest(request, response, content, written);
    onSent(exchange, status);
    return;
  }
  outbox.endSoon(bytes, () => {
    try {
      const isThere = !response.destroyed;
      // One write sends head and body.
      if (isThere) response.end(content, written);
      onSent(exchange, isThere ? status : null);
    } catch (error) {
      answerError(exchange, error);
    }
  });
}

/** `status` is null if the client disconnected first. */
function onSent({ response, outbox, record }: HttpExchange, status: number | null): void {
  outbox.written(response);
  record.end(status);
}

/** For bodies up to this size, dropping the rest of a rejected body costs less than a new connection. */
const smallBody = 16_384;

/** Limits for a client that continues to send a rejected body. Chunks take time, so they count as extra bytes. */
const maxLingerBytes = 8 * 1024 * 1024;
const bytesPerChunk = 8192;
const smallChunk = 512;
const bytesPerSmallChunk = 131_072;
const lingerMs = 2000;

/** Sends the answer at once, but lets the client finish sending: otherwise the client might never read the answer. */
function endAfterRequest(
  request: IncomingMessage,
  response: ServerResponse,
  content: string | Buffer,
  encoding: BufferEncoding,
): void {
  let dropped = 0;
  const cutOff = () => request.destroy();
  let timer: NodeJS.Timeout | undefined;
  onTurn(response, () => (timer = setTimeout(cutOff, lingerMs)));
  // If the answer has no body, as that of a HEAD, `write` sends nothing.
  response.flushHeaders();
  response.write(content, encoding);
  response.once('close', () => clearTimeout(timer));
  request.on('data', (chunk: Buffer) => {
    dropped += chunk.length < smallChunk ? bytesPerSmallChunk : chunk.length + bytesPerChunk;
    if (dropped > maxLingerBytes) cutOff();
  });
  request.on('end', () => response.end());
  request.resume();
}

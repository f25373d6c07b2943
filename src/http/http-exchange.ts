// A request with its response: how answers and refusals are sent.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ErrorCode, errorKinds, GatewayError } from '../errors.ts';
import type { Log } from '../telemetry/log/log.ts';
import type { OperationRecord } from '../telemetry/operation-record.ts';
import { dropArrivedChunks } from './request/chunks.ts';
import { chooseMediaType, jsonType } from './request/media-type.ts';

/** The phase of the gateway. It is ready only while serving; while draining, each answer closes its connection. */
export interface Lifecycle {
  phase: 'starting' | 'serving' | 'draining';
}

/** One request on the public listener, with its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The request's id, sent as x-request-id in the answer and in calls to the service. */
  readonly id: string;
  /** Headers of the answer, whatever its status. */
  readonly headers: Record<string, string>;
  readonly lifecycle: Readonly<Lifecycle>;
  /** Completed when the answer has been sent or the client has disconnected. */
  readonly record: OperationRecord;
  readonly log: Pick<Log, 'error'>;
}

/** Rejects a request before GraphQL execution: the request is invalid, or cannot be answered now. */
export class Refusal extends GatewayError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    code: ErrorCode = 'BAD_REQUEST',
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(code, { message });
    this.name = 'Refusal';
    this.status = status;
    this.headers = headers;
  }
}

/** Headers of every answer; `vary` is for proxies that merge identical requests, or cache despite no-store. */
export const headersOfAll = {
  'cache-control': 'no-store',
  vary: 'accept, authorization, origin, x-tenant-id',
  'x-content-type-options': 'nosniff',
};

/** The body of an answer that has only this error. */
export function errorBody({ message, extensions }: GatewayError): string {
  return JSON.stringify({ errors: [{ message, extensions }] });
}

/** Sends an error in the format of GraphQL errors: a Refusal, or an error found before the document was parsed. */
export function refuse(exchange: Exchange, error: GatewayError): void {
  exchange.record.refuse(error.code);
  const { status, headers } = error instanceof Refusal ? error : headOf(error, exchange.request);
  Object.assign(exchange.headers, { 'content-type': jsonType }, headers);
  send(exchange, status, errorBody(error));
}

function headOf({ code, extensions }: GatewayError, { headers: { accept } }: IncomingMessage) {
  const { retryAfter } = extensions;
  const headers = {
    'content-type': chooseMediaType(accept) ?? jsonType,
    ...(code === 'UNAUTHENTICATED' && { 'www-authenticate': 'Bearer' }),
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
  };
  return { status: errorKinds[code].status, headers };
}

/** Logs a defect and ends the exchange: with 500, or by closing the connection if the answer has begun. */
export function fail(exchange: Exchange, err: unknown): void {
  const { id, log, record, response } = exchange;
  log.error({ requestId: id, err }, 'a request failed');
  if (response.headersSent) {
    response.destroy();
    record.end(null);
    return;
  }
  const { status, message } = errorKinds.INTERNAL_SERVER_ERROR;
  refuse(exchange, new Refusal(status, message, 'INTERNAL_SERVER_ERROR'));
}

/** The longest that a client may pause while it reads an answer. Detection takes up to twice as long. */
const takingMs = 10_000;

/** Sends the answer, unless the client has disconnected. With latin1, each character of `content` is a byte. */
export function send(
  exchange: Exchange,
  status: number,
  content: string | Buffer,
  encoding: 'utf8' | 'latin1' = 'utf8',
): void {
  const { request, response, headers } = exchange;
  if (response.destroyed) {
    exchange.record.end(null);
    return;
  }
  const { complete, headers: sent } = request;
  const isLong =
    Number(sent['content-length'] ?? '0') > smallBody || sent['transfer-encoding'] !== undefined;
  const isEarly = !complete && isLong;
  if (isEarly || exchange.lifecycle.phase === 'draining') headers['connection'] = 'close';
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
  endSoon(() => {
    try {
      const isThere = !response.destroyed;
      // One write sends head and body.
      if (isThere) response.end(content, written);
      onSent(exchange, isThere ? status : null);
    } catch (error) {
      fail(exchange, error);
    }
  });
}

/** Once this many answers are ready, they are sent at once, before the end of the turn. */
const enough = 32;

const ready: (() => void)[] = [];
let isEndAwaited = false;

/** Calls `end`, which must not throw, within this turn: a proxy that gets many answers at once is woken only once. */
function endSoon(end: () => void): void {
  ready.push(end);
  if (ready.length >= enough) endReady();
  else if (!isEndAwaited) {
    isEndAwaited = true;
    setImmediate(() => {
      isEndAwaited = false;
      endReady();
    });
  }
}

function endReady(): void {
  for (const end of ready.splice(0)) end();
}

/** `status` is null if the client disconnected first. */
function onSent({ request, response, record }: Exchange, status: number | null): void {
  // Usually zero: the operating system has accepted the whole answer.
  if (response.writableLength > 0) request.socket.setTimeout(takingMs);
  record.end(status);
}

/** If a rejected body has at most this many bytes, node:http drops the rest, which costs less than a new connection. */
const smallBody = 16_384;

/** Limits for a rejected client that keeps sending. A chunk counts as more bytes than it has, a small one far more. */
const maxLingerBytes = 8 * 1024 * 1024;
const bytesPerChunk = 8192;
const smallChunk = 512;
const bytesPerSmallChunk = 131_072;
const lingerMs = 2000;

/** Sends the answer at once but lets the client finish sending: otherwise it might never read the answer. */
function endAfterRequest(
  request: IncomingMessage,
  response: ServerResponse,
  content: string | Buffer,
  encoding: BufferEncoding,
): void {
  let dropped = 0;
  const cutOff = () => request.destroy();
  const timer = setTimeout(cutOff, lingerMs);
  response.write(content, encoding);
  response.once('close', () => clearTimeout(timer));
  request.on('data', (chunk: Buffer) => {
    dropped += chunk.length < smallChunk ? bytesPerSmallChunk : chunk.length + bytesPerChunk;
    if (dropped <= maxLingerBytes) return;
    dropArrivedChunks(request);
    cutOff();
  });
  request.on('end', () => response.end());
  request.resume();
}

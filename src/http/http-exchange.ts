// A request with the answer that it gets: how answers and refusals are sent.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ErrorCode, errorKinds, type GatewayError } from '../errors.ts';
import type { Log } from '../telemetry/log/log.ts';
import type { OperationRecord } from '../telemetry/operation-record.ts';
import { endSoon } from './connection/answers.ts';
import type { Drain } from './connection/drain.ts';
import { chooseMediaType } from './request/media-type.ts';

/** One request on the public listener, and its answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The request's id: what x-request-id says, here and upstream. */
  readonly id: string;
  /** What its answer carries, whatever it is. */
  readonly headers: Record<string, string>;
  readonly drain: Drain;
  /** What an operator will see of it; ends with the answer. */
  readonly record: OperationRecord;
  readonly log: Pick<Log, 'error'>;
}

/** An answer without GraphQL: what is wrong with the request, or why it is not answered now. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: ErrorCode;
  readonly headers: Readonly<Record<string, string>>;
  /** Seconds, as `extensions.retryAfter`; undefined for none. */
  readonly retryAfter: number | undefined;

  constructor(
    status: number,
    message: string,
    code: ErrorCode = 'BAD_REQUEST',
    headers: Readonly<Record<string, string>> = {},
    retryAfter?: number,
  ) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.code = code;
    this.headers = headers;
    this.retryAfter = retryAfter;
  }
}

/** The refusal of an operation before anything looked at its document: with its code's status, and as the client accepts. */
export function refusalOf(
  { code, message, extensions: { retryAfter } }: GatewayError,
  accept: string | undefined,
): Refusal {
  const type = chooseMediaType(accept) ?? 'application/json';
  const headers = {
    'content-type': `${type}; charset=utf-8`,
    ...(code === 'UNAUTHENTICATED' && { 'www-authenticate': 'Bearer' }),
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
  };
  return new Refusal(errorKinds[code].status, message, code, headers, retryAfter);
}

/**
 * What every answer carries: it is for this client, no cache may keep it, and it is nothing but what its content type says.
 * Vary names what an answer depends on, for routers and proxies that join identical requests or cache against no-store.
 */
export const headersOfAll = {
  'cache-control': 'no-store',
  vary: 'accept, authorization, origin, x-tenant-id',
  'x-content-type-options': 'nosniff',
};

export const jsonType = 'application/json; charset=utf-8';

type ErrorShown = Pick<Refusal, 'message' | 'code'> & Partial<Pick<Refusal, 'retryAfter'>>;

/** The text of an answer that has but this error. */
export function errorBody({ message, code, retryAfter }: ErrorShown): string {
  return JSON.stringify({ errors: [{ message, extensions: { code, retryAfter } }] });
}

/** Sends a refusal as GraphQL clients expect errors. */
export function refuse(exchange: Exchange, refusal: Refusal): void {
  exchange.record.refuse(refusal.code);
  Object.assign(exchange.headers, { 'content-type': jsonType }, refusal.headers);
  send(exchange, refusal.status, errorBody(refusal));
}

/** Ends an exchange after a defect, which is logged: with 500, or with its connection if an answer has begun. */
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

/**
 * How long a client may take nothing of an answer, for which node:http has no limit; it takes up to twice as long until
 * that is noticed. Once the answer is out, the limit for idle connections is set in its place.
 */
const takingMs = 10_000;

/** Sends the whole answer, unless the client is gone; as latin1, each character of a text is a byte of it. */
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
  const isEarly = isStillSending(request);
  if (isEarly || exchange.drain.isDraining) headers['connection'] = 'close';
  // Not on a 204, which has no body to be as long (RFC 9110 8.6).
  if (status !== 204) headers['content-length'] = String(Buffer.byteLength(content, encoding));
  response.writeHead(status, headers);
  if (isEarly) {
    endAfterRequest(request, response, content, encoding);
    onSent(exchange, status);
    return;
  }
  endSoon(() => {
    try {
      const isThere = !response.destroyed;
      // A text goes out with the head in one write.
      if (isThere) response.end(content, encoding);
      onSent(exchange, isThere ? status : null);
    } catch (error) {
      fail(exchange, error);
    }
  });
}

/** `status` is null where the client was gone before. */
function onSent({ request, response, record }: Exchange, status: number | null): void {
  // Most answers are out already, as the system took them.
  if (response.writableLength > 0) request.socket.setTimeout(takingMs);
  record.end(status);
}

/** node:http reads and drops the rest of a body by itself; one of this size costs less than another connection. */
const smallBody = 16_384;

function isStillSending({ complete, headers }: IncomingMessage): boolean {
  const length = Number(headers['content-length'] ?? '0');
  return !complete && (length > smallBody || headers['transfer-encoding'] !== undefined);
}

/** How much, and how long, a client may go on sending what nobody reads; a chunk costs as much time as so many bytes. */
const maxLingerBytes = 8 * 1024 * 1024;
const bytesPerChunk = 8192;
const lingerMs = 2000;

/**
 * Sends the answer at once but lets the client finish, within limits: one that is cut off while it sends may never
 * look at what it got.
 */
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
    dropped += chunk.length + bytesPerChunk;
    if (dropped > maxLingerBytes) cutOff();
  });
  request.on('end', () => response.end());
  request.resume();
}

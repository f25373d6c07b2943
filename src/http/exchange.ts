// A request with the answer that it gets: how answers and refusals are sent.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ErrorCode, errorKinds } from '../errors.ts';
import type { Drain } from './drain.ts';

/** One request on the public listener, and its answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The request's id: what x-request-id says, here and upstream. */
  readonly id: string;
  /** What its answer carries, whatever it is. */
  readonly headers: Record<string, string>;
  readonly drain: Drain;
}

/** A request that is not GraphQL's to answer, or not at all: thrown by whatever finds out. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: ErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    code: ErrorCode = 'BAD_REQUEST',
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** The refusal of what went wrong here, which nobody is told more about. */
export function internalRefusal(): Refusal {
  const { status, message } = errorKinds.INTERNAL_SERVER_ERROR;
  return new Refusal(status, message, 'INTERNAL_SERVER_ERROR');
}

export const jsonType = 'application/json; charset=utf-8';

/** The text of an answer that has but this error. */
export function errorBody({ message, code }: Pick<Refusal, 'message' | 'code'>): string {
  return JSON.stringify({ errors: [{ message, extensions: { code } }] });
}

/** Sends a refusal as GraphQL clients expect errors. */
export function refuse(exchange: Exchange, refusal: Refusal): void {
  Object.assign(exchange.headers, { 'content-type': jsonType }, refusal.headers);
  send(exchange, refusal.status, errorBody(refusal));
}

/** Sends the whole answer, unless the client is gone. */
export function send(exchange: Exchange, status: number, text: string): void {
  const { request, response, headers } = exchange;
  if (response.destroyed) return;
  if (exchange.drain.isDraining) headers['connection'] = 'close';
  const body = Buffer.from(text);
  headers['content-length'] = String(body.length);
  response.writeHead(status, headers);
  if (isStillSending(request)) endAfterRequest(request, response, body);
  else response.end(body);
}

/** How much of a request that is already answered is still taken. */
const maxDiscardedBytes = 16 * 1024 * 1024;

function isStillSending({ complete, headers }: IncomingMessage): boolean {
  const length = headers['content-length'] ?? '0';
  return !complete && (length !== '0' || headers['transfer-encoding'] !== undefined);
}

/**
 * Sends the answer at once but lets the client finish: one that is cut off while it sends may never look at what it
 * got. What it sends is dropped, up to a limit.
 */
function endAfterRequest(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  let discarded = 0;
  response.write(body);
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > maxDiscardedBytes) request.destroy();
  });
  request.on('end', () => response.end());
  request.resume();
}

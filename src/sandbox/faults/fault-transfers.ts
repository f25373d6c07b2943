// Faults that disturb the transfer of an answer.
import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { Answer } from '../service/answer.ts';
import type { FaultKind } from './faults.ts';
import { sendAnswer } from '../service/send.ts';

/** A request that a fault affects. */
export interface Exchange {
  readonly response: ServerResponse;
  /** Path and query as requested. */
  readonly target: string;
  /**
   * Computes the service's answer. For a statement, each call counts as a read, so a fault that needs no answer must
   * not call this function.
   */
  readonly answer: () => Answer;
  /** Called before the bank closes the connection, so that the journal does not record a disconnect of the client. */
  readonly willReset: () => void;
}

/** The type of a fault of one kind. */
export type FaultOf<K extends FaultKind['kind']> = Extract<FaultKind, { kind: K }>;

const jsonType = { 'content-type': 'application/json' };

/** Resets the connection before any answer. */
export function reset(_fault: FaultOf<'reset'>, { response, willReset }: Exchange): void {
  willReset();
  response.socket?.resetAndDestroy();
}

/**
 * Sends nothing, or half of the answer, and leaves the request open until the client disconnects or the bank closes.
 */
export function hang({ afterHalf }: FaultOf<'hang'>, exchange: Exchange): void {
  if (afterHalf === true) writeHalf(exchange);
}

/** Aborts the connection in the middle of the body. */
export function cutBody(fault: FaultOf<'cutBody'>, exchange: Exchange): void {
  const { socket } = exchange.response;
  exchange.willReset();
  writeHalf(exchange, () => (fault.reset === true ? socket?.resetAndDestroy() : socket?.destroy()));
}

/** Sends headers with the length of the whole body, but only half of the body. */
function writeHalf({ response, answer }: Exchange, written?: () => void): void {
  const { status, body } = answer();
  const bytes = Buffer.from(body);
  response.writeHead(status, { ...jsonType, 'content-length': bytes.length });
  response.write(bytes.subarray(0, bytes.length >> 1), written);
}

/** Sends the correct answer a few bytes at a time. */
export function drip(fault: FaultOf<'drip'>, { response, answer }: Exchange): void {
  const { bytes = 1, everyMs = 50 } = fault;
  const { status, body } = answer();
  const rest = chunksOf(Buffer.from(body), bytes);
  response.writeHead(status, jsonType);
  const timer = setInterval(() => {
    const chunk = rest.next();
    if (chunk.done === true) response.end();
    else response.write(chunk.value);
  }, everyMs);
  response.once('close', () => clearInterval(timer));
}

function* chunksOf(body: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size);
}

/** Computes and sends the correct answer after a delay. */
export function delay({ delayMs }: FaultOf<'delay'>, { response, answer }: Exchange): void {
  const timer = setTimeout(() => sendAnswer(response, answer()), delayMs);
  response.once('close', () => clearTimeout(timer));
}

/** Sends a body of `bytes` bytes, which is meant to be longer than a client should read. */
export function sendHugeBody(fault: FaultOf<'hugeBody'>, { response }: Exchange): void {
  const length = fault.declared === true ? { 'content-length': fault.bytes } : {};
  response.writeHead(200, { ...jsonType, ...length });
  // The client may disconnect before the end. That is not an error here, and the journal records it.
  pipeline(Readable.from(padding(fault.bytes)), response, () => undefined);
}

/** Valid JSON of exactly `bytes` bytes (at least 14), generated while it is sent. */
function* padding(bytes: number): Generator<Buffer> {
  const [start, end] = ['{"padding":"', '"}'];
  yield Buffer.from(start);
  const block = Buffer.alloc(65_536, 'x');
  for (let left = bytes - start.length - end.length; left > 0; left -= block.length) {
    yield block.subarray(0, Math.min(left, block.length));
  }
  yield Buffer.from(end);
}

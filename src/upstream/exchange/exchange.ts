// One request to the service and its answer: which answers count, how large they may be, and how it is given up.
import { isUtf8 } from 'node:buffer';
import type { Client, Dispatcher } from 'undici';
import { contractViolation, type ErrorCode, type GatewayError } from '../../errors.ts';
import { connectionFailure, isConnectionLost, statusFailure } from './failure.ts';

/** What is asked for, with a GET. */
export interface Ask {
  /** Path and query, as they go out. */
  readonly path: string;
  /** Names and values in turn, as they go out; undici adds `host` and `connection`. */
  readonly headers: string[];
  /** The code for a 404 here. */
  readonly notFound: ErrorCode;
}

/** Hears of the end of an exchange once, unless it is given up before. */
export interface ExchangeListener {
  /** The request is written now: the answer is the state of the service from here on. */
  onSent(): void;
  /** The connection had been closed before the request came, which goes out once more, on a new one. */
  onResent(): void;
  /** The body of a 200: UTF-8, JSON by its type. */
  onBody(utf8: Buffer): void;
  /** No body: an UpstreamStatusError for any other status. */
  onFailure(error: GatewayError): void;
  /** It was not sent, and will not be. */
  onRefused(): void;
}

/** A client of undici's, which has one connection at a time. */
export interface Connection {
  readonly client: Client;
  /** Whether an answer has come over its present connection, which the service may have closed since. */
  hasServed: boolean;
}

/** An exchange that failed. */
export interface FailedExchange {
  readonly connection: Connection;
  /** Whether the connection failed with it. */
  readonly isBroken: boolean;
  /** The exchange, if it is to be sent again, on a new connection; otherwise null. */
  readonly resend: Exchange | null;
}

/** Gets the connection of an exchange back: each call of `start` has one call of either. */
export interface ExchangeOwner {
  /** The answer was read to its end. */
  onAnswered(connection: Connection, wasResent: boolean): void;
  /** Whether a request may be sent again whose kept connection broke; taken by that. */
  takeResend(): boolean;
  /** Called while undici clears up: nothing may be sent before it has returned. */
  onFailed(failed: FailedExchange): void;
}

/** What undici gets to end a request with; nobody sees it. */
const givenUp = new Error('given up');

const nothing = Buffer.alloc(0);

/** How much of an answer that nobody will see is read, and for how long, so that its connection can be used again. */
const maxDiscardedBytes = 65_536;
const discardMs = 1000;

/**
 * undici's handler of one exchange. It is settled as soon as its outcome is known, and over when its connection is free
 * or gone; between the two, the rest of an answer that is of no use is read and dropped.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly ask: Ask;
  readonly #maxBodyBytes: number;
  /** Null once it is settled: undici holds on to its handlers for a while, and the outcome should not be kept. */
  #listener: ExchangeListener | null;
  readonly #owner: ExchangeOwner;
  /** From `start` until undici has told of the end. */
  #connection: Connection | null = null;
  #controller: Dispatcher.DispatchController | null = null;
  /** Whether any byte of the answer has come. */
  #hasBegun = false;
  #wasResent = false;
  #discarding: NodeJS.Timeout | undefined;
  /** The first so many bytes of it are those of the answer's body, which came in so many chunks. */
  #body: Buffer = nothing;
  #bytes = 0;
  #chunks = 0;

  constructor(ask: Ask, maxBodyBytes: number, listener: ExchangeListener, owner: ExchangeOwner) {
    this.ask = ask;
    this.#maxBodyBytes = maxBodyBytes;
    this.#listener = listener;
    this.#owner = owner;
  }

  /** Whether its listener still waits for the outcome. */
  get isWanted(): boolean {
    return this.#listener !== null;
  }

  /** Hands it to undici, on a connection that is free. */
  start(connection: Connection): void {
    this.#connection = connection;
    const { path, headers } = this.ask;
    connection.client.dispatch({ method: 'GET', path, headers }, this);
  }

  /** Ends it, and its connection, without telling the listener. */
  giveUp(): void {
    this.#settle();
    cutOff(this.#controller);
  }

  /** Ends it before it was handed to undici. */
  refuse(): void {
    this.#settle()?.onRefused();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Given up while it waited for its connection. Thrown, as controller.abort() would close the connection, which is
    // good for the next one in line.
    if (this.#listener === null) throw givenUp;
    this.#controller = controller;
    this.#listener.onSent();
  }

  onResponseStarted(): void {
    this.#hasBegun = true;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, unknown>>,
  ): void {
    if (status < 200) return;
    const failure =
      status === 200
        ? headersFailure(headers)
        : statusFailure(status, headers['retry-after'], this.ask.notFound, Date.now());
    if (failure !== null) this.#failBeforeBody(failure);
    if (Number(headers['content-length']) > this.#maxBytes) this.#cutOff('the body is too large');
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const before = this.#bytes;
    this.#bytes += chunk.length;
    this.#chunks += 1;
    if (this.#bytes > this.#maxBytes) this.#cutOff('the body is too large');
    else if (this.#chunks > maxChunks(this.#maxBytes))
      this.#cutOff('the body is in too small chunks');
    else if (this.#listener !== null) this.#body = append(this.#body, before, chunk);
  }

  onResponseEnd(): void {
    const connection = this.#leaveConnection();
    if (connection !== null) {
      connection.hasServed = true;
      this.#owner.onAnswered(connection, this.#wasResent);
    }
    if (this.#listener !== null) this.#readBody();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    const isBroken = this.#controller !== null || error !== givenUp;
    const connection = this.#leaveConnection();
    if (connection === null) return;
    const isStale = connection.hasServed && !this.#hasBegun && isConnectionLost(error);
    const resend = isStale && this.isWanted && this.#owner.takeResend() ? this : null;
    this.#owner.onFailed({ connection, isBroken, resend });
    this.#wasResent = resend !== null;
    if (resend === null) this.#fail(connectionFailure(error));
    else this.#listener?.onResent();
  }

  get #maxBytes(): number {
    return this.#listener === null ? maxDiscardedBytes : this.#maxBodyBytes;
  }

  /** The deadlines of the callers end with this: the rest of the answer has its own. */
  #failBeforeBody(error: GatewayError): void {
    this.#discarding = setTimeout(cutOff, discardMs, this.#controller);
    this.#fail(error);
  }

  /** The connection that it was on, the first time that undici tells of its end; null after that. */
  #leaveConnection(): Connection | null {
    clearTimeout(this.#discarding);
    const connection = this.#connection;
    this.#connection = null;
    this.#controller = null;
    return connection;
  }

  #cutOff(what: string): void {
    this.#fail(contractViolation(what));
    cutOff(this.#controller);
  }

  #readBody(): void {
    const body = this.#body.subarray(0, this.#bytes);
    if (isUtf8(body)) this.#settle()?.onBody(body);
    else this.#fail(contractViolation('the body is not UTF-8'));
  }

  #fail(error: GatewayError): void {
    this.#settle()?.onFailure(error);
  }

  /** The listener, if it was not told yet. */
  #settle(): ExchangeListener | null {
    const listener = this.#listener;
    this.#listener = null;
    this.#body = nothing;
    this.#bytes = 0;
    this.#chunks = 0;
    return listener;
  }
}

/** How many chunks a body may come in: each costs as much time as a thousand bytes. */
const maxChunks = (maxBytes: number) => 1000 + maxBytes / 50;

/**
 * A chunk put behind the first `bytes` of a buffer. Chunks are not kept as they come: each would keep all that came over
 * the connection with it, and where each byte is in one of its own they take a hundred times what is in them.
 */
function append(body: Buffer, bytes: number, chunk: Buffer): Buffer {
  if (bytes === 0) return chunk;
  const length = bytes + chunk.length;
  const room = length <= body.length ? body : Buffer.allocUnsafe(2 * length);
  if (room !== body) body.copy(room, 0, 0, bytes);
  chunk.copy(room, bytes);
  return room;
}

/** Closes the connection that a request is on; nothing where it has none yet. */
function cutOff(controller: Dispatcher.DispatchController | null): void {
  controller?.abort(givenUp);
}

/** What is wrong with the head of a 200, null where nothing is. */
function headersFailure(headers: Readonly<Record<string, unknown>>): GatewayError | null {
  if (!isJson(headers['content-type'])) return contractViolation('the content type is not JSON');
  // No encoding was asked for: an answer in one is a fault on the way, and inflating it would get past the size limit.
  const encoding = headers['content-encoding'] ?? 'identity';
  return encoding === 'identity' ? null : contractViolation('the body is encoded');
}

const jsonType = /^application\/(?:[\w.-]+\+)?json[ \t]*(?:;|$)/i;
const otherCharset = /;[ \t]*charset=(?!"?utf-?8"?[ \t]*(?:;|$))/i;

/** JSON by its media type, in UTF-8; without a content type the body is left to tell. */
function isJson(type: unknown): boolean {
  if (type === 'application/json' || type === undefined) return true;
  return typeof type === 'string' && jsonType.test(type) && !otherCharset.test(type);
}

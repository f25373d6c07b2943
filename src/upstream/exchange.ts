// One request to the service and its answer: what counts as one, how large it may be, and how it is given up.
import { isUtf8 } from 'node:buffer';
import type { Client, Dispatcher } from 'undici';
import { contractViolation, type ErrorCode, type GatewayError } from '../errors.ts';
import { connectionFailure, statusFailure } from './failure.ts';

/** What is asked for, with a GET. */
export interface Ask {
  /** Path and query, as they go out. */
  readonly path: string;
  /** Names and values in turn, as they go out; undici adds `host` and `connection`. */
  readonly headers: string[];
  /** What a 404 means here. */
  readonly notFound: ErrorCode;
}

/** Who is told what becomes of an exchange: of its end once, unless it is given up before. */
export interface ExchangeListener {
  /** The request is written now: what the service answers is its state from here on. */
  onSent(): void;
  /** The body of a 200: UTF-8, JSON by its type. */
  onBody(utf8: Buffer): void;
  /** Why there is none: an UpstreamStatusError for any other status. */
  onFailure(error: GatewayError): void;
  /** It was not sent, and will not be. */
  onRefused(): void;
}

/** What undici gets to end a request with; nobody sees it. */
const givenUp = new Error('given up');

const nothing = Buffer.alloc(0);

/** How much of an answer that nobody will see is read, and for how long, so that its connection can be used again. */
const maxDiscardedBytes = 65_536;
const discardMs = 1000;

/**
 * undici's handler of one exchange. It is settled as soon as its outcome is known, and over when its connection is free
 * or gone; between the two, the rest of an answer that is no use is read and dropped.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly ask: Ask;
  readonly #maxBodyBytes: number;
  /** Null once it is settled: undici holds on to its handlers for a while, and what comes of them should not be kept. */
  #listener: ExchangeListener | null;
  readonly #onOver: (client: Client) => void;
  #client: Client | null = null;
  #controller: Dispatcher.DispatchController | null = null;
  #discarding: NodeJS.Timeout | undefined;
  /** The first so many bytes of it are those of the answer's body, which came in so many chunks. */
  #body: Buffer = nothing;
  #bytes = 0;
  #chunks = 0;

  /** `onOver` is called once for an exchange that was started, when its client is free again. */
  constructor(
    ask: Ask,
    maxBodyBytes: number,
    listener: ExchangeListener,
    onOver: (client: Client) => void,
  ) {
    this.ask = ask;
    this.#maxBodyBytes = maxBodyBytes;
    this.#listener = listener;
    this.#onOver = onOver;
  }

  /** Hands it to undici, on a connection that is free. */
  start(client: Client): void {
    this.#client = client;
    const { path, headers } = this.ask;
    client.dispatch({ method: 'GET', path, headers }, this);
  }

  /** Ends it, and its connection, without a word to the listener. */
  giveUp(): void {
    this.#settle();
    cutOff(this.#controller);
  }

  /** Ends it before it was handed to undici. */
  refuse(): void {
    this.#settle()?.onRefused();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Given up while it waited for a connection. Thrown, as controller.abort() would close the connection that has
    // just come free for the next one in line.
    if (this.#listener === null) throw givenUp;
    this.#controller = controller;
    this.#listener.onSent();
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
    this.#leaveConnection();
    if (this.#listener !== null) this.#readBody();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#leaveConnection();
    this.#fail(connectionFailure(error));
  }

  get #maxBytes(): number {
    return this.#listener === null ? maxDiscardedBytes : this.#maxBodyBytes;
  }

  /** The deadlines of those who waited end with this: what is still to come has its own. */
  #failBeforeBody(error: GatewayError): void {
    this.#discarding = setTimeout(cutOff, discardMs, this.#controller);
    this.#fail(error);
  }

  #leaveConnection(): void {
    clearTimeout(this.#discarding);
    if (this.#client !== null) this.#onOver(this.#client);
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

  /** Whom to tell. */
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

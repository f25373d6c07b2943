// One request to the service with its answer: checks the head and size of the answer, and can abort the request.
import { isUtf8 } from 'node:buffer';
import type { Dispatcher } from 'undici';
import type { ByteBudget } from '../../byte-budget.ts';
import { contractViolation, type ErrorCode, type GatewayError } from '../../errors.ts';
import { append } from '../../received-body.ts';
import type { ForwardedHeaders, RefusalReason } from './call.ts';
import type { Connection } from './connector.ts';
import {
  connectionFailure,
  isConnectionLost,
  maxRefusalBytes,
  retryAfterIn,
  serviceCodeIn,
  UpstreamStatusError,
} from './failure.ts';

/** A GET request to the service. */
export interface Ask {
  readonly route: string;
  /** Path and query, as they are sent. */
  readonly path: string;
  readonly headers: ForwardedHeaders;
  readonly traceparent: string | undefined;
  readonly notFound: ErrorCode;
  /** Whether a call of the same operation has succeeded; the request is then queued before others. */
  readonly hasAnswers: boolean;
}

/** The last event is `onBody`, `onFailure` or `onRefused`; an aborted exchange has none of the three. */
export interface ExchangeListener {
  /** The request is about to be written: from now on, the service may read the data for the answer. */
  onSent(): void;
  /** The service had closed the connection; the request is sent again on a new one. */
  onResent(): void;
  /** The whole body of a 200 was received. `onBody` follows, perhaps in a later turn of the event loop. */
  onReceived(): void;
  /** The body is valid UTF-8; its media type, if the service sent one, is JSON. */
  onBody(utf8: Buffer): void;
  /** `error` is an UpstreamStatusError if the service answered with a status other than 200. */
  onFailure(error: GatewayError): void;
  onRefused(reason: RefusalReason): void;
}

/** Takes back the connection of an exchange: each `start` is followed by either `onAnswered` or `onFailed`. */
export interface ExchangeOwner {
  readonly memory: Pick<ByteBudget, 'resize' | 'take'>;
  /** The answer was read to its end. The owner calls `deliver`, perhaps in a later turn of the event loop. */
  onAnswered(connection: Connection, wasResent: boolean, exchange: Exchange): void;
  /** Must not send before returning: undici is clearing its queue. Returns whether `stale` will be sent again. */
  onFailed(connection: Connection, isBroken: boolean, stale: Exchange | null): boolean;
}

/** The memory for the longest head, with headers of one character, as measured. Reserved while a head is received. */
const bytesPerHead = 3_670_016;

/** The largest number of answers with a status below 200, such as early hints. */
const maxInterim = 100;

const givenUp = new Error('given up');

const nothing = Buffer.alloc(0);

/** If the head of an answer is a failure, the rest is read up to these limits, so that the connection can be reused. */
const maxDiscardedBytes = 65_536;
const discardMs = 1000;

/** The undici handler of one exchange. If the head is a failure, the rest is discarded, except a small body of a 400. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly ask: Ask;
  readonly #maxBodyBytes: number;
  /** Null once settled: undici keeps its handlers for a while, and the listener would keep the outcome in memory. */
  #listener: ExchangeListener | null;
  readonly #owner: ExchangeOwner;
  /** Set from `start` until undici reports the end of the exchange. */
  #connection: Connection | null = null;
  #controller: Dispatcher.DispatchController | null = null;
  #hasAnswerBegun = false;
  #wasResent = false;
  #discarding: NodeJS.Timeout | undefined;
  /** The failure of a 400, which waits for the code in its body. Once this is set, the exchange ends with no other. */
  #rejection: UpstreamStatusError | null = null;
  /** The body so far is the first `#bytes` bytes of `#body`, received in `#chunks` chunks. */
  #body: Buffer = nothing;
  #bytes = 0;
  #chunks = 0;
  #hasHeadMemory = false;

  constructor(ask: Ask, maxBodyBytes: number, listener: ExchangeListener, owner: ExchangeOwner) {
    this.ask = ask;
    this.#maxBodyBytes = maxBodyBytes;
    this.#listener = listener;
    this.#owner = owner;
  }

  /** Whether the listener still waits for the outcome. */
  get isWanted(): boolean {
    return this.#listener !== null;
  }

  start(connection: Connection): void {
    this.#connection = connection;
    const headers = headersOf(this.ask);
    const { client, origin } = connection;
    client.dispatch({ origin, method: 'GET', path: this.ask.path, headers }, this);
  }

  /** Aborts the exchange, and closes its connection if the request was sent. The listener is not called. */
  giveUp(): void {
    this.#settle();
    this.#controller?.abort(givenUp);
  }

  refuse(reason: RefusalReason): void {
    this.#settle()?.onRefused(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The exchange was aborted while undici queued it. Calling controller.abort() would close the connection.
    if (this.#listener === null) throw givenUp;
    this.#controller = controller;
    this.#listener.onSent();
  }

  onResponseStarted(): void {
    this.#hasAnswerBegun = true;
    this.#hasHeadMemory = this.#owner.memory.take(bytesPerHead);
    if (!this.#hasHeadMemory) this.#refuseForMemory();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, unknown>>,
  ): void {
    this.#releaseHead();
    if (status < 200) {
      this.#chunks += 1;
      if (this.#chunks > maxInterim) this.#cutOff('there are too many interim answers');
      return;
    }
    const rejection = status === 200 ? null : this.#statusFailure(status, headers);
    const failure = rejection ?? headersFailure(headers);
    if (failure !== null) {
      // Reading the rest of the answer has its own deadline, also where those of the calls no longer apply.
      this.#discarding = setTimeout(() => this.#controller?.abort(givenUp), discardMs);
      if (mayHaveCode(status, headers)) this.#rejection = rejection;
      else this.#fail(failure);
    }
    if (Number(headers['content-length']) > this.#maxBytes) this.#cutOff('the body is too large');
  }

  #statusFailure(status: number, headers: Readonly<Record<string, unknown>>): UpstreamStatusError {
    const nowMs = Date.now();
    const retryAfter = retryAfterIn(status, headers, nowMs);
    return new UpstreamStatusError(status, retryAfter, this.ask.notFound, nowMs);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const before = this.#bytes;
    this.#bytes += chunk.length;
    this.#chunks += 1;
    if (this.#rejection !== null && this.#bytes > maxRefusalBytes) this.#fail(this.#rejection);
    if (this.#bytes > this.#maxBytes) this.#cutOff('the body is too large');
    else if (this.#chunks > 1000 + this.#maxBytes / bytesPerChunk)
      this.#cutOff('the body is in too small chunks');
    else if (this.#listener !== null)
      this.#keep(append(this.#body, before, chunk, this.#maxBodyBytes));
  }

  onResponseEnd(): void {
    // If a body ends with its connection, undici also reports its end when the connection was reset.
    const reset = this.#connection?.socket?.errored ?? null;
    if (reset !== null) {
      this.onResponseError(this.#controller, reset);
      return;
    }
    const connection = this.#leaveConnection();
    if (connection === null) return;
    connection.hasServed = true;
    if (this.#rejection !== null) this.#endRejected(this.#rejection);
    else if (!isUtf8(this.#received)) this.#fail(contractViolation('the body is not UTF-8'));
    this.#listener?.onReceived();
    this.#owner.onAnswered(connection, this.#wasResent, this);
  }

  /** Passes on the body, unless the exchange was aborted. Returns the number of bytes that were passed on. */
  deliver(): number {
    const body = this.#received;
    this.#settle()?.onBody(body);
    return body.length;
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    const isBroken = this.#controller !== null || error !== givenUp;
    const connection = this.#leaveConnection();
    if (connection === null) return;
    const isStale = connection.hasServed && !this.#hasAnswerBegun && isConnectionLost(error);
    const stale = isStale && this.isWanted ? this : null;
    this.#wasResent = this.#owner.onFailed(connection, isBroken, stale);
    if (this.#wasResent) this.#listener?.onResent();
    else this.#fail(connectionFailure(error));
  }

  #keep(body: Buffer): void {
    if (this.#owner.memory.resize(this.#body.length, body.length)) this.#body = body;
    else this.#refuseForMemory();
  }

  #refuseForMemory(): void {
    this.refuse('memory_full');
    this.#controller?.abort(givenUp);
  }

  #releaseHead(): void {
    if (this.#hasHeadMemory) this.#owner.memory.take(-bytesPerHead);
    this.#hasHeadMemory = false;
  }

  get #received(): Buffer {
    return this.#body.subarray(0, this.#bytes);
  }

  get #maxBytes(): number {
    return this.#listener === null ? maxDiscardedBytes : this.#maxBodyBytes;
  }

  /** Returns the connection when undici first reports the end of the exchange; null after that. */
  #leaveConnection(): Connection | null {
    clearTimeout(this.#discarding);
    const connection = this.#connection;
    this.#connection = null;
    this.#controller = null;
    return connection;
  }

  #cutOff(what: string): void {
    this.#fail(contractViolation(what));
    this.#controller?.abort(givenUp);
  }

  #endRejected(rejection: UpstreamStatusError): void {
    rejection.serviceCode = serviceCodeIn(this.#received);
    this.#fail(rejection);
  }

  #fail(error: GatewayError): void {
    this.#settle()?.onFailure(this.#rejection ?? error);
  }

  /** Returns the listener if the exchange was not settled yet, otherwise null. */
  #settle(): ExchangeListener | null {
    const listener = this.#listener;
    this.#listener = null;
    this.#releaseHead();
    this.#owner.memory.resize(this.#body.length, 0);
    this.#body = nothing;
    this.#bytes = 0;
    this.#chunks = 0;
    return listener;
  }
}

/** Names and values of headers, alternating; the service requires a content type even for GET (docs/service.md). */
function headersOf({ headers: forwarded, traceparent = forwarded.traceparent }: Ask): string[] {
  const { authorization, tenant, requestId, tracestate } = forwarded;
  const json = 'application/json';
  const headers = ['accept', json, 'content-type', json, 'authorization', authorization];
  headers.push('x-tenant-id', tenant, 'x-request-id', requestId);
  if (traceparent !== undefined) headers.push('traceparent', traceparent);
  if (tracestate !== undefined) headers.push('tracestate', tracestate);
  return headers;
}

/** A body may have 1,000 chunks plus one per 50 bytes of its limit, because each chunk takes CPU time. */
const bytesPerChunk = 50;

/** The violation in the headers of a 200; null if there is none. */
function headersFailure(headers: Readonly<Record<string, unknown>>): GatewayError | null {
  const { 'content-type': type = 'application/json' } = headers;
  const isJson = typeof type === 'string' && jsonType.test(type) && !otherCharset.test(type);
  if (!isJson) return contractViolation('the content type is not JSON');
  // No encoding was requested, and decompressing an answer would bypass the size limit.
  const { 'content-encoding': encoding = 'identity' } = headers;
  const isPlain = typeof encoding === 'string' && identity.test(encoding);
  return isPlain ? null : contractViolation('the body is encoded');
}

/** Whether an answer may have a small JSON body with the service's code for its refusal. */
function mayHaveCode(status: number, headers: Readonly<Record<string, unknown>>): boolean {
  const length = Number(headers['content-length'] ?? 0);
  return status === 400 && length <= maxRefusalBytes && headersFailure(headers) === null;
}

/** Codings are case-insensitive (RFC 9110 8.4.1). */
const identity = /^identity[ \t]*$/i;

const jsonType = /^application\/(?:[\w.-]+\+)?json[ \t]*(?:;|$)/i;
const otherCharset = /;[ \t]*charset=(?!"?utf-?8"?[ \t]*(?:;|$))/i;

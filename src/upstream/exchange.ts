// One request to the service and its answer: connections, deadline, size limit, and what may be an answer at all.
import { isUtf8 } from 'node:buffer';
import { type Dispatcher, Pool } from 'undici';
import { contractViolation, type ErrorCode, type GatewayError } from '../errors.ts';
import { abortFailure, connectionFailure, statusFailure, timeoutFailure } from './failure.ts';

export interface ExchangeSettings {
  /** Origin of the service; a path in it is not looked at. */
  readonly origin: string;
  /** From the call to the last byte of the answer, waiting for a connection included. */
  readonly timeoutMs: number;
  readonly maxBodyBytes: number;
  /** At most this many at the same time; who finds none free waits. */
  readonly connections: number;
}

export interface Ask {
  /** Path and query, as they go out. */
  readonly path: string;
  /** Names and values in turn, as they go out; undici adds `host` and `connection`. */
  readonly headers: string[];
  /** Ends the exchange, and its connection, at once; what is thrown is its reason where that is a GatewayError. */
  readonly signal: AbortSignal;
  /** What a 404 means here. */
  readonly notFound: ErrorCode;
}

export interface Exchanges {
  /** GETs the JSON text of a 200; rejects with a GatewayError, an UpstreamStatusError for any other status. */
  get(ask: Ask): Promise<string>;
  /** Waits for what is under way, then closes the connections. */
  close(): Promise<void>;
}

/** How much of an answer that nobody will see is read so that its connection can be used again. */
const maxDiscardedBytes = 65_536;

/** The service's connections: one keep-alive pool. Redirects are answers like any other and never followed. */
export function createExchanges(settings: ExchangeSettings): Exchanges {
  const pool = new Pool(settings.origin, {
    connections: settings.connections,
    pipelining: 1,
    // With HTTP/2 many exchanges would share a connection, and the end of one not be the end of its socket.
    allowH2: false,
    connectTimeout: settings.timeoutMs,
    // The deadline of an exchange covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    get(ask) {
      if (ask.signal.aborted) return Promise.reject(abortFailure(ask.signal));
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const { path, headers } = ask;
      pool.dispatch({ method: 'GET', path, headers }, new Exchange(settings, ask, resolve, reject));
      return promise;
    },
    close: () => pool.close(),
  };
}

/**
 * undici's handler of one exchange. It is settled, with a text or an error, as soon as the outcome is known, and over
 * when its connection is free or gone; between the two, the rest of an answer that is no use is read and dropped.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #settings: ExchangeSettings;
  readonly #ask: Ask;
  readonly #resolve: (text: string) => void;
  readonly #reject: (error: GatewayError) => void;
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #isSettled = false;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(
    settings: ExchangeSettings,
    ask: Ask,
    resolve: (text: string) => void,
    reject: (error: GatewayError) => void,
  ) {
    this.#settings = settings;
    this.#ask = ask;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = setTimeout(onDeadline, settings.timeoutMs, this);
    ask.signal.addEventListener('abort', this);
  }

  /** The signal's listener is the exchange itself, which spares a closure a call. */
  handleEvent(): void {
    this.giveUp(abortFailure(this.#ask.signal));
  }

  /** Settles with an error, where it is not settled yet, and closes the connection. */
  giveUp(error: GatewayError): void {
    clearTimeout(this.#timer);
    this.#fail(error);
    this.#controller?.abort(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Given up while it waited for a connection. Thrown, as controller.abort() would close the connection that has
    // just come free for the next one in line.
    if (this.#isSettled) throw new Error('given up before it was sent');
    this.#controller = controller;
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
        : statusFailure(status, headers['retry-after'], this.#ask.notFound, Date.now());
    if (failure !== null) this.#fail(failure);
    if (Number(headers['content-length']) > this.#maxBytes) this.#giveUpBody();
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) this.#giveUpBody();
    else if (!this.#isSettled) this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    clearTimeout(this.#timer);
    if (this.#isSettled) return;
    const body = this.#body();
    if (isUtf8(body)) this.#succeed(body.toString());
    else this.#fail(contractViolation('the body is not UTF-8'));
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    clearTimeout(this.#timer);
    this.#fail(connectionFailure(error));
  }

  get #maxBytes(): number {
    return this.#isSettled ? maxDiscardedBytes : this.#settings.maxBodyBytes;
  }

  #giveUpBody(): void {
    this.giveUp(contractViolation('the body is too large'));
  }

  #body(): Buffer {
    const [first] = this.#chunks;
    return first !== undefined && this.#chunks.length === 1
      ? first
      : Buffer.concat(this.#chunks, this.#bytes);
  }

  #succeed(text: string): void {
    this.#settle();
    this.#resolve(text);
  }

  #fail(error: GatewayError): void {
    if (this.#isSettled) return;
    this.#settle();
    this.#chunks.length = 0;
    this.#bytes = 0;
    this.#reject(error);
  }

  #settle(): void {
    this.#isSettled = true;
    this.#ask.signal.removeEventListener('abort', this);
  }
}

function onDeadline(exchange: Exchange): void {
  exchange.giveUp(timeoutFailure());
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

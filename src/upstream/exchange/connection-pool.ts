// The connections to the service: a bounded number of them, and a bounded queue of exchanges that wait for one.
import { Client } from 'undici';
import {
  type Ask,
  type Connection,
  Exchange,
  type ExchangeListener,
  type ExchangeOwner,
  type FailedExchange,
} from './exchange.ts';

export interface ConnectionSettings {
  /** Origin of the service; a path in it is ignored. */
  readonly origin: string;
  readonly connections: number;
  readonly maxBodyBytes: number;
  /** How long it may take to establish a connection. */
  readonly timeoutMs: number;
  /** Called with the number of waiting exchanges whenever it changes. */
  readonly onQueue: (length: number) => void;
}

/**
 * How many exchanges may wait for a connection: sixteen rounds of all connections, but enough for a burst if there are
 * few. By default half of that, which counts as saturated, is more than a thousand clients that ask for 100 transactions each
 * can have waiting.
 */
function maxWaiting(connections: number): number {
  return Math.max(1024, connections * 16);
}

/**
 * A request that is sent again and answered costs no resend: its connection had been closed. One that breaks again does, as a
 * service that resets what it is asked must not be asked twice; this many answers bring it back.
 */
const answersAResend = 50;

/**
 * Keep-alive connections, opened when they are needed. Not undici's Pool, which has a queue of its own before them, searches
 * for a free one among all, and costs an eighth more per call. Redirects are answers like any other and never followed.
 *
 * undici calls back in the middle of its own work. Within `onResponseEnd` a client takes the next request: it queues it
 * behind the answer that is being finished. Within `onResponseError` it does not: the client is still clearing its queue, and
 * a request added then is lost, or fails an assertion of undici's that ends the process. All that follows a failure
 * therefore waits for a microtask, and a client that failed is not used again.
 */
export class Connections implements ExchangeOwner {
  readonly #settings: ConnectionSettings;
  readonly #all = new Set<Connection>();
  /** Without an exchange. The one used last is used first, so that those that are not needed close when idle. */
  readonly #free: Connection[] = [];
  /** In order of arrival. Exchanges that are given up leave it, which undici's own queue would not allow. */
  readonly #waiting = new Set<Exchange>();
  /** Connections with an exchange. */
  #used = 0;
  #isClosed = false;
  /** Requests that may be sent again: at first one for each connection, as all may have been closed at once. */
  #resends: number;
  #answers = 0;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
    this.#resends = settings.connections;
  }

  /** Whether the queue is more than half full. */
  get isSaturated(): boolean {
    return this.#waiting.size > maxWaiting(this.#settings.connections) / 2;
  }

  /** Sends a request as soon as there is a connection; null if too many wait already. */
  send(ask: Ask, listener: ExchangeListener): Exchange | null {
    const { connections, maxBodyBytes } = this.#settings;
    const isFree = this.#used < connections;
    if (!isFree && this.#waiting.size >= maxWaiting(connections)) return null;
    const exchange = new Exchange(ask, maxBodyBytes, listener, this);
    if (isFree) this.#dispatch(exchange);
    else this.#enqueue(exchange);
    return exchange;
  }

  /** Ends an exchange that nobody waits for any more, and its connection; false if it still waited for one. */
  giveUp(exchange: Exchange): boolean {
    const isWaiting = this.#waiting.delete(exchange);
    if (isWaiting) this.#tellQueue();
    exchange.giveUp();
    return !isWaiting;
  }

  /** Refuses all exchanges that wait. */
  refuseWaiting(): void {
    const refused = [...this.#waiting];
    this.#waiting.clear();
    this.#tellQueue();
    for (const exchange of refused) exchange.refuse();
  }

  /** Waits for the exchanges under way, then closes the connections. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#all].map(({ client }) => client.close()));
  }

  onAnswered(connection: Connection, wasResent: boolean): void {
    if (wasResent || ++this.#answers % answersAResend === 0) this.#earnResend();
    this.#release(connection);
  }

  takeResend(): boolean {
    if (this.#resends === 0) return false;
    this.#resends--;
    return true;
  }

  onFailed(failed: FailedExchange): void {
    queueMicrotask(() => void this.#afterFailure(failed));
  }

  async #afterFailure({ connection, isBroken, resend }: FailedExchange): Promise<void> {
    if (isBroken) await this.#retire(connection);
    // On a new connection, as any other may have been closed as well. It keeps its place among those in use.
    if (resend?.isWanted === true) resend.start(this.#open());
    else this.#release(isBroken ? null : connection);
  }

  #earnResend(): void {
    this.#resends = Math.min(this.#resends + 1, this.#settings.connections);
  }

  /** Until its socket is closed it counts as one of the connections. */
  async #retire(connection: Connection): Promise<void> {
    this.#all.delete(connection);
    await connection.client.destroy();
  }

  #release(connection: Connection | null): void {
    this.#used--;
    if (connection !== null) this.#free.push(connection);
    if (this.#waiting.size > 0) this.#dispatchWaiting();
  }

  #enqueue(exchange: Exchange): void {
    this.#waiting.add(exchange);
    this.#tellQueue();
  }

  #dispatch(exchange: Exchange): void {
    this.#used++;
    exchange.start(this.#free.pop() ?? this.#open());
  }

  #open(): Connection {
    const { origin, timeoutMs } = this.#settings;
    const client = new Client(origin, {
      pipelining: 1,
      // With HTTP/2 many exchanges would share a connection, and the end of one would not be the end of its socket.
      allowH2: false,
      connectTimeout: timeoutMs,
      // Each caller has a deadline, which covers both.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const connection = { client, hasServed: false };
    client.on('disconnect', () => (connection.hasServed = false));
    this.#all.add(connection);
    // A client that is closed fails the exchange.
    if (this.#isClosed) void client.close();
    return connection;
  }

  #dispatchWaiting(): void {
    for (const exchange of this.#waiting) {
      if (this.#used >= this.#settings.connections) break;
      this.#waiting.delete(exchange);
      this.#dispatch(exchange);
    }
    this.#tellQueue();
  }

  #tellQueue(): void {
    this.#settings.onQueue(this.#waiting.size);
  }
}

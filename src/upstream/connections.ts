// The connections to the service: at most so many, and a bounded queue of exchanges that wait for one.
import { Client } from 'undici';
import { type Ask, Exchange, type ExchangeListener } from './exchange.ts';

export interface ConnectionSettings {
  /** Origin of the service; a path in it is not looked at. */
  readonly origin: string;
  readonly connections: number;
  readonly maxBodyBytes: number;
  /** How long a connection may take to be there. */
  readonly timeoutMs: number;
  /** Told how many exchanges wait, whenever that changes. */
  readonly onQueue: (length: number) => void;
}

/**
 * How many exchanges may wait for a connection: sixteen rounds of all connections, yet not so few that a burst fails. By
 * default half of that, which is a crowd, is more than a thousand clients can have waiting that ask for 100 transactions each.
 */
function maxWaiting(connections: number): number {
  return Math.max(1024, connections * 16);
}

/**
 * Keep-alive connections, opened as they are needed. Not undici's Pool, which has a queue of its own before them, looks
 * for a free one among all, and costs an eighth of a call more. Redirects are answers like any other and never followed.
 */
export class Connections {
  readonly #settings: ConnectionSettings;
  readonly #clients: Client[] = [];
  /** Those without an exchange: the one used last is used first, so that those that are not needed end. */
  readonly #free: Client[] = [];
  /** In the order in which they came. Those given up leave, which undici's own queue would not let them. */
  readonly #waiting = new Set<Exchange>();
  /** Exchanges in undici's hands. */
  #used = 0;
  #isDispatching = false;
  #isClosed = false;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
  }

  /** Whether the queue is more than half full. */
  get isCrowded(): boolean {
    return this.#waiting.size > maxWaiting(this.#settings.connections) / 2;
  }

  /** Sends a request as soon as there is a connection; null where too many wait already. */
  send(ask: Ask, listener: ExchangeListener): Exchange | null {
    const { connections, maxBodyBytes } = this.#settings;
    const isFree = this.#used < connections;
    if (!isFree && this.#waiting.size >= maxWaiting(connections)) return null;
    const exchange = new Exchange(ask, maxBodyBytes, listener, this.#onOver);
    if (isFree) this.#dispatch(exchange);
    else this.#enqueue(exchange);
    return exchange;
  }

  /** Ends an exchange that nobody waits for any more, and its connection; false where it still waited for one. */
  giveUp(exchange: Exchange): boolean {
    const isWaiting = this.#waiting.delete(exchange);
    if (isWaiting) this.#tellQueue();
    exchange.giveUp();
    return !isWaiting;
  }

  /** Refuses all that wait. */
  refuseWaiting(): void {
    const refused = [...this.#waiting];
    this.#waiting.clear();
    this.#tellQueue();
    for (const exchange of refused) exchange.refuse();
  }

  /** Waits for what is under way, then closes the connections. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#clients.map((client) => client.close()));
  }

  #enqueue(exchange: Exchange): void {
    this.#waiting.add(exchange);
    this.#tellQueue();
  }

  #dispatch(exchange: Exchange): void {
    this.#used++;
    exchange.start(this.#free.pop() ?? this.#open());
  }

  #open(): Client {
    const { origin, timeoutMs } = this.#settings;
    const client = new Client(origin, {
      pipelining: 1,
      // With HTTP/2 many exchanges would share a connection, and the end of one not be the end of its socket.
      allowH2: false,
      connectTimeout: timeoutMs,
      // Whoever asks has a deadline, which covers both.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.#clients.push(client);
    // It refuses the exchange then.
    if (this.#isClosed) void client.close();
    return client;
  }

  readonly #onOver = (client: Client): void => {
    this.#used--;
    this.#free.push(client);
    if (this.#waiting.size > 0) this.#dispatchWaiting();
  };

  /** What undici refuses to send is over before `dispatch` returns: a loop, as each would else be within the last. */
  #dispatchWaiting(): void {
    if (this.#isDispatching) return;
    this.#isDispatching = true;
    for (const exchange of this.#waiting) {
      if (this.#used >= this.#settings.connections) break;
      this.#waiting.delete(exchange);
      this.#dispatch(exchange);
    }
    this.#isDispatching = false;
    this.#tellQueue();
  }

  #tellQueue(): void {
    this.#settings.onQueue(this.#waiting.size);
  }
}

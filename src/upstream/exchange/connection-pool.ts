// A bounded pool of connections to the service, and a bounded queue of exchanges that wait for a connection.
import type { SecureContext } from 'node:tls';
import type { UpstreamObserver, UpstreamSettings } from './call.ts';
import { type Connection, type ConnectorSettings, createConnector } from './connector.ts';
import { type Ask, Exchange, type ExchangeListener, type ExchangeOwner } from './exchange.ts';

/** One error for all undici clients that are destroyed: undici would create one for each, with a stack trace. */
const connectionFailed = new Error('the connection failed');

/** Larger bodies are parsed in later turns of the event loop: many can end at once, and each may take half a second. */
const smallBody = 16_384;

/** If bodies of as many bytes were parsed in a turn, further ones wait for the next: small ones can take 2 s together. */
const bytesPerTurn = 262_144;

/** As many requests may begin in a turn (admission.ts): an operation whose call is refused continues in the same turn. */
const refusalsPerTurn = 16;

/** The number of answers that allow one more resend: a failing service must not get each request twice. */
const answersAResend = 50;

export interface PoolSettings
  extends ConnectorSettings, Pick<UpstreamSettings, 'maxBodyBytes' | 'connections'> {
  readonly observer: Pick<UpstreamObserver, 'queue'>;
}

/** Keep-alive connections, opened on demand. undici's Pool is not used, because it is slower. */
export class Connections implements ExchangeOwner {
  readonly #settings: PoolSettings;
  readonly memory: ExchangeOwner['memory'];
  readonly #maxWaiting: number;
  #connect: () => Connection;
  readonly #all = new Set<Connection>();
  /** Connections with an earlier TLS context. */
  readonly #outdated = new Set<Connection>();
  /** The most recently used connection is taken first, so that surplus connections become idle and are closed. */
  readonly #free: Connection[] = [];
  /** Exchanges in `#further` are sent first, because their operations already keep answers in memory. */
  readonly #further = new Set<Exchange>();
  readonly #first = new Set<Exchange>();
  /** Exchanges that were waiting when the circuit of their route opened. */
  readonly #refusing = new Set<Exchange>();
  #used = 0;
  #isClosed = false;
  /**
   * Exchanges whose bodies are parsed in the next turns of the event loop, with their connections, which stay in use:
   * otherwise bodies would arrive faster than they are parsed.
   */
  readonly #received = new Map<Exchange, Connection>();
  /** The bytes of small bodies that did not wait, since bodies waited for the last time. */
  #bytesAtOnce = 0;
  /** Resends left; at first one per connection, because the service may have closed all connections at once. */
  #resends: number;
  #answers = 0;

  constructor(settings: PoolSettings, memory: ExchangeOwner['memory']) {
    this.#settings = settings;
    this.memory = memory;
    this.#maxWaiting = Math.max(1024, settings.connections * 16);
    this.#connect = createConnector(settings);
    this.#resends = settings.connections;
  }

  get isSaturated(): boolean {
    return this.#waiting > this.#maxWaiting / 2;
  }

  get #waiting(): number {
    return this.#further.size + this.#first.size;
  }

  /** Sends a request, or queues it until a connection is free; returns null if the queue is full. */
  send(ask: Ask, listener: ExchangeListener): Exchange | null {
    const { connections, maxBodyBytes } = this.#settings;
    const isFree = this.#used < connections;
    if (!isFree && this.#waiting >= this.#maxWaiting) return null;
    const exchange = new Exchange(ask, maxBodyBytes, listener, this);
    if (isFree) this.#dispatch(exchange);
    else {
      (ask.hasAnswers ? this.#further : this.#first).add(exchange);
      this.#settings.observer.queue(this.#waiting);
    }
    return exchange;
  }

  /** Aborts an exchange; returns false if the exchange was still waiting for a connection. */
  giveUp(exchange: Exchange): boolean {
    const wasWaiting = this.#refusing.delete(exchange) || this.#unqueue(exchange);
    exchange.giveUp();
    return !wasWaiting;
  }

  /** Refuses the waiting exchanges of a route: some at once, the others in later turns of the event loop. */
  refuseWaiting(route: string): void {
    const isRefusing = this.#refusing.size > 0;
    for (const exchange of [...this.#further, ...this.#first]) {
      if (exchange.ask.route === route && this.#unqueue(exchange)) this.#refusing.add(exchange);
    }
    if (!isRefusing) this.#refuse();
  }

  readonly #refuse = (): void => {
    let left = refusalsPerTurn;
    for (const exchange of this.#refusing) {
      if (left-- === 0) {
        setImmediate(this.#refuse);
        return;
      }
      this.#refusing.delete(exchange);
      exchange.refuse('circuit_open');
    }
  };

  /** Uses a new TLS context for new connections. The open ones are closed when their exchange has ended. */
  renew(context: SecureContext): void {
    this.#connect = createConnector({ ...this.#settings, context });
    for (const connection of this.#all) this.#outdated.add(connection);
    for (const connection of this.#free.splice(0)) void this.#retire(connection);
  }

  /** Closes the connections, even those that are not established yet. Exchanges in progress fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#all].map(({ client }) => client.destroy(connectionFailed)));
  }

  readonly #deliver = (): void => {
    this.#bytesAtOnce = 0;
    let bytes = 0;
    for (const [exchange, connection] of this.#received) {
      this.#received.delete(exchange);
      this.#release(connection);
      bytes += exchange.deliver();
      if (bytes >= bytesPerTurn) break;
    }
    if (this.#received.size > 0) setImmediate(this.#deliver);
  };

  onAnswered(connection: Connection, wasResent: boolean, exchange: Exchange): boolean {
    if (wasResent || ++this.#answers % answersAResend === 0) {
      this.#resends = Math.min(this.#resends + 1, this.#settings.connections);
    }
    const { bytes } = exchange;
    const waits = bytes > smallBody || (this.#bytesAtOnce += bytes) > bytesPerTurn;
    if (!waits) this.#release(connection);
    else if (this.#received.set(exchange, connection).size === 1) setImmediate(this.#deliver);
    return waits;
  }

  onFailed(connection: Connection, isBroken: boolean, stale: Exchange | null): boolean {
    const resend = this.#resends > 0 ? stale : null;
    if (resend !== null) this.#resends--;
    queueMicrotask(() => void this.#afterFailure(connection, isBroken, resend));
    return resend !== null;
  }

  async #afterFailure(
    connection: Connection,
    isBroken: boolean,
    resend: Exchange | null,
  ): Promise<void> {
    // The connection counts as used until its socket is closed.
    if (isBroken) {
      this.#all.delete(connection);
      this.#outdated.delete(connection);
      await connection.client.destroy(connectionFailed);
    }
    // The exchange is resent on a new connection, because the service may have closed the free ones as well.
    if (resend?.isWanted === true) resend.start(this.#open());
    else this.#release(isBroken ? null : connection);
  }

  async #retire(connection: Connection): Promise<void> {
    this.#outdated.delete(connection);
    this.#all.delete(connection);
    await connection.client.close();
  }

  #release(connection: Connection | null): void {
    this.#used--;
    if (connection !== null) {
      if (this.#outdated.has(connection)) void this.#retire(connection);
      else this.#free.push(connection);
    }
    if (this.#waiting === 0) return;
    const [next] = this.#further.size > 0 ? this.#further : this.#first;
    if (next !== undefined && this.#unqueue(next)) this.#dispatch(next);
  }

  #dispatch(exchange: Exchange): void {
    this.#used++;
    exchange.start(this.#free.pop() ?? this.#open());
  }

  #open(): Connection {
    const connection = this.#connect();
    this.#all.add(connection);
    // After `close`, a new client is closed at once, so that the exchange fails.
    if (this.#isClosed) void connection.client.close();
    return connection;
  }

  /** Removes an exchange from the queue; returns false if it was not waiting. */
  #unqueue(exchange: Exchange): boolean {
    const wasWaiting = this.#further.delete(exchange) || this.#first.delete(exchange);
    if (wasWaiting) this.#settings.observer.queue(this.#waiting);
    return wasWaiting;
  }
}

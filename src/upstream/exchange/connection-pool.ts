// A bounded pool of connections to the service, and a bounded queue of exchanges that wait for a connection.
import type { SecureContext } from 'node:tls';
import { TurnQueue } from '../../turn-queue.ts';
import type { UpstreamObserver, UpstreamSettings } from './call.ts';
import { type Connection, type ConnectorSettings, createConnector } from './connector.ts';
import { type Ask, Exchange, type ExchangeListener, type ExchangeOwner } from './exchange.ts';

/** One error for all undici clients that are destroyed: undici would create one for each, with a stack trace. */
const connectionFailed = new Error('the connection failed');

/** The bytes of the bodies that are parsed in a turn of the event loop, or one body: many can end at once. */
const bytesPerTurn = 262_144;

/** The number of answers that allow one more resend: a failing service must not get each request twice. */
const answersAResend = 50;

export interface PoolSettings
  extends ConnectorSettings, Pick<UpstreamSettings, 'maxBodyBytes' | 'connections'> {
  readonly observer: Pick<UpstreamObserver, 'queue'>;
}

/** An exchange whose answer has been received, with its connection. */
interface Answered {
  readonly exchange: Exchange;
  readonly connection: Connection;
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
  readonly #refusing = new TurnQueue<Exchange>({
    run(exchange) {
      exchange.refuse('circuit_open');
      return 1;
    },
  });
  #used = 0;
  #isClosed = false;
  /** Received bodies. Their connections stay in use: otherwise bodies would arrive faster than they are parsed. */
  readonly #received = new TurnQueue<Answered>({
    limit: bytesPerTurn,
    run: ({ exchange, connection }) => {
      this.#release(connection);
      return exchange.deliver();
    },
  });
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
    for (const exchange of [...this.#further, ...this.#first]) {
      if (exchange.ask.route === route && this.#unqueue(exchange)) this.#refusing.add(exchange);
    }
  }

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

  onAnswered(connection: Connection, wasResent: boolean, exchange: Exchange): void {
    if (wasResent || ++this.#answers % answersAResend === 0) {
      this.#resends = Math.min(this.#resends + 1, this.#settings.connections);
    }
    this.#received.add({ exchange, connection });
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

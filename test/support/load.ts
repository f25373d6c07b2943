// Sends requests over keep-alive connections: at a fixed rate, regardless of the answers, or each as soon as a
// connection is free.
import { connect, type Socket } from 'node:net';
import { headerLines, rawRequest } from './raw.ts';

export interface LoadSettings {
  /** `http://…`, without a path. */
  readonly url: string;
  /**
   * Whole requests as bytes, sent in a cycle. During the load, an element may be replaced by another request of the
   * same kind.
   */
  readonly requests: readonly Buffer[];
  readonly connections: number;
  /** Requests per second; null to send each as soon as a connection is free. */
  readonly perSecond: number | null;
  readonly seconds: number;
  /** Called with every answer as it arrives. */
  readonly onAnswer?: (answer: Answer) => void;
}

export interface Answer {
  /** The index of the request in `requests`. */
  readonly request: number;
  /** The HTTP status; 0 if the connection broke. */
  readonly status: number;
  readonly body: string;
  /** The time from sending the request to its complete answer. */
  readonly ms: number;
}

export interface LoadResult {
  /** The number of requests that were due, and how many of them were not sent because every connection was busy. */
  readonly offered: number;
  readonly unsent: number;
  /** Answers with status 200 and no errors. */
  readonly good: number;
  /** Other answers, by HTTP status, or by their first error code if the status was 200. */
  readonly others: Readonly<Record<string, number>>;
  /** Latencies of the good answers in ms: median, 99th percentile and maximum. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly goodPerSecond: number;
}

/** The bytes of a POST request with a GraphQL document. */
export function graphqlRequest(query: string, headers: Readonly<Record<string, string>>): Buffer {
  return rawRequest({
    standard: ['Host: gateway', 'Content-Type: application/json'],
    lines: headerLines(headers),
    body: JSON.stringify({ query }),
  });
}

/** Runs a load and waits for its last answers. */
export function runLoad(settings: LoadSettings): Promise<LoadResult> {
  return new Load(settings).run();
}

class Load {
  readonly #settings: LoadSettings;
  readonly #idle: Connection[] = [];
  readonly #good: number[] = [];
  readonly #others: Record<string, number> = {};
  #offered = 0;
  #unsent = 0;
  #underWay = 0;
  #endMs = 0;

  constructor(settings: LoadSettings) {
    this.#settings = settings;
  }

  async run(): Promise<LoadResult> {
    const { connections, seconds, url } = this.#settings;
    while (this.#idle.length < connections) this.#idle.push(await openConnection(url));
    const startedMs = performance.now();
    this.#endMs = startedMs + seconds * 1000;
    for (let now = startedMs; now < this.#endMs; now = performance.now()) {
      this.#offer(now - startedMs);
      await moment();
    }
    while (this.#underWay > 0) await moment();
    for (const connection of this.#idle) connection.close();
    return this.#result();
  }

  #offer(elapsedMs: number): void {
    const { perSecond } = this.#settings;
    if (perSecond === null) {
      while (this.#idle.length > 0) this.#send();
      return;
    }
    while (this.#offered < (elapsedMs * perSecond) / 1000) this.#send();
  }

  #send(): void {
    const { requests } = this.#settings;
    const request = this.#offered++ % requests.length;
    // The connection that has been idle longest is used, so that the server closes no connection for being idle.
    const connection = this.#idle.shift();
    if (connection === undefined) {
      this.#unsent++;
      return;
    }
    this.#underWay++;
    void this.#sendOn(connection, request, performance.now());
  }

  async #sendOn(chosen: Connection, request: number, sentMs: number): Promise<void> {
    const { requests, url } = this.#settings;
    const connection = chosen.isOpen ? chosen : await openConnection(url);
    connection.send(requests[request] ?? Buffer.alloc(0), (status, body, isOpen) => {
      this.#note({ request, status, body, ms: performance.now() - sentMs });
      void this.#release(connection, isOpen);
    });
  }

  async #release(connection: Connection, isOpen: boolean): Promise<void> {
    this.#idle.push(isOpen ? connection : await openConnection(this.#settings.url));
    this.#underWay--;
    if (this.#settings.perSecond === null && performance.now() < this.#endMs) this.#send();
  }

  #note(answer: Answer): void {
    this.#settings.onAnswer?.(answer);
    const { status, body, ms } = answer;
    const code = status === 200 ? /"code":"(\w+)"/.exec(body)?.[1] : String(status);
    if (code === undefined) this.#good.push(ms);
    else this.#others[code] = (this.#others[code] ?? 0) + 1;
  }

  #result(): LoadResult {
    const times = this.#good.toSorted((a, b) => a - b);
    const at = (share: number) =>
      Math.round((times[Math.floor(times.length * share)] ?? 0) * 10) / 10;
    return {
      offered: this.#offered,
      unsent: this.#unsent,
      good: times.length,
      others: this.#others,
      p50: at(0.5),
      p99: at(0.99),
      max: Math.round(times.at(-1) ?? 0),
      goodPerSecond: Math.round(times.length / this.#settings.seconds),
    };
  }
}

type OnEnd = (status: number, body: string, isOpen: boolean) => void;

/** One connection with at most one request on it. Answers must have a content-length. */
class Connection {
  readonly #socket: Socket;
  #received = '';
  #onEnd: OnEnd | null = null;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => this.#take(text));
    socket.on('error', () => undefined);
    socket.on('close', () => this.#end(0, '', false));
  }

  get isOpen(): boolean {
    return this.#socket.writable;
  }

  send(request: Buffer, onEnd: OnEnd): void {
    this.#onEnd = onEnd;
    if (this.#socket.destroyed) this.#end(0, '', false);
    else this.#socket.write(request);
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(text: string): void {
    this.#received += text;
    const bodyAt = this.#received.indexOf('\r\n\r\n') + 4;
    if (bodyAt < 4) return;
    const head = this.#received.slice(0, bodyAt);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (this.#received.length < bodyAt + length) return;
    const body = this.#received.slice(bodyAt);
    this.#received = '';
    this.#end(Number(head.slice(9, 12)), body, !/connection: close/i.test(head));
  }

  #end(status: number, body: string, isOpen: boolean): void {
    const onEnd = this.#onEnd;
    this.#onEnd = null;
    if (!isOpen) this.close();
    onEnd?.(status, body, isOpen);
  }
}

async function openConnection(url: string): Promise<Connection> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setNoDelay();
  const connection = new Connection(socket);
  // A connection that cannot be opened fails when it is used.
  await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
  return connection;
}

function moment(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}

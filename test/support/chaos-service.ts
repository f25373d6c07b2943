// A service that fails in many ways and at random moments of an exchange. It writes bytes to plain sockets; a seed
// determines the failures.
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, type Random } from '../../src/sandbox/random.ts';

export interface ChaosService extends AsyncDisposable {
  /**
   * `127.x.y.z:port`. Other processes do not normally use this address, so the service can bind the port again after
   * `goAway`.
   */
  readonly host: string;
  /** The number of failures by kind. */
  readonly failures: ReadonlyMap<string, number>;
  /** The number of requests under way. */
  readonly requests: () => number;
  /** Sets the behaviour from now on: random failures and some valid answers, only valid answers, or no answers. */
  behave(behaviour: 'chaos' | 'good' | 'silent'): void;
  /** Closes every connection and refuses new ones for `ms`. */
  goAway(ms: number): Promise<void>;
}

export interface ChaosSettings {
  readonly seed: string;
  /**
   * Called at each moment at which a test may abort a request: when the request has arrived, and after parts of its
   * answer have been sent.
   */
  readonly onMoment: (nonce: string) => void;
}

/**
 * The whole body of the answer to `GET /<nonce>`; no other body is a valid answer. Every third body is larger than 16
 * KiB, so that it is parsed in a later turn, and some are larger than 64 KiB, so that they take memory while received.
 */
export function bodyOf(nonce: string): string {
  const times = ((Number(nonce) * 7919) % 300) * (Number(nonce) % 3 === 0 ? 100 : 1);
  return JSON.stringify({ nonce, filler: nonce.repeat(times).slice(0, 90_000) });
}

/** Starts the service on a separate address. */
export async function startChaosService(settings: ChaosSettings): Promise<ChaosService> {
  const service = new Chaos(settings);
  await service.listen();
  return service;
}

type Send = (bytes: string | Buffer) => void;

/** A request that gets a failure or a valid answer. */
interface Struck {
  readonly nonce: string;
  readonly random: Random;
  readonly socket: Socket;
  readonly send: Send;
  /** Head and body of a valid answer. */
  readonly answer: Answer;
}

interface Answer {
  readonly head: string;
  readonly body: string;
}

type Strike = (struck: Struck) => void;

class Chaos implements ChaosService {
  readonly failures = new Map<string, number>();
  readonly #settings: ChaosSettings;
  readonly #random: Random;
  readonly #sockets = new Set<Socket>();
  /** Connections with a request that is not completely answered. */
  readonly #busy = new Set<Socket>();
  readonly #tries = new Map<string, number>();
  readonly #address: string;
  #server: Server | null = null;
  #port = 0;
  #behaviour: 'chaos' | 'good' | 'silent' = 'chaos';

  constructor(settings: ChaosSettings) {
    this.#settings = settings;
    this.#random = createRandom(settings.seed);
    // On Linux, every address in 127.0.0.0/8 belongs to this machine. The service's address depends on the process id,
    // so that two concurrent runs rarely share an address.
    this.#address = `127.${1 + (process.pid % 250)}.${1 + ((process.pid >> 8) % 250)}.7`;
  }

  get host(): string {
    return `${this.#address}:${this.#port}`;
  }

  readonly requests = () => {
    // Node.js does not emit an event for every socket that is reset.
    for (const socket of this.#busy) if (socket.destroyed) this.#busy.delete(socket);
    return this.#busy.size;
  };

  behave(behaviour: 'chaos' | 'good' | 'silent'): void {
    this.#behaviour = behaviour;
  }

  async listen(): Promise<void> {
    // Connections may be half-open, so that the service itself determines when it closes its end.
    const server = createServer({ allowHalfOpen: true }, (socket) => this.#serve(socket));
    this.#server = server;
    await once(server.listen(this.#port, this.#address), 'listening');
    const address = server.address();
    if (address !== null && typeof address === 'object') this.#port = address.port;
  }

  async goAway(ms: number): Promise<void> {
    this.#count('away');
    await this.#close();
    await sleep(ms);
    await this.listen();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }

  async #close(): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    this.#server = null;
    const closed = once(server, 'close');
    server.close();
    for (const socket of this.#sockets) socket.resetAndDestroy();
    await closed;
  }

  #count(kind: string): void {
    this.failures.set(kind, (this.failures.get(kind) ?? 0) + 1);
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket.setNoDelay());
    socket.on('close', () => this.#sockets.delete(socket)).on('error', () => undefined);
    const draw = this.#behaviour === 'chaos' ? this.#random.next() : 1;
    if (draw < 0.02) {
      this.#count('reset when accepted');
      socket.resetAndDestroy();
      return;
    }
    let received = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text;
      if (!received.startsWith('GET ')) this.#refuseTls(socket);
      else if (received.endsWith('\r\n\r\n')) {
        const nonce = /^GET \/(\d+) /.exec(received)?.[1] ?? '';
        received = '';
        this.#take(socket, nonce);
      }
    });
    // The client has closed its half of the connection, and reads nothing more.
    socket.on('end', () => socket.destroy());
  }

  /** Rejects the start of a TLS handshake, because the service has no TLS. */
  #refuseTls(socket: Socket): void {
    this.#count('no TLS');
    const how = this.#random.integer(0, 2);
    if (how === 0) socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n');
    else if (how === 1) socket.resetAndDestroy();
    else socket.end();
  }

  #take(socket: Socket, nonce: string): void {
    this.#busy.add(socket);
    const tries = (this.#tries.get(nonce) ?? 0) + 1;
    this.#tries.set(nonce, tries);
    this.#settings.onMoment(nonce);
    const random = createRandom(`${this.#settings.seed} ${nonce} ${tries}`);
    const send: Send = (bytes) => {
      if (socket.writable) socket.write(bytes);
      this.#settings.onMoment(nonce);
    };
    const struck = { nonce, random, socket, send, answer: answerOf(nonce, random) };
    if (this.#behaviour === 'silent') return;
    const isGood = this.#behaviour === 'good' || random.next() < 0.2;
    if (isGood) {
      sendInParts(struck);
      this.#busy.delete(socket);
      return;
    }
    const kind = random.pick(strikeNames);
    this.#count(kind);
    strikes[kind](struck);
    if (answered.has(kind)) this.#busy.delete(socket);
  }
}

/** A valid answer, with its length given in one of the three possible ways. */
function answerOf(nonce: string, random: Random): Answer {
  const body = bodyOf(nonce);
  const lines = ['HTTP/1.1 200 OK', 'content-type: application/json'];
  const framing = random.integer(0, 9);
  if (framing < 7) lines.push(`content-length: ${body.length}`);
  else if (framing < 9) lines.push('transfer-encoding: chunked');
  else lines.push('connection: close');
  const head = `${lines.join('\r\n')}\r\n\r\n`;
  return { head, body: framing === 7 || framing === 8 ? chunked(body) : body };
}

function chunked(body: string): string {
  return `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
}

function sendInParts({ answer: { head, body }, random, send, socket }: Struck): void {
  const whole = head + body;
  const cut = random.integer(0, whole.length);
  send(whole.slice(0, cut));
  send(whole.slice(cut));
  if (head.includes('connection: close')) socket.end();
}

/** Sends the beginning of the answer, up to a random place; possibly nothing. */
function sendPart({ answer: { head, body }, random, send }: Struck): void {
  const moment = random.pick([
    0,
    random.integer(1, head.length - 1),
    head.length,
    head.length + random.integer(0, body.length - 1),
  ]);
  if (moment > 0) send((head + body).slice(0, moment));
}

function end({ random, socket }: Struck): void {
  if (random.next() < 0.5) socket.resetAndDestroy();
  else socket.end();
}

const garbage = [
  'SSH-2.0-OpenSSH_9.6\r\n',
  '\x15\x03\x01\x00\x02\x02\x46',
  'HTTP/9.9 200 OK\r\n\r\n',
  'HTTP/1.1 OK\r\n\r\n',
  'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello!',
  'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n',
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
  'HTTP/1.1 200 OK\r\nno colon\r\n\r\n',
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
  `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
  '{"nonce":"0"}',
  '\r\n\r\n\r\n',
];

/**
 * The share of the failures `silence`, `drip` and `no HTTP` for which the service leaves the connection open. The share
 * is small, because such a failure may occupy a connection until the caller's deadline.
 */
const lasting = 0.15;

const strikes = {
  'ended within the answer': (struck: Struck) => {
    sendPart(struck);
    end(struck);
  },
  'ended within the answer, later': (struck: Struck) => {
    sendPart(struck);
    setTimeout(end, struck.random.integer(0, 5), struck);
  },
  'half closed': (struck: Struck) => {
    sendPart(struck);
    struck.socket.end();
    struck.socket.removeAllListeners('end');
  },
  'ended after the answer': (struck: Struck) => {
    sendInParts(struck);
    end(struck);
  },
  'ended when idle': (struck: Struck) => {
    sendInParts(struck);
    setTimeout(end, struck.random.integer(0, 5), struck);
  },
  'ended at the next request': (struck: Struck) => {
    sendInParts(struck);
    struck.socket.removeAllListeners('data').once('data', () => end(struck));
  },
  silence: (struck: Struck) => {
    if (struck.random.next() < lasting) sendPart(struck);
    else end(struck);
  },
  drip: (struck: Struck) => {
    if (struck.random.next() < lasting) drip(struck, struck.answer.head + struck.answer.body, 0);
    else end(struck);
  },
  'no HTTP': (struck: Struck) => {
    struck.send(struck.random.pick(garbage));
    if (struck.random.next() > lasting) end(struck);
  },
  'no HTTP after a part': (struck: Struck) => {
    sendPart(struck);
    struck.send(struck.random.pick(garbage));
    end(struck);
  },
  'another answer behind it': (struck: Struck) => {
    const { head, body } = struck.answer;
    const other = bodyOf('1');
    struck.send(`${head}${body}HTTP/1.1 200 OK\r\ncontent-length: ${other.length}\r\n\r\n${other}`);
    if (head.includes('connection: close')) struck.socket.end();
  },
  'another status': (struck: Struck) => {
    const status = struck.random.pick([201, 204, 301, 304, 400, 404, 429, 500, 502, 503, 504]);
    const length = status === 204 || status === 304 ? 0 : struck.random.pick([0, 10, 100_000]);
    struck.send(`HTTP/1.1 ${status} Other\r\ncontent-length: ${length}\r\n\r\n`);
    struck.send('x'.repeat(length));
    if (struck.random.next() < 0.3) end(struck);
  },
  'too large': (struck: Struck) => {
    const framing = struck.random.pick([
      'content-length: 1000000\r\n',
      'transfer-encoding: chunked\r\n',
      'connection: close\r\n',
    ]);
    struck.send(`HTTP/1.1 200 OK\r\n${framing}\r\n`);
    const part = '7'.repeat(65_536);
    for (let at = 0; at < 4; at++) {
      struck.send(framing.startsWith('transfer') ? `10000\r\n${part}\r\n` : part);
    }
  },
  'informational first': (struck: Struck) => {
    struck.send('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n');
    sendPart(struck);
    end(struck);
  },
} satisfies Record<string, Strike>;

const strikeNames = Object.keys(strikes) as (keyof typeof strikes)[];

/** The kinds of failure after which the request has its whole answer. */
const answered: ReadonlySet<keyof typeof strikes> = new Set([
  'ended after the answer',
  'ended when idle',
  'ended at the next request',
  'another answer behind it',
  'another status',
]);

/** Sends the text from `at` on, one byte every two milliseconds. */
function drip(struck: Struck, text: string, at: number): void {
  if (at >= text.length || struck.socket.destroyed) return;
  struck.send(text.charAt(at));
  setTimeout(drip, 2, struck, text, at + 1);
}

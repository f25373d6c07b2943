// One connection to Redis: sends commands, and matches replies to them in order.
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { ErrorReply, type Reply, ReplyParser } from './redis-reply.ts';

const defaultPort = 6379;

interface Waiting {
  readonly sentMs: number;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (reason: Error) => void;
}

export class RedisConnection {
  readonly #socket: Socket;
  readonly #parser = new ReplyParser();
  readonly #waiting: Waiting[] = [];
  /** Resolves when Redis has accepted the password and the database; rejects with the reason why it has not. */
  readonly accepted: Promise<unknown>;

  /** `url` is REDIS_URL. `onClose` is called once, with the reason. */
  constructor(url: URL, onClose: (reason: Error) => void) {
    this.#socket = openSocket(url);
    this.#socket.on('data', (chunk: Buffer) => this.#read(chunk));
    let reason = new Error('connection closed');
    this.#socket.on('error', (error) => (reason = error));
    this.#socket.on('close', () => {
      for (const { reject } of this.#waiting.splice(0)) reject(reason);
      onClose(reason);
    });
    this.accepted = Promise.all(greeting(url).map((command) => this.send(command)));
  }

  /** The milliseconds for which the oldest command has waited for its reply; 0 if none waits. */
  get waitedMs(): number {
    const [oldest] = this.#waiting;
    return oldest === undefined ? 0 : performance.now() - oldest.sentMs;
  }

  /** Rejects with an ErrorReply, or with the reason why the connection was closed. */
  send(command: readonly string[]): Promise<Reply> {
    if (this.#socket.destroyed) return Promise.reject(new Error('connection closed'));
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    this.#waiting.push({ sentMs: performance.now(), resolve, reject });
    this.#socket.write(encode(command));
    return promise;
  }

  close(reason?: Error): void {
    this.#socket.destroy(reason);
  }

  /** After a reply that is invalid or answers no command, the following bytes cannot be matched to commands. */
  #read(chunk: Buffer): void {
    try {
      for (const reply of this.#parser.parse(chunk)) {
        const command = this.#waiting.shift();
        if (command === undefined) throw new Error('unexpected reply');
        if (reply instanceof ErrorReply) command.reject(reply);
        else command.resolve(reply);
      }
    } catch (error) {
      this.close(error instanceof Error ? error : undefined);
    }
  }
}

function openSocket({ protocol, hostname, port }: URL): Socket {
  const host = hostname.replace(/^\[|\]$/g, '');
  const to = { host, port: Number(port) || defaultPort, noDelay: true, keepAlive: true };
  if (protocol === 'redis:') return connectTcp(to);
  // Servers with several certificates need the name, which Node.js sends only if `servername` is set.
  return connectTls({ ...to, ...(isIP(host) === 0 && { servername: host }) });
}

/** The commands that a connection begins with; PING shows that Redis answers if no other command is needed. */
function greeting({ username, password, pathname }: URL): (readonly string[])[] {
  const user = username === '' ? [] : [decodeURIComponent(username)];
  const database = pathname.slice(1);
  return [
    ...(password === '' ? [] : [['AUTH', ...user, decodeURIComponent(password)]]),
    ...(Number(database) === 0 ? [] : [['SELECT', database]]),
    ['PING'],
  ];
}

function encode(command: readonly string[]): string {
  const parts = command.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`);
  return `*${command.length}\r\n${parts.join('')}`;
}

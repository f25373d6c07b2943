// Redis, where replicas share what they must: asked only while it answers, so that no request waits for it in vain.
import { isIP } from 'node:net';
import { Redis, type RedisOptions } from 'ioredis';

/** What there is to say about Redis; pino's logger takes it. Neither an address nor a credential is ever in it. */
export interface RedisLog {
  warn(fields: { readonly reason: string }, message: string): void;
  info(message: string): void;
}

export interface SharedRedisSettings {
  /** REDIS_URL: `redis://` or `rediss://`, with user, password and database. */
  readonly url: string;
  readonly log: RedisLog;
  /** Called for every use of Redis that was done without, be it that Redis was not asked as it is away. */
  readonly onFailure: () => void;
}

/** How long Redis has for an answer: what it delays a request by at most, once, before it counts as away. */
const answerTimeoutMs = 100;
const probeEveryMs = 500;
/** Four seconds of silence; a connection may be dead without either side knowing. */
const probesPerConnection = 8;
const firstContactMs = 1000;

const options = {
  // Also needs no right to HELLO, INFO or CLIENT, and an older Redis would quote a refused HELLO, password included.
  protocol: 2,
  enableReadyCheck: false,
  disableClientInfo: true,
  // Nothing waits for a connection, nor is sent again: a request goes on without Redis, and a count twice is wrong.
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 2000,
  disconnectTimeout: 100,
  retryStrategy: (attempts: number) => Math.min(attempts * 100, 2000),
  // After a failover the old master is a replica, which the connection would stay with.
  reconnectOnError: ({ message }: Error) => message.startsWith('READONLY'),
} satisfies RedisOptions;

/**
 * Redis, asked only while it answers: after one command that failed it counts as away, and is left alone until it
 * answers a probe, so that no more than the requests of one moment wait for it in vain.
 */
export class SharedRedis {
  readonly client: Redis;
  readonly #settings: SharedRedisSettings;
  readonly #probing: NodeJS.Timeout;
  readonly #contact = Promise.withResolvers<undefined>();
  #isAway = true;
  #isMissed = false;
  #failedProbes = 0;
  #isClosed = false;

  constructor(settings: SharedRedisSettings) {
    const { url } = settings;
    this.#settings = settings;
    this.client = new Redis(url, { ...options, ...tlsOptions(url) });
    this.client.on('ready', () => void this.#probe());
    this.client.on('close', () => this.#lose('connection closed'));
    // Its address is in the message; without a listener it would be printed.
    this.client.on('error', (error) => this.#lose(reasonOf(error)));
    this.#probing = setInterval(() => {
      if (this.#isAway) void this.#probe();
    }, probeEveryMs).unref();
  }

  /** Whether questions are refused, as Redis did not answer the last one. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /** Asks; rejects at once while Redis is away, and in any case within 100 ms. */
  async ask<T>(question: (client: Redis) => Promise<T>): Promise<T> {
    try {
      if (this.#isAway) throw new Error('Redis is away');
      const answer = await inTime(question(this.client));
      if (this.#isMissed) this.#welcome();
      return answer;
    } catch (error) {
      this.#lose(reasonOf(error));
      this.#settings.onFailure();
      throw error;
    }
  }

  /** Resolves when Redis has answered or failed for the first time, or has had a second to. */
  async firstContact(): Promise<void> {
    const timer = setTimeout(() => this.#lose('no answer in time'), firstContactMs);
    await this.#contact.promise;
    clearTimeout(timer);
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#probing);
    this.client.disconnect();
  }

  async #probe(): Promise<void> {
    try {
      await inTime(this.client.ping());
      this.#isAway = false;
      this.#failedProbes = 0;
      this.#contact.resolve(undefined);
    } catch {
      this.#failedProbes += 1;
      if (this.#failedProbes % probesPerConnection === 0 && !this.#isClosed) {
        this.client.disconnect(true);
      }
    }
  }

  /** Said when it does what it is asked to: one that is out of memory answers probes all the same. */
  #welcome(): void {
    this.#isMissed = false;
    this.#settings.log.info('Redis is back');
  }

  #lose(reason: string): void {
    this.#isAway = true;
    if (this.#isMissed || this.#isClosed) return;
    this.#isMissed = true;
    this.#settings.log.warn({ reason }, 'Redis is away: this process goes by its own memory');
    this.#contact.resolve(undefined);
  }
}

/**
 * Rejects where there is no answer in time. One that came while this process was busy is in time: after a timer, what
 * has arrived is read before the next turn. The client's own `commandTimeout` would take that for a Redis that hangs.
 */
async function inTime<T>(answer: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const giveUp = () => setImmediate(() => reject(new Error('no answer in time')));
  const timer = setTimeout(giveUp, answerTimeoutMs);
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Node.js says a server's name on a TLS connection only where it is told to; hosts that serve several need it. */
function tlsOptions(url: string): { tls?: { servername?: string } } {
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'rediss:') return {};
  return { tls: isIP(hostname) > 0 ? {} : { servername: hostname } };
}

/** A word for what is wrong. Messages may quote an address, and those of Redis the command with its arguments. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.name === 'ReplyError' ? (error.message.split(' ', 1)[0] ?? '') : error.message;
}

// A Redis client with deadlines; skipped while Redis is down, so that no request waits in vain.
import { isIP } from 'node:net';
import { Redis, type RedisOptions } from 'ioredis';

/** The part of pino's logger that is used. No line has an address or a credential. */
export interface RedisLog {
  warn(fields: { readonly reason: string }, message: string): void;
  info(message: string): void;
}

export interface SharedRedisSettings {
  /** REDIS_URL: `redis://` or `rediss://`, with user, password and database. */
  readonly url: string;
  readonly log: RedisLog;
  /** Called when a command fails or is skipped because Redis is down. */
  readonly onFailure: () => void;
}

/** The deadline of a command, and the longest delay of a request before Redis counts as down. */
const answerTimeoutMs = 100;
const probeEveryMs = 500;
/**
 * After this many failed probes, four seconds, the client reconnects: a connection may be dead without either side
 * knowing.
 */
const probesPerConnection = 8;
const firstContactMs = 1000;

const options = {
  // Needs no permission for HELLO, INFO or CLIENT; an older Redis would quote a rejected HELLO, password included.
  protocol: 2,
  enableReadyCheck: false,
  disableClientInfo: true,
  // No command waits for a connection or is sent again: requests continue without Redis, and none may be counted twice.
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 2000,
  disconnectTimeout: 100,
  retryStrategy: (attempts: number) => Math.min(attempts * 100, 2000),
  // After a failover the connection would stay with the old master, now a replica.
  reconnectOnError: ({ message }: Error) => message.startsWith('READONLY'),
} satisfies RedisOptions;

/**
 * Redis as long as it answers: after one failed command it counts as down, and is skipped until it answers a probe, so
 * that only the requests of one moment wait in vain.
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
    // Without a listener the error would be printed, with the address.
    this.client.on('error', (error) => this.#lose(reasonOf(error)));
    this.#probing = setInterval(() => {
      if (this.#isAway) void this.#probe();
    }, probeEveryMs).unref();
  }

  /** Whether Redis counts as down. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /** Sends a command; rejects at once while Redis is down, otherwise within 100 ms. */
  async ask<T>(question: (client: Redis) => Promise<T>): Promise<T> {
    try {
      if (this.#isAway) throw new Error('Redis is away');
      const answer = await inTime(question(this.client));
      // Logged after a command, not a probe: a Redis that is out of memory answers probes.
      if (this.#isMissed) {
        this.#isMissed = false;
        this.#settings.log.info('Redis is back');
      }
      return answer;
    } catch (error) {
      this.#lose(reasonOf(error));
      this.#settings.onFailure();
      throw error;
    }
  }

  /** Resolves when Redis has answered or failed for the first time, or after a second. */
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

  #lose(reason: string): void {
    this.#isAway = true;
    if (this.#isMissed || this.#isClosed) return;
    this.#isMissed = true;
    this.#settings.log.warn({ reason }, 'Redis is away: this process goes by its own memory');
    this.#contact.resolve(undefined);
  }
}

/**
 * Rejects if there is no answer in time. An answer that arrived while this process was busy is in time: it is read before
 * the next turn of the event loop. The client's own `commandTimeout` would reject it.
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

/** Node.js sends a server's name over TLS only if it is set; hosts with several certificates need it. */
function tlsOptions(url: string): { tls?: { servername?: string } } {
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'rediss:') return {};
  return { tls: isIP(hostname) > 0 ? {} : { servername: hostname } };
}

/** A code for an error: messages may quote an address, and Redis's own the command with its arguments. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.name === 'ReplyError' ? (error.message.split(' ', 1)[0] ?? '') : error.message;
}

// Operation texts and counts, shared by replicas in Redis. Without Redis, each process uses its own memory.
import { isIP } from 'node:net';
import { Redis, type RedisOptions, ReplyError } from 'ioredis';
import { LRUCache } from 'lru-cache';

/** The prefix of all keys in Redis; the number is the version of the format. */
export const keyPrefix = 'account-bff:1';

interface StoreLog {
  warn(fields: { readonly reason: string }, message: string): void;
  info(message: string): void;
}

/** In characters; longer texts are not stored. */
const maxTextLength = 32_768;
const maxTexts = 10_000;
const maxTextsLength = 8 * 1024 * 1024;

/** Any client may register texts. With these limits, Redis holds about 7,200 texts of a process at most. */
const keptSeconds = 3600;
const maxWritesPerMinute = 120;

export type SharedStore = Awaited<ReturnType<typeof openSharedStore>>;

/**
 * Opens the store; waits for Redis for a second at most. `get` and `set` never reject. `url` is REDIS_URL, or null for
 * memory only. `onFailure` is called when a command fails or is skipped because Redis is down.
 */
export async function openSharedStore(url: string | null, log: StoreLog, onFailure: () => void) {
  const redis = url === null ? null : new SharedRedis(url, log, onFailure);
  await redis?.firstContact();
  const memory = new LRUCache<string, string>({
    max: maxTexts,
    maxSize: maxTextsLength,
    sizeCalculation: (text, key) => text.length + key.length,
  });
  let writes = 0;
  const everyMinute = setInterval(() => (writes = 0), 60_000).unref();
  return {
    /** Used for the counters of the rate limit; null without REDIS_URL. */
    redis,
    /** A text from Redis must pass `isGenuine`, because other programs may write to Redis. */
    async get(key: string, isGenuine: (text: string) => boolean): Promise<string | undefined> {
      const known = memory.get(key);
      if (known !== undefined || redis === null) return known;
      const text = await redis.ask((client) => client.get(key));
      if (typeof text !== 'string' || !isGenuine(text)) return undefined;
      memory.set(key, text);
      return text;
    },
    async set(key: string, text: string): Promise<void> {
      if (text.length > maxTextLength) return;
      memory.set(key, text);
      writes += 1;
      if (redis === null || writes > maxWritesPerMinute) return;
      await redis.ask((client) => client.set(key, text, 'EX', keptSeconds));
    },
    close(): void {
      clearInterval(everyMinute);
      redis?.close();
    },
  };
}

const answerTimeoutMs = 100;
const probeEveryMs = 500;
const firstContactMs = 1000;

/** A connection that delivers more while Redis is down is replaced: a reply without end would fill the memory. */
const maxBytesWhileAway = 1_048_576;

/** The longest reason that is logged, in characters. */
const maxReasonLength = 64;

const options = {
  // Avoids HELLO, INFO and CLIENT, which may be forbidden.
  protocol: 2,
  enableReadyCheck: false,
  disableClientInfo: true,
  // With these options, requests continue without Redis, and no command is sent twice.
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 2000,
  disconnectTimeout: 100,
  // A connection may be lost although neither side closed it.
  socketTimeout: 4000,
  retryStrategy: (attempts: number) => Math.min(attempts * 100, 2000),
  // After a failover, the old connection would still lead to the old master, which is now a replica.
  reconnectOnError: ({ message }: Error) => message.startsWith('READONLY'),
} satisfies RedisOptions;

/** Skips commands at first, and after a failed command or lost connection, until Redis answers a probe. */
export class SharedRedis {
  readonly client: Redis;
  readonly #log: StoreLog;
  readonly #onFailure: () => void;
  readonly #probing: NodeJS.Timeout;
  readonly #database: number;
  readonly #contact = Promise.withResolvers<undefined>();
  isAway = true;
  /** The number of bytes that the connection had delivered at the latest check. */
  #bytesRead = 0;
  /** Whether the log says that Redis is down. */
  #isMissed = false;

  constructor(url: string, log: StoreLog, onFailure: () => void) {
    this.#log = log;
    this.#onFailure = onFailure;
    const { protocol, hostname, pathname } = new URL(url);
    this.#database = Number(pathname.slice(1));
    // Servers with several certificates need the name, which Node.js sends only if `servername` is set.
    const isAddress = hostname.startsWith('[') || isIP(hostname) > 0;
    const tls = isAddress ? {} : { servername: hostname };
    this.client = new Redis(url, { ...options, ...(protocol === 'rediss:' && { tls }) });
    this.client.on('ready', () => void this.#probe());
    this.client.on('close', () => this.#lose('connection closed'));
    // Without a listener, ioredis would print the error with the address.
    this.client.on('error', (error) => this.#lose(reasonOf(error)));
    this.#probing = setInterval(() => {
      this.#limitReply();
      if (this.isAway) void this.#probe();
    }, probeEveryMs).unref();
  }

  /** Sends a command. Resolves with null if it fails or takes 100 ms, and at once while Redis is down. */
  async ask<T>(question: (client: Redis) => Promise<T>): Promise<T | null> {
    try {
      if (this.isAway) throw new Error('Redis is down');
      const answer = await inTime(question(this.client));
      // Logged after a command, not a probe: a Redis that is out of memory still answers probes.
      if (this.#isMissed) this.#log.info('Redis is up again');
      this.#isMissed = false;
      return answer;
    } catch (error) {
      this.#lose(reasonOf(error));
      this.#onFailure();
      return null;
    }
  }

  /** Resolves when Redis has answered or failed for the first time, or after a second. */
  async firstContact(): Promise<void> {
    const timer = setTimeout(() => this.#lose('no answer in time'), firstContactMs);
    await this.#contact.promise;
    clearTimeout(timer);
  }

  close(): void {
    // The connection is not reported as lost.
    this.#isMissed = true;
    clearInterval(this.#probing);
    this.client.disconnect();
  }

  #limitReply(): void {
    // Before, there may be no stream.
    if (this.client.status !== 'ready') return;
    const { bytesRead } = this.client.stream;
    if (this.isAway && bytesRead - this.#bytesRead > maxBytesWhileAway)
      this.client.disconnect(true);
    this.#bytesRead = bytesRead;
  }

  async #probe(): Promise<void> {
    try {
      // If Redis has no such database, commands would use database 0.
      const isUsable = this.#database > 0 ? this.client.select(this.#database) : this.client.ping();
      await inTime(isUsable);
      this.isAway = false;
      this.#contact.resolve(undefined);
    } catch (error) {
      // Redis counts as down until a probe succeeds. An error reply, such as NOAUTH, says why it cannot be used.
      if (error instanceof ReplyError) this.#lose(reasonOf(error));
    }
  }

  #lose(reason: string): void {
    this.isAway = true;
    if (this.#isMissed) return;
    this.#isMissed = true;
    this.#log.warn({ reason }, 'Redis is down: this process uses only its own memory');
    this.#contact.resolve(undefined);
  }
}

/** Rejects late answers. Unlike ioredis's `commandTimeout`, accepts those that reached a busy process in time. */
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

/** The reason to log, without messages of network errors and error replies: they can quote an address or arguments. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if ('code' in error && typeof error.code === 'string') return error.code;
  const [word = ''] = error.message.split(' ', 1);
  return (error.name === 'ReplyError' ? word : error.message).slice(0, maxReasonLength);
}

// Redis as a service that may be down: commands are skipped until it answers, and its connection is replaced.
import { RedisConnection } from './redis-connection.ts';
import { ErrorReply, type Reply } from './redis-reply.ts';

export interface StoreLog {
  warn(fields: { readonly reason: string }, message: string): void;
  info(message: string): void;
}

const answerTimeoutMs = 100;
const probeEveryMs = 500;
const firstContactMs = 1000;

/** A connection whose oldest command has waited for longer is replaced: it may be lost although no side closed it. */
const maxWaitMs = 2000;

/** The delays before the first, second, … attempt to connect again. */
const reconnectAfterMs = (attempts: number) => Math.min(attempts * 100, 2000);

/** The longest reason that is logged, in characters. */
const maxReasonLength = 64;

/** Skips commands at first, and after a failed command or lost connection, until Redis answers a probe. */
export class SharedRedis {
  readonly #url: URL;
  readonly #log: StoreLog;
  readonly #onFailure: () => void;
  readonly #probing: NodeJS.Timeout;
  readonly #contact = Promise.withResolvers<undefined>();
  #connection: RedisConnection;
  #reconnecting: NodeJS.Timeout | undefined;
  /** The number of connections that were lost since Redis last answered a probe. */
  #lost = 0;
  #isClosed = false;
  isAway = true;
  /** Whether the log says that Redis is down. */
  #isMissed = false;

  /** `url` is REDIS_URL. `onFailure` is called when a command fails or is skipped because Redis is down. */
  constructor(url: string, log: StoreLog, onFailure: () => void) {
    this.#url = new URL(url);
    this.#log = log;
    this.#onFailure = onFailure;
    this.#connection = this.#connect();
    this.#probing = setInterval(() => this.#look(), probeEveryMs).unref();
  }

  /** Sends a command. Resolves with null if it fails or takes 100 ms, and at once while Redis is down. */
  async ask(command: readonly string[]): Promise<Reply> {
    try {
      if (this.isAway) throw new Error('Redis is down');
      const reply = await inTime(this.#connection.send(command));
      // Logged after a command, not a probe: a Redis that is out of memory still answers probes.
      if (this.#isMissed) this.#log.info('Redis is up again');
      this.#isMissed = false;
      return reply;
    } catch (error) {
      this.#lose(error);
      this.#onFailure();
      return null;
    }
  }

  /** Resolves when Redis has answered or failed for the first time, or after a second. */
  async firstContact(): Promise<void> {
    const timer = setTimeout(() => this.#lose(new Error('no answer in time')), firstContactMs);
    await this.#contact.promise;
    clearTimeout(timer);
  }

  close(): void {
    this.#isClosed = true;
    // The connection is not reported as lost.
    this.#isMissed = true;
    clearInterval(this.#probing);
    clearTimeout(this.#reconnecting);
    this.#connection.close();
  }

  #connect(): RedisConnection {
    const connection = new RedisConnection(this.#url, (reason) => {
      this.#lose(reason);
      if (this.#isClosed) return;
      this.#lost += 1;
      const reconnect = () => (this.#connection = this.#connect());
      this.#reconnecting = setTimeout(reconnect, reconnectAfterMs(this.#lost)).unref();
    });
    connection.accepted.then(
      () => this.#probe(),
      // If Redis has no such database, commands would use database 0.
      (error: unknown) => connection.close(error instanceof Error ? error : undefined),
    );
    return connection;
  }

  #look(): void {
    const { waitedMs } = this.#connection;
    if (waitedMs > maxWaitMs) this.#connection.close(new Error('no answer in time'));
    else if (this.isAway && waitedMs === 0) void this.#probe();
  }

  async #probe(): Promise<void> {
    try {
      await inTime(this.#connection.send(['PING']));
      this.isAway = false;
      this.#lost = 0;
      this.#contact.resolve(undefined);
    } catch (error) {
      // Redis counts as down until a probe succeeds. An error reply, such as LOADING, says why it cannot be used.
      if (error instanceof ErrorReply) this.#lose(error);
    }
  }

  #lose(error: unknown): void {
    this.isAway = true;
    const reason = reasonOf(error);
    // After a failover, the old connection would still lead to the old master, which is now a replica.
    if (reason === 'READONLY') this.#connection.close();
    if (this.#isMissed) return;
    this.#isMissed = true;
    this.#log.warn({ reason }, 'Redis is down: this process uses only its own memory');
    this.#contact.resolve(undefined);
  }
}

/** Rejects late answers, but accepts those that reached a busy process in time. */
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

/** The reason to log, without messages of network errors: they can quote an address. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const reason = 'code' in error && typeof error.code === 'string' ? error.code : error.message;
  return reason.slice(0, maxReasonLength);
}

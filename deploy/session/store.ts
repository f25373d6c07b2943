// Where sessions are: Redis, which all replicas share, or the memory of one process for development and tests.
import { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';

export interface Store {
  /** The value, whose life is extended to `ttlSeconds`; null if there is none. */
  read(key: string, ttlSeconds: number): Promise<string | null>;
  write(key: string, value: string, ttlSeconds: number): Promise<void>;
  /** Writes only if the key still exists; returns whether it did. */
  replace(key: string, value: string, ttlSeconds: number): Promise<boolean>;
  delete(key: string): Promise<void>;
  addMember(set: string, member: string, ttlSeconds: number): Promise<void>;
  membersOf(set: string): Promise<string[]>;
  /** Takes a lock that ends by itself after `ttlMs`; false if it is taken. */
  lock(key: string, ttlMs: number): Promise<boolean>;
  close(): void;
}

/** Thrown if the store does not answer. */
export class StoreUnavailableError extends Error {}

const commandTimeoutMs = 1000;

export function createRedisStore(url: string): Store {
  const redis = new Redis(url, {
    commandTimeout: commandTimeoutMs,
    connectTimeout: commandTimeoutMs,
    // A command waits for the connection, at most commandTimeout.
    maxRetriesPerRequest: null,
    retryStrategy: (attempt) => Math.min(50 * attempt, 1000),
    keyPrefix: 'account-bff-session:',
  });
  // Each command reports its own failure.
  redis.on('error', () => undefined);
  const ask = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    try {
      return await answer;
    } catch (cause) {
      throw new StoreUnavailableError('Redis does not answer', { cause });
    }
  };
  return {
    read: (key, ttl) => ask(redis.getex(key, 'EX', ttl)),
    async write(key, value, ttl) {
      await ask(redis.set(key, value, 'EX', ttl));
    },
    replace: async (key, value, ttl) =>
      (await ask(redis.set(key, value, 'EX', ttl, 'XX'))) === 'OK',
    async delete(key) {
      await ask(redis.del(key));
    },
    async addMember(set, member, ttl) {
      await ask(redis.sadd(set, member));
      await ask(redis.expire(set, ttl));
    },
    membersOf: (set) => ask(redis.smembers(set)),
    lock: async (key, ttlMs) => (await ask(redis.set(key, '1', 'PX', ttlMs, 'NX'))) === 'OK',
    close: () => redis.disconnect(),
  };
}

/** At most this many sessions are in memory; then those end that were not used for the longest time. */
const maxEntries = 10_000;

export function createMemoryStore(): Store {
  const values = new LRUCache<string, string>({ max: maxEntries });
  const sets = new LRUCache<string, Set<string>>({ max: maxEntries });
  const options = (seconds: number) => ({ ttl: seconds * 1000 });
  return {
    read(key, ttl) {
      const value = values.get(key);
      if (value !== undefined) values.set(key, value, options(ttl));
      return Promise.resolve(value ?? null);
    },
    write(key, value, ttl) {
      values.set(key, value, options(ttl));
      return Promise.resolve();
    },
    replace(key, value, ttl) {
      const exists = values.has(key);
      if (exists) values.set(key, value, options(ttl));
      return Promise.resolve(exists);
    },
    delete(key) {
      values.delete(key);
      return Promise.resolve();
    },
    addMember(set, member, ttl) {
      sets.set(set, new Set([...(sets.get(set) ?? []), member]), options(ttl));
      return Promise.resolve();
    },
    membersOf: (set) => Promise.resolve([...(sets.get(set) ?? [])]),
    lock(key, ttlMs) {
      const isFree = !values.has(key);
      if (isFree) values.set(key, '1', { ttl: ttlMs });
      return Promise.resolve(isFree);
    },
    close: () => undefined,
  };
}

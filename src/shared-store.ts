// What replicas share: texts and counts in Redis if REDIS_URL is set, with this process's memory as cache and fallback.
import { LRUCache } from 'lru-cache';
import { SharedRedis, type SharedRedisSettings } from './shared-redis.ts';

export type { SharedRedis } from './shared-redis.ts';

/** The prefix of all keys in Redis; the number changes with the format. */
export const keyPrefix = 'account-bff:1';

export interface SharedStoreSettings extends Omit<SharedRedisSettings, 'url'> {
  /** REDIS_URL; null for memory only. */
  readonly url: string | null;
}

/**
 * Texts that never change once stored, so memory may answer first. No method rejects: while Redis is down, memory is
 * used alone.
 */
export interface SharedStore {
  /** The text under a key. A text from Redis must pass `isGenuine`, because others may write there. */
  get(key: string, isGenuine: (text: string) => boolean): Promise<string | undefined>;
  /** Stores a text in Redis for an hour, and in memory until it is evicted; ignores one that is too long. */
  set(key: string, text: string): Promise<void>;
  /** For counters; null without REDIS_URL. */
  readonly redis: SharedRedis | null;
  /** Disconnects from Redis at once. */
  close(): void;
}

/** In characters: more than a document of MAX_TOKENS usually has; memory holds at least 256 texts of this length. */
const maxTextLength = 32_768;
const maxTexts = 10_000;
const maxTextsLength = 8 * 1024 * 1024;

/**
 * Any client may register texts, and Redis keeps each until it expires: one process can make it hold at most 7200.
 * Ordinary clients have few texts; any others are kept in memory only.
 */
const keptSeconds = 3600;
const maxWritesPerMinute = 120;

/** Opens the store; waits for Redis for a second at most. */
export async function openSharedStore(settings: SharedStoreSettings): Promise<SharedStore> {
  const { url } = settings;
  const redis = url === null ? null : new SharedRedis({ ...settings, url });
  await redis?.firstContact();
  const memory = new LRUCache<string, string>({
    max: maxTexts,
    maxSize: maxTextsLength,
    sizeCalculation: (text, key) => text.length + key.length,
  });
  let writes = 0;
  const everyMinute = setInterval(() => (writes = 0), 60_000).unref();
  return {
    redis,
    async get(key, isGenuine) {
      const known = memory.get(key);
      if (known !== undefined || redis === null) return known;
      const text = await redis.ask((client) => client.get(key)).catch(() => null);
      if (text === null || !isGenuine(text)) return undefined;
      memory.set(key, text);
      return text;
    },
    async set(key, text) {
      if (text.length > maxTextLength) return;
      memory.set(key, text);
      writes += 1;
      if (redis === null || writes > maxWritesPerMinute) return;
      await redis.ask((client) => client.set(key, text, 'EX', keptSeconds)).catch(() => null);
    },
    close() {
      clearInterval(everyMinute);
      redis?.close();
    },
  };
}

// What replicas share: texts and counts in Redis where REDIS_URL is set, with this process's memory before and behind it.
import { LRUCache } from 'lru-cache';
import { SharedRedis, type SharedRedisSettings } from './shared-redis.ts';

export type { SharedRedis } from './shared-redis.ts';

/** Everything of this gateway's in Redis starts with this; the number changes with what is kept under it. */
export const keyPrefix = 'account-bff:1';

export interface SharedStoreSettings extends Omit<SharedRedisSettings, 'url'> {
  /** REDIS_URL; null for memory alone. */
  readonly url: string | null;
}

/**
 * Texts that never change once they are stored, so that memory may answer first. Nothing here rejects: while Redis is
 * away, memory is all there is.
 */
export interface SharedStore {
  /** The text under a key; what Redis says is taken only where `isGenuine`, as others may write there. */
  get(key: string, isGenuine: (text: string) => boolean): Promise<string | undefined>;
  /** Keeps a text for others for an hour, and here until there is no room for it; not one that is too long. */
  set(key: string, text: string): Promise<void>;
  /** For those who count there; null without REDIS_URL. */
  readonly redis: SharedRedis | null;
  /** Lets go of Redis at once, whatever it is doing. */
  close(): void;
}

/** In characters: more than a document of MAX_TOKENS usually has; memory holds at least 256 of the longest. */
const maxTextLength = 32_768;
const maxTexts = 10_000;
const maxTextsLength = 8 * 1024 * 1024;

/**
 * Anybody may have texts kept, and Redis drops none before its time: with these two, one process cannot make it hold
 * more than 7200 of them. The texts of usual clients are few, and those that exceed this are kept in memory alone.
 */
const keptSeconds = 3600;
const maxWritesPerMinute = 120;

/** Opens the store; waits for Redis a moment, but not longer. */
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

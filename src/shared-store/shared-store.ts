// Operation texts and counts, shared by replicas in Redis. Without Redis, each process uses its own memory.
import { LRUCache } from 'lru-cache';
import { SharedRedis, type StoreLog } from './shared-redis.ts';

/** The prefix of all keys in Redis; the number is the version of the format. */
export const keyPrefix = 'account-bff:1';

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
      const text = await redis.ask(['GET', key]);
      if (typeof text !== 'string' || !isGenuine(text)) return undefined;
      memory.set(key, text);
      return text;
    },
    async set(key: string, text: string): Promise<void> {
      if (text.length > maxTextLength) return;
      memory.set(key, text);
      writes += 1;
      if (redis === null || writes > maxWritesPerMinute) return;
      await redis.ask(['SET', key, text, 'EX', String(keptSeconds)]);
    },
    close(): void {
      clearInterval(everyMinute);
      redis?.close();
    },
  };
}

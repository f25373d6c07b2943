// The rate limit per token, counted across all replicas if they share Redis (docs/limits.md).
import { LRUCache } from 'lru-cache';
import { GatewayError } from '../errors.ts';
import { keyPrefix, type SharedStore } from '../shared-store/shared-store.ts';

/** Counts an operation of a token. Returns null if no wait is needed; rejects with RATE_LIMITED. */
export type RateLimit = (tokenKey: string) => Promise<void> | null;

const windowMs = 60_000;

/** The largest number of tokens with a count in memory. Without Redis, an evicted token begins a new minute. */
const maxWindows = 50_000;

/** Adds one to the count of a window, and returns the count and the milliseconds until the window ends. */
const countScript = `
  local count = redis.call('INCRBY', KEYS[1], 1)
  if count == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
  return { count, redis.call('PTTL', KEYS[1]) }`;

interface Window {
  count: number;
  endsAtMs: number;
}

/** Creates the limit; null if `perMinute` is 0. Only operations with accepted tokens may be counted. */
export function createRateLimit(
  perMinute: number,
  { redis }: Pick<SharedStore, 'redis'>,
  now: () => number,
): RateLimit | null {
  if (perMinute === 0) return null;
  const windows = new LRUCache<string, Window>({ max: maxWindows });

  function windowOf(tokenKey: string): Window {
    const known = windows.get(tokenKey);
    const leftMs = known === undefined ? 0 : known.endsAtMs - now();
    // More than a minute is left only if the clock was set back.
    if (known !== undefined && leftMs > 0 && leftMs <= windowMs) return known;
    const opened = { count: 0, endsAtMs: now() + windowMs };
    windows.set(tokenKey, opened);
    return opened;
  }

  function spend(window: Window): Promise<void> | null {
    if (window.count++ < perMinute) return null;
    const retryAfter = Math.max(1, Math.ceil((window.endsAtMs - now()) / 1000));
    return Promise.reject(new GatewayError('RATE_LIMITED', { retryAfter }));
  }

  if (redis === null) return (tokenKey) => spend(windowOf(tokenKey));
  return async (tokenKey) => {
    const window = windowOf(tokenKey);
    // A token that has used up its limit is rejected until its minute ends, without asking Redis again.
    if (window.count < perMinute) {
      const key = `${keyPrefix}:rate:${tokenKey}`;
      const askedMs = now();
      const counted = await redis.ask(['EVAL', countScript, '1', key, String(windowMs / 1000)]);
      // Without Redis, or if the reply is not that of the script, each process counts for itself.
      const [count, leftMs] = Array.isArray(counted) ? counted : [];
      const isWithinWindow = typeof leftMs === 'number' && leftMs > 0 && leftMs <= windowMs;
      // A lower count is that of a Redis that has lost the earlier one.
      if (typeof count === 'number' && isWithinWindow && count > window.count) {
        window.count = count - 1;
        window.endsAtMs = askedMs + leftMs;
      }
    }
    await spend(window);
  };
}

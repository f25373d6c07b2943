// The rate limit of a token, counted by all replicas together (docs/limits.md).
import { LRUCache } from 'lru-cache';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { GatewayError } from '../../errors.ts';
import type { RateLimit } from '../../identity/caller.ts';
import { keyPrefix, type SharedStore } from '../../shared-store.ts';

export interface RateLimitSettings {
  /** RATE_LIMIT_PER_MINUTE; 0 for no limit. */
  readonly perMinute: number;
  readonly store: Pick<SharedStore, 'redis'>;
  /** Epoch milliseconds; Redis uses its own clock. */
  readonly now: () => number;
}

/**
 * The limit; null if there is none. A minute begins with its first operation. Call it for accepted tokens only: a rejected
 * token must not open a budget, nor use up another token's.
 */
export function createRateLimit({ perMinute, store, now }: RateLimitSettings): RateLimit | null {
  if (perMinute === 0) return null;
  const local = localCounter(perMinute, now);
  const { redis } = store;
  if (redis === null) {
    return (tokenKey) => {
      const waitMs = local(tokenKey);
      return waitMs === 0 ? null : Promise.reject(rateLimited(waitMs));
    };
  }
  const limiter = new RateLimiterRedis({
    storeClient: redis.client,
    keyPrefix: `${keyPrefix}:rate`,
    points: perMinute,
    duration: windowMs / 1000,
    // A token whose budget is used up is rejected without asking Redis again.
    inMemoryBlockOnConsumed: perMinute,
  });
  return async (tokenKey) => {
    // While Redis is down, each process counts for itself.
    const waitMs = await redis.ask(() => consume(limiter, tokenKey)).catch(() => local(tokenKey));
    if (waitMs > 0) throw rateLimited(waitMs);
  };
}

function rateLimited(waitMs: number): GatewayError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new GatewayError('RATE_LIMITED', { retryAfterSeconds });
}

const windowMs = 60_000;

/** Tokens that one process counts; a token evicted by more recent ones begins a new minute. */
const maxWindows = 50_000;

/**
 * Counts an operation in this process; 0 if it is allowed, otherwise the milliseconds until the next one is. The
 * library's in-memory limiter has no bound, and a timer for each key.
 */
function localCounter(perMinute: number, now: () => number): (tokenKey: string) => number {
  const windows = new LRUCache<string, { count: number; readonly endsAtMs: number }>({
    max: maxWindows,
  });
  return (tokenKey) => {
    const open = windows.get(tokenKey);
    const waitMs = open === undefined ? 0 : open.endsAtMs - now();
    // More than a minute: the clock was set back.
    if (open === undefined || waitMs <= 0 || waitMs > windowMs) {
      windows.set(tokenKey, { count: 1, endsAtMs: now() + windowMs });
      return 0;
    }
    open.count += 1;
    return open.count > perMinute ? waitMs : 0;
  };
}

/** The same in Redis. The library rejects with a result if the budget is used up, and with an error if Redis failed. */
async function consume(limiter: RateLimiterRedis, tokenKey: string): Promise<number> {
  try {
    await limiter.consume(tokenKey);
    return 0;
  } catch (outcome) {
    if (outcome instanceof RateLimiterRes) return Math.max(1, outcome.msBeforeNext);
    throw outcome;
  }
}

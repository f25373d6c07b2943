// How many operations a token may ask for in a minute, counted once by all replicas (docs/limits.md).
import { LRUCache } from 'lru-cache';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { GatewayError } from '../../errors.ts';
import { keyPrefix, type SharedRedis, type SharedStore } from '../../shared-store.ts';

/**
 * Takes one operation out of a token's budget, null if that was done at once; rejects with RATE_LIMITED and the time
 * of the next one if nothing is left. `tokenKey` is a hash of the token.
 */
export type RateLimit = (tokenKey: string) => Promise<void> | null;

export interface RateLimitSettings {
  /** RATE_LIMIT_PER_MINUTE; 0 for no limit. */
  readonly perMinute: number;
  readonly store: Pick<SharedStore, 'redis'>;
  /** Epoch milliseconds; Redis goes by its own clock. */
  readonly now: () => number;
}

/**
 * The limit, null if there is none. A minute begins with its first operation. To be called for tokens that were found good:
 * a token that was refused opens no budget, and to use up a budget takes its very token.
 */
export function createRateLimit({ perMinute, store, now }: RateLimitSettings): RateLimit | null {
  if (perMinute === 0) return null;
  const local = localCounter(perMinute, now);
  const count = store.redis === null ? local : sharedCounter(perMinute, store.redis, local);
  return (tokenKey) => {
    const waitMs = count(tokenKey);
    return waitMs === 0 ? null : checkWait(waitMs);
  };
}

async function checkWait(counted: number | Promise<number>): Promise<void> {
  const waitMs = await counted;
  if (waitMs === 0) return;
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  throw new GatewayError('RATE_LIMITED', { retryAfterSeconds });
}

const windowMs = 60_000;

/** Counts an operation; gives the milliseconds until the next one is welcome, 0 where this one is. */
type Counter = (tokenKey: string) => number | Promise<number>;

/** Tokens that one process counts for; one that is forgotten, as more of them come, begins a new minute. */
const maxWindows = 50_000;

/** In this process alone. The library's own has no bound, and a timer for each key. */
function localCounter(perMinute: number, now: () => number): Counter {
  const windows = new LRUCache<string, { count: number; readonly endsAtMs: number }>({
    max: maxWindows,
  });
  return (tokenKey) => {
    const open = windows.get(tokenKey);
    const waitMs = open === undefined ? 0 : open.endsAtMs - now();
    // More than a whole minute: the clock was set back.
    if (open === undefined || waitMs <= 0 || waitMs > windowMs) {
      windows.set(tokenKey, { count: 1, endsAtMs: now() + windowMs });
      return 0;
    }
    open.count += 1;
    return open.count > perMinute ? waitMs : 0;
  };
}

/** In Redis, for all replicas; in this process while Redis is away, so that nobody is kept out by that. */
function sharedCounter(perMinute: number, redis: SharedRedis, local: Counter): Counter {
  const limiter = new RateLimiterRedis({
    storeClient: redis.client,
    keyPrefix: `${keyPrefix}:rate`,
    points: perMinute,
    duration: windowMs / 1000,
    // A token that has used it up is refused without asking Redis again.
    inMemoryBlockOnConsumed: perMinute,
  });
  return async (tokenKey) => {
    try {
      return await redis.ask(() => consume(limiter, tokenKey));
    } catch {
      return local(tokenKey);
    }
  };
}

/** The library rejects with its answer where the budget is used up, and with an error where Redis failed. */
async function consume(limiter: RateLimiterRedis, tokenKey: string): Promise<number> {
  try {
    await limiter.consume(tokenKey);
    return 0;
  } catch (outcome) {
    if (outcome instanceof RateLimiterRes) return Math.max(1, outcome.msBeforeNext);
    throw outcome;
  }
}

// How many operations a caller may ask for in a minute, counted once by all replicas (docs/limits.md).
import { LRUCache } from 'lru-cache';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { GatewayError } from '../errors.ts';
import { keyPrefix, type SharedRedis, type SharedStore } from '../shared-store.ts';

/**
 * Takes one operation out of a caller's budget; rejects with RATE_LIMITED where nothing is left of it, and says when
 * there will be. `callerKey` is `Caller.key`.
 */
export type RateLimit = (callerKey: string) => Promise<void>;

export interface RateLimitSettings {
  /** RATE_LIMIT_PER_MINUTE; 0 for no limit. */
  readonly perMinute: number;
  readonly store: Pick<SharedStore, 'redis'>;
  /** Epoch milliseconds; Redis goes by its own clock. */
  readonly now: () => number;
}

/**
 * The limit, null where there is none. A minute begins with its first operation. It is for callers that were admitted:
 * a token that was refused opens no budget, and to use up somebody's budget takes the very token and tenant.
 */
export function createRateLimit({ perMinute, store, now }: RateLimitSettings): RateLimit | null {
  if (perMinute === 0) return null;
  const local = localCounter(perMinute, now);
  const count = store.redis === null ? local : sharedCounter(perMinute, store.redis, local);
  return async (callerKey) => {
    const waitMs = await count(callerKey);
    if (waitMs === 0) return;
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    throw new GatewayError('RATE_LIMITED', { retryAfterSeconds });
  };
}

const windowMs = 60_000;

/** Counts an operation; gives the milliseconds until the next one is welcome, 0 where this one is. */
type Counter = (callerKey: string) => number | Promise<number>;

/** Callers that one process counts for; whoever is forgotten as more of them come begins a new minute. */
const maxWindows = 50_000;

/** In this process alone. The library's own has no bound, and a timer for each caller. */
function localCounter(perMinute: number, now: () => number): Counter {
  const windows = new LRUCache<string, { count: number; readonly endsAtMs: number }>({
    max: maxWindows,
  });
  return (callerKey) => {
    const open = windows.get(callerKey);
    const waitMs = open === undefined ? 0 : open.endsAtMs - now();
    // More than a whole minute: the clock was set back.
    if (open === undefined || waitMs <= 0 || waitMs > windowMs) {
      windows.set(callerKey, { count: 1, endsAtMs: now() + windowMs });
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
    // Who has used it up is refused without asking Redis again.
    inMemoryBlockOnConsumed: perMinute,
  });
  return async (callerKey) => {
    try {
      return await redis.ask(() => consume(limiter, callerKey));
    } catch {
      return local(callerKey);
    }
  };
}

/** The library rejects with its answer where the budget is used up, and with an error where Redis failed. */
async function consume(limiter: RateLimiterRedis, callerKey: string): Promise<number> {
  try {
    await limiter.consume(callerKey);
    return 0;
  } catch (outcome) {
    if (outcome instanceof RateLimiterRes) return Math.max(1, outcome.msBeforeNext);
    throw outcome;
  }
}

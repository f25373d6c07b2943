// The rate limit per token, counted across all replicas if they share Redis (docs/limits.md).
import { LRUCache } from 'lru-cache';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { GatewayError } from '../../errors.ts';
import type { RateLimit } from '../../identity/caller.ts';
import { keyPrefix, type SharedStore } from '../../shared-store.ts';

/** Returns null if `perMinute` is 0. The limit is for accepted tokens: rejected tokens must not use up a budget. */
export function createRateLimit(
  perMinute: number,
  { redis }: Pick<SharedStore, 'redis'>,
  now: () => number,
): RateLimit | null {
  if (perMinute === 0) return null;
  const local = localCounter(perMinute, now);
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
    // Until its minute ends, a token without budget is rejected without asking Redis again.
    inMemoryBlockOnConsumed: perMinute,
  });
  return async (tokenKey) => {
    // If Redis fails or is down, each process counts for itself.
    const waitMs = await redis.ask(() => consume(limiter, tokenKey)).catch(() => local(tokenKey));
    if (waitMs > 0) throw rateLimited(waitMs);
  };
}

function rateLimited(waitMs: number): GatewayError {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new GatewayError('RATE_LIMITED', { retryAfterSeconds });
}

const windowMs = 60_000;

/** The largest number of tokens for which one process keeps counts. A token that is evicted begins a new minute. */
const maxWindows = 50_000;

/** Counts in memory, in limited space: the in-memory limiter of rate-limiter-flexible can grow without limit. */
function localCounter(perMinute: number, now: () => number): (tokenKey: string) => number {
  const windows = new LRUCache<string, { count: number; readonly endsAtMs: number }>({
    max: maxWindows,
  });
  return (tokenKey) => {
    const open = windows.get(tokenKey);
    const waitMs = open === undefined ? 0 : open.endsAtMs - now();
    // A wait of more than a minute means that the clock was set back.
    if (open === undefined || waitMs <= 0 || waitMs > windowMs) {
      windows.set(tokenKey, { count: 1, endsAtMs: now() + windowMs });
      return 0;
    }
    open.count += 1;
    return open.count > perMinute ? waitMs : 0;
  };
}

/** Resolves with the wait in milliseconds, 0 if the operation is allowed; rejects with an error if Redis fails. */
async function consume(limiter: RateLimiterRedis, tokenKey: string): Promise<number> {
  try {
    await limiter.consume(tokenKey);
    return 0;
  } catch (outcome) {
    if (outcome instanceof RateLimiterRes) return Math.max(1, outcome.msBeforeNext);
    throw outcome;
  }
}

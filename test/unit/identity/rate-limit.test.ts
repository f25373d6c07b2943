// The rate limit, tested without a gateway: when it is off, its Retry-After, and how many callers it counts.
import { expect, test } from 'vitest';
import { createRateLimit } from '../../../src/identity/rate-limit.ts';
import type { SharedStore } from '../../../src/shared-store/shared-store.ts';

const store = { redis: null };

test('createRateLimit returns null if the limit is 0', () => {
  expect(createRateLimit(0, store, Date.now)).toBeNull();
});

test('the Retry-After of the rate limit is in whole seconds, at least one', async () => {
  const clock = { ms: 1_000_000 };
  const limit = createRateLimit(1, store, () => clock.ms);
  await limit?.('caller');
  for (const [passedMs, retryAfter] of [
    [0, 60],
    [1, 60],
    [1000, 59],
    [59_999, 1],
  ] as const) {
    clock.ms = 1_000_000 + passedMs;
    await expect(limit?.('caller')).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      extensions: { retryAfter },
    });
  }
});

test('the rate limit counts the requests of the 50,000 most recent callers', async () => {
  const limit = createRateLimit(1, store, () => 0);
  await limit?.('early');
  for (let n = 0; n < 49_999; n++) await limit?.(`caller ${n}`);
  await expect(limit?.('early')).rejects.toThrow();
  await limit?.('one more');
  await expect(limit?.('early')).rejects.toThrow();
  expect(await limit?.('caller 0')).toBeNull();
});

/** A Redis whose command returns these counts, and the number of commands that it has received. */
function redisOf(counts: readonly number[]) {
  let asked = 0;
  const ask = () => Promise.resolve([counts[asked++], 60_000]);
  return { redis: { ask } as unknown as SharedStore['redis'], asked: () => asked };
}

test('a token that has used up its limit is rejected without asking Redis', async () => {
  const { redis, asked } = redisOf([1, 2]);
  const limit = createRateLimit(2, { redis }, () => 0);
  await limit?.('caller');
  await limit?.('caller');
  for (let n = 0; n < 2; n++) await expect(limit?.('caller')).rejects.toThrow();
  expect(asked()).toBe(2);
});

test('a Redis that loses its counts does not raise the limit', async () => {
  const { redis } = redisOf([1, 1, 1]);
  const limit = createRateLimit(2, { redis }, () => 0);
  await limit?.('caller');
  await limit?.('caller');
  await expect(limit?.('caller')).rejects.toThrow();
});

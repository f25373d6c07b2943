// The rate limit by itself: what it costs to have none, and how much it remembers.
import { expect, test } from 'vitest';
import { createRateLimit } from '../../../src/http/admission/rate-limit.ts';

const store = { redis: null };

test('without a limit there is no counter', () => {
  expect(createRateLimit({ perMinute: 0, store, now: Date.now })).toBeNull();
});

test('Retry-After is in whole seconds, at least one', async () => {
  const clock = { ms: 1_000_000 };
  const limit = createRateLimit({ perMinute: 1, store, now: () => clock.ms });
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

test('the number of callers is bounded; the least recent ones are forgotten', async () => {
  const limit = createRateLimit({ perMinute: 1, store, now: () => 0 });
  await limit?.('early');
  for (let n = 0; n < 49_999; n++) await limit?.(`caller ${n}`);
  await expect(limit?.('early')).rejects.toThrow();
  await limit?.('one more');
  await expect(limit?.('early')).rejects.toThrow();
  expect(await limit?.('caller 0')).toBeNull();
});

// Which failures are retried, how often, after which pause, and how many in total.
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { connectionFailure, statusFailure } from '../../../src/upstream/exchange/failure.ts';
import {
  RetryBudget,
  type FailedTry,
  pauseBeforeRetry,
  type RetryPolicy,
} from '../../../src/upstream/exchange/retry.ts';

const lost = connectionFailure(new Error('reset'));
const status = (code: number, retryAfter?: string) =>
  statusFailure(code, retryAfter, 'NOT_FOUND', 0);

function pauseAfter(failed: Partial<FailedTry>, policy: Partial<RetryPolicy> = {}): number | null {
  return pauseBeforeRetry(
    { error: lost, tries: 1, elapsedMs: 0, ...failed },
    { retries: 1, timeoutMs: 5000, random: () => 0.5, budget: new RetryBudget(), ...policy },
  );
}

describe('a retry', () => {
  it.each([lost, status(502), status(503)])('is made after the failure "%s"', (error) => {
    expect(pauseAfter({ error })).toBe(50);
  });

  it.each([
    ...[
      status(429, '0'),
      status(504),
      status(500),
      status(404),
      status(201),
      new GatewayError('UPSTREAM_TIMEOUT'),
    ],
    new GatewayError('UPSTREAM_CONTRACT_VIOLATION'),
  ])('is not made after the failure "%s"', (error) => {
    expect(pauseAfter({ error })).toBeNull();
  });

  it.each([0, 1, 3])('is made at most $0 time(s) if UPSTREAM_RETRIES is $0', (retries) => {
    const pauses = [1, 2, 3, 4].map((tries) => pauseAfter({ tries }, { retries }));
    expect(pauses).toEqual([50, 100, 200, 400].map((ms, at) => (at < retries ? ms : null)));
  });

  it.each([
    [0, 0],
    [0.999, 99.9],
  ])('is made after a pause of $1 ms if the random number is $0', (chance, ms) => {
    expect(pauseAfter({}, { random: () => chance })).toBeCloseTo(ms);
  });

  it('waits at least as long as Retry-After demands', () => {
    expect(pauseAfter({ error: status(503, '2') })).toBe(2050);
  });

  it('is not made if it would start after the timeout of the call', () => {
    expect(pauseAfter({ error: status(503, '5') })).toBeNull();
    expect(pauseAfter({ elapsedMs: 4960 })).toBeNull();
    expect(pauseAfter({ elapsedMs: 4940 })).toBe(50);
  });
});

describe('the retry budget', () => {
  /** The total attempts of calls that all fail. */
  function outage(calls: number, budget = new RetryBudget()): number {
    let tries = 0;
    for (let call = 0; call < calls; call++) {
      budget.earn();
      tries += pauseAfter({}, { budget }) === null ? 1 : 2;
    }
    return tries;
  }

  it('starts with ten retries, and is not spent on calls that are not retried', () => {
    const budget = new RetryBudget();
    expect(Array.from({ length: 12 }, () => budget.spend()).indexOf(false)).toBe(10);
    const untouched = new RetryBudget();
    for (let i = 0; i < 1000; i++)
      expect(pauseAfter({ tries: 2 }, { budget: untouched })).toBeNull();
    expect(untouched.spend()).toBe(true);
  });

  it('grows by one retry for every ten calls, up to its initial size', () => {
    const budget = new RetryBudget();
    while (budget.spend());
    for (let i = 0; i < 9; i++) budget.earn();
    expect(budget.spend()).toBe(false);
    budget.earn();
    expect(budget.spend()).toBe(true);
    for (let i = 0; i < 100_000; i++) budget.earn();
    expect(Array.from({ length: 12 }, () => budget.spend()).indexOf(false)).toBe(10);
  });

  it.each([100, 1000, 100_000])(
    'limits the attempts of %i failing calls to 1.2 times as many',
    (calls) => {
      expect(outage(calls) / calls).toBeLessThanOrEqual(1.2);
      expect(outage(calls) / calls).toBeGreaterThan(1.09);
    },
  );
});

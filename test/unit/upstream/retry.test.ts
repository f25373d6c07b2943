// Which failures are retried, how many times and after which pause, and how many retries are allowed in total.
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { connectionFailure, UpstreamStatusError } from '../../../src/upstream/exchange/failure.ts';
import { Retries } from '../../../src/upstream/exchange/retry.ts';

const lost = connectionFailure(new Error('reset'));
const status = (code: number, retryAfter?: string) =>
  new UpstreamStatusError(code, retryAfter, 'NOT_FOUND', 0);

interface Case {
  readonly error?: GatewayError;
  readonly tries?: number;
  readonly leftMs?: number;
  readonly max?: number;
  readonly random?: () => number;
  readonly retries?: Retries;
}

const retriesOf = (max = 1, random = () => 0.5) => new Retries({ retries: max, random });

function pauseAfter(one: Case): number | null {
  const { error = lost, tries = 1, leftMs = 5000, retries = retriesOf(one.max, one.random) } = one;
  return retries.pauseAfter(error, tries, leftMs);
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

  it.each([0, 1, 3])('is made at most $0 time(s) if UPSTREAM_RETRIES is $0', (max) => {
    const pauses = [1, 2, 3, 4].map((tries) => pauseAfter({ tries, max }));
    expect(pauses).toEqual([50, 100, 200, 400].map((ms, at) => (at < max ? ms : null)));
  });

  it.each([
    [0, 0],
    [0.999, 99.9],
  ])('is made after a pause of $1 ms if the random number is $0', (chance, ms) => {
    expect(pauseAfter({ random: () => chance })).toBeCloseTo(ms);
  });

  it('waits at least as long as Retry-After demands', () => {
    expect(pauseAfter({ error: status(503, '2') })).toBe(2050);
  });

  it('is not made if no time is left for its start', () => {
    expect(pauseAfter({ error: status(503, '5') })).toBeNull();
    expect(pauseAfter({ leftMs: 50 })).toBeNull();
    expect(pauseAfter({ leftMs: 51 })).toBe(50);
  });
});

describe('the retry budget', () => {
  /** Spends one retry. Returns whether the budget had one left. */
  const spend = (retries: Retries) => pauseAfter({ retries }) !== null;

  function outage(calls: number, retries = retriesOf()): number {
    let tries = 0;
    for (let call = 0; call < calls; call++) {
      retries.earn();
      tries += pauseAfter({ retries }) === null ? 1 : 2;
    }
    return tries;
  }

  it('starts with ten retries, and is not spent on calls that are not retried', () => {
    const retries = retriesOf();
    expect(Array.from({ length: 12 }, () => spend(retries)).indexOf(false)).toBe(10);
    const untouched = retriesOf();
    for (let i = 0; i < 1000; i++) expect(pauseAfter({ tries: 2, retries: untouched })).toBeNull();
    expect(spend(untouched)).toBe(true);
  });

  it('grows by one retry for every ten calls, up to its initial size', () => {
    const retries = retriesOf();
    while (spend(retries));
    for (let i = 0; i < 9; i++) retries.earn();
    expect(spend(retries)).toBe(false);
    retries.earn();
    expect(spend(retries)).toBe(true);
    for (let i = 0; i < 100_000; i++) retries.earn();
    expect(Array.from({ length: 12 }, () => spend(retries)).indexOf(false)).toBe(10);
  });

  it.each([100, 1000, 100_000])(
    'limits %i failing calls to 1.2 attempts per call on average',
    (calls) => {
      expect(outage(calls) / calls).toBeLessThanOrEqual(1.2);
      expect(outage(calls) / calls).toBeGreaterThan(1.09);
    },
  );
});

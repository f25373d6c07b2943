// Which failures are tried again, how often, and when it is too late for it.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { connectionFailure, statusFailure, timeoutFailure } from '../../../src/upstream/failure.ts';
import { type RetryPolicy, withRetries } from '../../../src/upstream/retry.ts';

const lost = () => connectionFailure(new Error('reset'));
const status = (code: number, retryAfter?: string) =>
  statusFailure(code, retryAfter, 'NOT_FOUND', Date.now());

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface Outcome {
  /** What came of it, in the end. */
  readonly result: unknown;
  /** When each try began, in ms since the first. */
  readonly at: readonly number[];
}

/** Runs tries that take `tookMs` each and fail with these in turn, then succeed. */
async function run(
  failures: readonly unknown[],
  changes: Partial<RetryPolicy> & { tookMs?: number; signal?: AbortSignal } = {},
): Promise<Outcome> {
  const { tookMs = 0, signal = new AbortController().signal, ...policy } = changes;
  const start = Date.now();
  const at: number[] = [];
  const attempt = async () => {
    at.push(Date.now() - start);
    await new Promise((resolve) => setTimeout(resolve, tookMs));
    if (at.length <= failures.length) throw failures[at.length - 1];
    return 'text';
  };
  const settled = withRetries(attempt, signal, {
    ...{ retries: 1, timeoutMs: 5000, random: () => 0.5, now: () => Date.now() },
    onRetry: () => undefined,
    ...policy,
  }).catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  return { result: await settled, at };
}

describe('withRetries', () => {
  it('tries once where nothing fails', async () => {
    expect(await run([])).toEqual({ result: 'text', at: [0] });
  });

  it.each([lost(), status(502), status(503)])('tries again after %s', async (failure) => {
    const onRetry = vi.fn();
    expect(await run([failure], { onRetry })).toEqual({ result: 'text', at: [0, 50] });
    expect(onRetry.mock.calls).toEqual([[failure]]);
  });

  it.each([
    ...[status(429, '0'), status(504), status(500), status(404), status(201)],
    ...[timeoutFailure(), new GatewayError('UPSTREAM_CONTRACT_VIOLATION'), new Error('a defect')],
  ])('gives up at once after %s', async (failure) => {
    expect(await run([failure])).toEqual({ result: failure, at: [0] });
  });

  it.each([0, 1, 3])('tries %i times more, and throws the last failure', async (retries) => {
    const failures = [lost(), status(502), status(503), lost()];
    const { result, at } = await run(failures, { retries });
    expect(result).toBe(failures[retries]);
    expect(at).toEqual([0, 50, 150, 350].slice(0, retries + 1));
  });

  it.each([
    [0, 0],
    [0.999, 99],
  ])('pauses by chance: %d of the longest pause is %i ms', async (chance, ms) => {
    const { at } = await run([lost()], { random: () => chance });
    expect(at).toEqual([0, ms]);
  });

  it('waits as long as the service asks', async () => {
    expect(await run([status(503, '2')])).toEqual({ result: 'text', at: [0, 2050] });
  });

  it('does not wait past the deadline of an exchange', async () => {
    const failure = status(503, '5');
    expect(await run([failure])).toEqual({ result: failure, at: [0] });
    const late = lost();
    expect(await run([late], { tookMs: 4960 })).toEqual({ result: late, at: [0] });
    expect((await run([late], { tookMs: 4940 })).at).toEqual([0, 4990]);
  });

  it('ends with the signal while it pauses', async () => {
    const controller = new AbortController();
    const reason = new GatewayError('UPSTREAM_TIMEOUT');
    setTimeout(() => controller.abort(reason), 20);
    const { result, at } = await run([lost()], { signal: controller.signal });
    expect(result).toBe(reason);
    expect(at).toEqual([0]);
  });

  it('does not try again once the signal is aborted', async () => {
    const failure = lost();
    expect(await run([failure], { signal: AbortSignal.abort() })).toEqual({
      result: failure,
      at: [0],
    });
  });
});

// Checks for bad requests: each is refused without a call to the bank, the gateway serves the next client, and memory
// stays bounded.
import { afterAll, beforeAll, expect, vi } from 'vitest';
import type { Bank } from '../../src/sandbox/bank-script.ts';
import { retainedBytes } from './memory.ts';
import { type Answer, codesOf, query } from './query.ts';

/** The expected answer to a bad request. */
export interface Refused {
  readonly status: number;
  readonly code: string;
}

/**
 * The longest time that a refusal may take. It is enough for a busy machine, and shorter than the timeout of a head: a
 * refusal waits for nothing.
 */
const maxRefusalMs = 8000;

/** Headers that replace those of the default caller, the bank's first holder. */
type GoodHeaders = Readonly<Record<string, string>>;

/**
 * Expects this refusal of a bad request, without a call to the bank, and returns the answer. `good` has the headers of
 * the next client.
 */
export async function expectRefusal(
  gateway: Attacked,
  { status, code }: Refused,
  send: () => Promise<Answer>,
  good?: GoodHeaders,
): Promise<Answer> {
  gateway.bank.resetCalls();
  const startedAt = performance.now();
  const answer = await send();
  expect(performance.now() - startedAt, 'milliseconds that it took').toBeLessThan(maxRefusalMs);
  expect([answer.status, [...new Set(codesOf(answer))]], answer.text).toEqual([status, [code]]);
  expect(answer.data).toBeUndefined();
  expectSafeHeaders(answer);
  expect(gateway.bank.calls(), 'calls at the bank').toEqual([]);
  await expectServing(gateway, good);
  return answer;
}

/** Expects the headers that every answer must have, including refusals. */
export function expectSafeHeaders({ headers }: Pick<Answer, 'headers'>): void {
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('vary')).toBe('accept, authorization, origin, x-tenant-id');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('x-powered-by')).toBeNull();
  expect(headers.get('server')).toBeNull();
}

interface Attacked {
  readonly url: string;
  readonly bank: Bank;
}

/** Expects that the gateway answers a good query with one call to the bank. */
export async function expectServing(gateway: Attacked, good: GoodHeaders = {}): Promise<void> {
  gateway.bank.resetCalls();
  const answer = await query(gateway, '{ accounts { id } }', { headers: good });
  expect(answer.errors).toBeUndefined();
  expect(answer.data?.['accounts']).toHaveLength(4);
  expect(gateway.bank.calls()).toHaveLength(1);
}

/**
 * The maximum growth of memory due to the attacks of one file: of the memory that remains in use, and by default of the
 * peak.
 */
const maxLeftBytes = 32 * 1_048_576;
const usuallyTakenBytes = 512 * 1_048_576;

/** Expects, after the tests of a file, that memory has grown less than these limits. */
export function boundMemory(maxTakenBytes = usuallyTakenBytes): void {
  const peak = () => process.resourceUsage().maxRSS * 1024;
  let [leftBefore, peakBefore] = [0, 0];
  beforeAll(() => {
    [leftBefore, peakBefore] = [retainedBytes(), peak()];
  });
  afterAll(async () => {
    expect(peak() - peakBefore, 'bytes taken').toBeLessThan(maxTakenBytes);
    // Connections that were closed by force hold their data for a moment.
    const left = () => expect(retainedBytes() - leftBefore, 'bytes').toBeLessThan(maxLeftBytes);
    await vi.waitFor(left, { timeout: 10_000, interval: 500 });
  });
}

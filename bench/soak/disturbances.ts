// The disturbances of the soak test: a service that fails occasionally or completely, rotated keys, and restarts of
// Redis.
import type { Bank } from '../../src/sandbox/bank-script.ts';
import type { FaultKind } from '../../src/sandbox/faults/faults.ts';
import type { KeyServer } from '../../test/support/key-server.ts';
import type { TestRedis } from '../../test/support/redis.ts';
import type { Issuer } from './callers.ts';
import { pause } from './load.ts';

/** The occasional faults of the bank, each with a probability of 1 in `oneIn` per request. */
const faults: readonly (readonly [FaultKind, oneIn: number])[] = [
  [{ kind: 'status', status: 503 }, 100],
  [{ kind: 'status', status: 500 }, 200],
  [{ kind: 'status', status: 429, retryAfter: 1 }, 200],
  [{ kind: 'status', status: 404 }, 200],
  [{ kind: 'reset' }, 100],
  [{ kind: 'cutBody' }, 200],
  [{ kind: 'hang' }, 200],
  [{ kind: 'hang', afterHalf: true }, 400],
  [{ kind: 'drip', bytes: 200, everyMs: 5 }, 200],
  [{ kind: 'delay', delayMs: 300 }, 100],
  [{ kind: 'html' }, 200],
  [{ kind: 'brokenJson' }, 200],
  [{ kind: 'wrongShape', pointer: '/data/0/amount', value: 'text' }, 100],
  [{ kind: 'wrongShape', pointer: '/pagination', remove: true }, 400],
  [{ kind: 'hugeBody', bytes: 5_000_000 }, 2000],
  [{ kind: 'redirect' }, 400],
  [{ kind: 'encoding' }, 400],
  [{ kind: 'nested', depth: 1000 }, 400],
  [{ kind: 'informational' }, 200],
];

/**
 * The kinds of outages, which occur in this order, again and again. `outageMs` is the duration of an outage, and
 * `healthyMs` is the time between two outages.
 */
const outages: readonly FaultKind[] = [
  { kind: 'status', status: 503 },
  { kind: 'reset' },
  { kind: 'hang' },
];
const outageMs = 6000;
const healthyMs = 14_000;

/** Causes faults and outages until the signal is aborted; returns the number of outages. */
export async function disturbService(bank: Bank, signal: AbortSignal): Promise<number> {
  for (const [fault, oneIn] of faults) bank.addFault({ ...fault, probability: 1 / oneIn });
  let count = 0;
  for (; await pause(healthyMs, signal); count++) {
    const fault = bank.addFault(outages[count % outages.length] ?? { kind: 'hang' });
    await pause(outageMs, signal);
    fault[Symbol.dispose]();
  }
  bank.clearFaults();
  return count;
}

/**
 * The time for which a key is published before its first use and after its last use. This is longer than the shortest
 * interval between two reads of the key set by a gateway.
 */
const overlapMs = 5000;

/**
 * Rotates the issuer's key at intervals. Calls `onChange` after each change, so that
 * the requests get tokens signed with the new key. Returns the number of changes.
 */
export async function rotateKeys(
  { issuer, keyServer }: { readonly issuer: Issuer; readonly keyServer: KeyServer },
  everyMs: number,
  onChange: () => void,
  signal: AbortSignal,
): Promise<number> {
  const publish = (change: () => void) => {
    change();
    keyServer.keys = issuer.keys();
  };
  let count = 0;
  for (; await pause(everyMs - 2 * overlapMs, signal); count++) {
    publish(issuer.announce);
    await pause(overlapMs, signal);
    issuer.change();
    onChange();
    await pause(overlapMs, signal);
    publish(issuer.withdraw);
  }
  return count;
}

const redisAwayMs = 3000;

/** Kills Redis at intervals, and starts it again without data after `redisAwayMs`. Returns the number of restarts. */
export async function restartRedis(
  redis: TestRedis,
  everyMs: number,
  signal: AbortSignal,
): Promise<number> {
  let count = 0;
  for (; await pause(everyMs, signal); count++) {
    await redis.kill();
    await pause(redisAwayMs, signal);
    await redis.start();
  }
  return count;
}

// Admission control: which requests begin, wait or are rejected, and which connections are paused. The tests control
// event-loop turns and time.
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createBudgets } from '../../../src/byte-budget.ts';
import { Admission } from '../../../src/http/admission/admission.ts';

const settings = { maxBodyBytes: 1, upstreamMaxBodyBytes: 1, upstreamConnections: 1 };

/** Admission control with a simulated event loop, whose turns the test runs. */
function create(isSaturated = () => false) {
  const turns: (() => void)[] = [];
  let now = 0;
  const { backlog } = createBudgets(settings);
  const nextTurn = (begin: () => void) => void turns.push(begin);
  const admission = new Admission(isSaturated, backlog, () => now, nextTurn);
  const begun: number[] = [];
  const waits: number[] = [];
  const refusals: unknown[] = [];
  let came = 0;
  const ask = async () => {
    const [number, sinceMs] = [came++, now];
    try {
      await admission.enter();
      begun.push(number);
      waits.push(now - sinceMs);
    } catch (refusal) {
      refusals.push(refusal);
    }
  };
  /**
   * Lets requests arrive at the same time. Requests that begin are recorded in `begun` and `waits`, rejections in
   * `refusals`.
   */
  const come = (times: number) => {
    for (let i = 0; i < times; i++) void ask();
    return settled();
  };
  const turn = (ms = 1) => {
    now += ms;
    for (const begin of turns.splice(0)) begin();
    return settled();
  };
  return { admission, begun, waits, refusals, come, turn, turns };
}

async function settled(): Promise<void> {
  for (let i = 0; i < 4; i++) await Promise.resolve();
}

const numbers = (to: number) => Array.from({ length: to }, (_, number) => number);

describe('requests', () => {
  it('begin at once until 16 have begun in a turn', () => {
    const { admission } = create();
    for (let i = 0; i < 16; i++) expect(admission.enter()).toBeNull();
    expect(admission.enter()).toBeInstanceOf(Promise);
  });

  it('are refused if those that wait take more than 64 MiB, not counting the first 4 KiB of each', async () => {
    const { admission, turn } = create();
    const enter = (size: number, times: number) => {
      for (let i = 0; i < times; i++) void admission.enter(() => size);
    };
    enter(4096 + 65_536, 16 + 1024);
    expect(() => admission.enter(() => 4097)).toThrow('overloaded');
    enter(4096, 100);
    await turn();
    enter(4096 + 65_536, 16);
    expect(() => admission.enter(() => 4097)).toThrow('overloaded');
  });

  it('that arrive together begin in order, 16 per turn', async () => {
    const { begun, come, turn } = create();
    await come(50);
    expect(begun).toEqual(numbers(16));
    for (const expected of [32, 48, 50, 50]) {
      await turn();
      expect(begun).toEqual(numbers(expected));
    }
  });

  it('do not overtake waiting requests', async () => {
    const { begun, come, turn } = create();
    await come(17);
    await turn();
    await come(16);
    await turn();
    await turn();
    expect(begun).toEqual(numbers(33));
  });

  it('begin one per turn while new connections arrive, and at the full rate afterwards', async () => {
    const { admission, begun, come, turn } = create();
    for (const expected of [1, 2, 3]) {
      admission.connected();
      await come(40);
      expect(begun).toEqual(numbers(expected));
      await turn();
    }
    expect(begun).toEqual(numbers(4));
    await turn();
    expect(begun).toEqual(numbers(20));
  });

  it('schedule no further turn once all have begun', async () => {
    const { admission, come, turn, turns } = create();
    await come(50);
    admission.connected();
    for (let i = 0; i < 5; i++) await turn();
    expect(turns).toEqual([]);
  });
});

describe('the backlog', () => {
  it('rejects none of 1,000 simultaneous requests, even on a slow machine and after a pause of 3 s', async () => {
    const { begun, refusals, come, turn } = create();
    await come(1000);
    await turn(3000);
    while (begun.length + refusals.length < 1000) await turn(30);
    expect([begun.length, refusals]).toEqual([1000, []]);
  });

  it('contains at most 10,000 requests, and the next is rejected with OVERLOADED', async () => {
    const { refusals, come, turn } = create();
    await come(16 + 10_000);
    expect(refusals).toEqual([]);
    await come(1);
    expect(refusals).toMatchObject([{ code: 'OVERLOADED' }]);
    await turn();
    await come(16);
    expect(refusals).toHaveLength(1);
  });

  it('accepts no request while the upstream queue is saturated', async () => {
    let isSaturated = true;
    const { begun, refusals, come } = create(() => isSaturated);
    await come(1);
    expect([begun.length, refusals.length]).toEqual([0, 1]);
    isSaturated = false;
    await come(1);
    expect([begun.length, refusals.length]).toEqual([1, 1]);
  });

  it('rejects no request that has waited for exactly 5 s', async () => {
    const { begun, refusals, come, turn } = create();
    await come(16 + 16);
    await turn(5000);
    expect([begun.length, refusals]).toEqual([16 + 16, []]);
  });

  it('rejects only every other request that has waited for more than 5 s', async () => {
    const { begun, refusals, come, turn } = create();
    await come(16 + 160);
    await turn(5001);
    expect([begun.length, refusals.length]).toEqual([16 + 16, 16]);
    for (let i = 0; i < 4; i++) await turn();
    expect([begun.length, refusals.length]).toEqual([16 + 80, 80]);
  });

  it('limits the wait under overload without loss of throughput, and is empty soon after the overload', async () => {
    const { begun, waits, refusals, come, turn } = create();
    // A turn of 16 requests takes 16 ms, so 1,000 requests a second are served. For 30 s, 3,000 a second arrive.
    for (let at = 0; at < 30_000; at += 16) {
      await come(48);
      await turn(16);
    }
    expect(begun.length).toBeGreaterThan(0.99 * 30_000);
    expect(refusals.length).toBeGreaterThan(0.8 * (60_000 - 10_000));
    expect(Math.max(...waits)).toBeLessThan(7000);
    const served = begun.length;
    for (let at = 0; at < 11_000; at += 16) await turn(16);
    expect(begun.length - served).toBeLessThan(10_000);
    await come(16);
    expect(waits.at(-1)).toBe(0);
  });
});

describe('connections on which a request was just answered', () => {
  const createConnections = (count: number) =>
    Array.from({ length: count }, () => new PassThrough());
  const pausedOf = (connections: readonly PassThrough[]) =>
    connections.flatMap((connection, number) => (connection.isPaused() ? [number] : []));

  it('are paused only once 32 requests wait', async () => {
    const { admission, come, turns } = create();
    await come(16 + 31);
    const connections = createConnections(10);
    for (const connection of connections) admission.answered(connection);
    expect(pausedOf(connections)).toEqual([]);
    expect(turns).toHaveLength(1);
    await come(1);
    for (const connection of connections) admission.answered(connection);
    expect(pausedOf(connections)).toEqual(numbers(10));
  });

  it('are paused while at least 32 requests wait, and then resumed in order, 16 per turn', async () => {
    const { admission, come, turn, turns } = create();
    await come(16 + 48);
    const connections = createConnections(50);
    for (const connection of connections) admission.answered(connection);
    expect(pausedOf(connections)).toEqual(numbers(50));
    await turn();
    // The connections are still paused, because 32 requests still wait.
    expect(pausedOf(connections)).toEqual(numbers(50));
    for (const left of [34, 18, 2, 0]) {
      await turn();
      expect(pausedOf(connections)).toEqual(numbers(50).slice(50 - left));
    }
    for (let i = 0; i < 4; i++) await turn();
    expect(turns).toEqual([]);
  });

  it('are paused for at most 250 ms, even if thousands of requests wait', async () => {
    const { admission, come, turn } = create();
    await come(5000);
    const connections = createConnections(300);
    for (const connection of connections) admission.answered(connection);
    await turn(250);
    expect(pausedOf(connections)).toEqual(numbers(300));
    await turn(1);
    expect(pausedOf(connections)).toEqual([]);
  });
});

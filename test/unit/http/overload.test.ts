// How many requests begin in a turn, who waits, and when the door is closed: turns and time are the test's own.
import { describe, expect, it } from 'vitest';
import { Admission } from '../../../src/http/overload.ts';

/** An admission in an event loop whose turns take as long as the test says. */
function create(settings: { isCrowded?: () => boolean; connections?: number } = {}) {
  const { isCrowded = () => false, connections = 5000 } = settings;
  const turns: (() => void)[] = [];
  let now = 0;
  const nextTurn = (begin: () => void) => void turns.push(begin);
  const admission = new Admission({ isCrowded, now: () => now, nextTurn });
  const begun: number[] = [];
  const waits: number[] = [];
  let came = 0;
  /** So many requests come; those that are let in are noted as they begin, by their number. Answers who is refused. */
  const come = (times: number): number => {
    let refused = 0;
    for (let i = 0; i < times; i++) {
      const [number, sinceMs] = [came++, now];
      const note = () => {
        begun.push(number);
        waits.push(now - sinceMs);
      };
      if (admission.isClosed(connections)) refused++;
      else void (admission.enter() ?? Promise.resolve()).then(note);
    }
    return refused;
  };
  const turn = async (ms = 1) => {
    now += ms;
    for (const begin of turns.splice(0)) begin();
    await Promise.resolve();
    await Promise.resolve();
  };
  return { admission, begun, waits, come, turn, turns };
}

const numbers = (to: number) => Array.from({ length: to }, (_, number) => number);

describe('requests', () => {
  it('begin at once while they are few', () => {
    const { admission } = create();
    for (let i = 0; i < 32; i++) expect(admission.enter()).toBeNull();
    expect(admission.enter()).toBeInstanceOf(Promise);
  });

  it('that come at once begin in their order, turn by turn', async () => {
    const { begun, come, turn } = create();
    come(100);
    await Promise.resolve();
    expect(begun).toEqual(numbers(32));
    for (const expected of [64, 96, 100, 100]) {
      await turn();
      expect(begun).toEqual(numbers(expected));
    }
  });

  it('do not overtake those that wait', async () => {
    const { begun, come, turn } = create();
    come(33);
    await turn();
    come(32);
    await turn();
    await turn();
    expect(begun).toEqual(numbers(65));
  });

  it('begin one by one while connections come, and as before once none does', async () => {
    const { admission, begun, come, turn } = create();
    for (const expected of [1, 2, 3]) {
      admission.connected();
      come(40);
      await Promise.resolve();
      expect(begun).toEqual(numbers(expected));
      await turn();
    }
    expect(begun).toEqual(numbers(4));
    await turn();
    expect(begun).toEqual(numbers(36));
  });

  it('leave no turn to come behind', async () => {
    const { admission, come, turn, turns } = create();
    come(100);
    admission.connected();
    for (let i = 0; i < 5; i++) await turn();
    expect(turns).toEqual([]);
  });
});

describe('the door', () => {
  it('stays open for a thousand at once, and through a pause of seconds', async () => {
    const { begun, come, turn } = create();
    expect(come(1000)).toBe(0);
    while (begun.length < 1000) await turn(10);
    // Whoever came meanwhile is seen only after the pause.
    await turn(3000);
    expect(come(1000)).toBe(0);
    while (begun.length < 2000) await turn(10);
  });

  it('stays open through a pause while a thousand wait', async () => {
    const { begun, come, turn } = create();
    expect(come(1000)).toBe(0);
    await turn(8);
    await turn(8);
    await turn(2000);
    expect(come(50)).toBe(0);
    while (begun.length < 1050) await turn(8);
  });

  it('is closed while the next one would have to wait too long', async () => {
    const { begun, come, turn } = create();
    come(3200);
    await turn(10);
    expect(come(1)).toBe(1);
    while (begun.length < 1600) await turn(10);
    expect(come(1)).toBe(0);
  });

  it('stays open to a thousand connections on the slowest machine', async () => {
    const { begun, come, turn } = create({ connections: 1000 });
    let refused = 0;
    for (let came = 0; came < 1000; came += 40) {
      refused += come(40);
      await turn(90);
    }
    expect(refused).toBe(0);
    while (begun.length < 1000) await turn(90);
  });

  it('is closed while the queue is full, or what is behind it is crowded', () => {
    let isCrowded = false;
    const { come } = create({ isCrowded: () => isCrowded });
    expect(come(32 + 5000)).toBe(0);
    expect(come(1)).toBe(1);
    const other = create({ isCrowded: () => isCrowded });
    isCrowded = true;
    expect(other.come(1)).toBe(1);
    isCrowded = false;
    expect(other.come(1)).toBe(0);
  });

  it('keeps the goodput and a short wait where three times as much is offered, and opens at once', async () => {
    const { begun, waits, come, turn } = create();
    // A turn of 32 requests takes 16 ms, which is 2,000 a second. Six thousand come.
    let refused = 0;
    for (let at = 0; at < 10_000; at += 16) {
      refused += come(96);
      await turn(16);
    }
    expect(begun.length).toBeGreaterThan(0.99 * 20_000);
    expect(refused).toBeGreaterThan(0.95 * 40_000);
    expect(Math.max(...waits)).toBeLessThan(550);
    const served = begun.length;
    for (let at = 0; at < 500; at += 16) await turn(16);
    expect(begun.length - served).toBeLessThan(1050);
    expect(come(32)).toBe(0);
  });
});

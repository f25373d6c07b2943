// When the circuit opens, probes and closes, with a clock that the test sets.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type BreakerState,
  Circuit,
  maxRoundMs,
  openMs,
  type Permit,
  roundMs,
  type Verdict,
} from '../../../src/upstream/exchange/circuit.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function create() {
  const changes: BreakerState[] = [];
  const circuit = new Circuit(
    () => performance.now(),
    (state) => void changes.push(state),
  );
  return { circuit, changes };
}

const wait = (ms: number) => vi.advanceTimersByTime(ms);

function admit(circuit: Circuit): Permit {
  const permit = circuit.admit();
  if (permit === null) throw new Error('the circuit lets nothing through');
  return permit;
}

/** Makes calls in sequence, and settles each call at once. Returns the number of admitted calls. */
function call(circuit: Circuit, times: number, verdict: Verdict): number {
  let admitted = 0;
  for (let i = 0; i < times; i++) {
    const permit = circuit.admit();
    if (permit === null) continue;
    admitted++;
    circuit.settle(permit, verdict);
  }
  return admitted;
}

function opened() {
  const created = create();
  call(created.circuit, 50, 'bad');
  wait(roundMs);
  expect(created.circuit.admit()).toBeNull();
  return created;
}

describe('a closed circuit', () => {
  it('opens if 50 of 50 calls have failed, but not if 49 of 49 have', () => {
    const { circuit, changes } = create();
    call(circuit, 49, 'bad');
    wait(roundMs);
    expect(call(circuit, 1, 'bad')).toBe(1);
    expect(changes).toEqual([]);
    expect(call(circuit, 1, 'bad')).toBe(0);
    expect(changes).toEqual(['open']);
  });

  it('evaluates the calls of half a second together, even if the first hundred fail', () => {
    const { circuit } = create();
    call(circuit, 100, 'bad');
    wait(roundMs - 1);
    call(circuit, 26, 'good');
    wait(1);
    expect(call(circuit, 1, 'good')).toBe(1);
    expect(circuit.state).toBe('closed');
  });

  it.each([
    ['opens if 9 of 10', 9, 'open'],
    ['stays closed if 7 of 10', 7, 'closed'],
    ['stays closed if 1 of 10', 1, 'closed'],
  ] as const)('%s calls fail', (_what, bad, state) => {
    const { circuit } = create();
    const admitted = Array.from({ length: 200 }, () => {
      wait(20);
      return call(circuit, bad, 'bad') + call(circuit, 10 - bad, 'good');
    });
    expect(admitted.includes(0)).toBe(state === 'open');
  });

  it('does not open merely because failures arrive before successes', () => {
    const { circuit } = create();
    const permits = Array.from({ length: 1000 }, () => admit(circuit));
    for (const permit of permits.splice(0, 799)) circuit.settle(permit, 'bad');
    wait(roundMs);
    expect(call(circuit, 1, 'bad')).toBe(1);
    for (const permit of permits) circuit.settle(permit, 'good');
    expect(circuit.state).toBe('closed');
  });

  it('opens as soon as enough calls of half a second have failed, without waiting for the others', () => {
    const { circuit } = create();
    const permits = Array.from({ length: 1000 }, () => admit(circuit));
    wait(roundMs);
    admit(circuit);
    for (const permit of permits.splice(0, 799)) circuit.settle(permit, 'bad');
    expect(circuit.state).toBe('closed');
    circuit.settle(permits[0] as Permit, 'bad');
    expect(circuit.state).toBe('open');
  });

  it('opens once hanging calls time out', () => {
    const { circuit } = create();
    call(circuit, 10_000, 'good');
    wait(roundMs);
    const permits = Array.from({ length: 512 }, () => admit(circuit));
    wait(5000);
    for (const permit of permits) circuit.settle(permit, 'bad');
    expect(circuit.admit()).toBeNull();
  });

  it('ignores aborted calls', () => {
    const { circuit } = create();
    call(circuit, 1000, 'unknown');
    wait(roundMs);
    expect(call(circuit, 1000, 'unknown')).toBe(1000);
  });

  it('opens once 50 calls have failed and all others are aborted', () => {
    const { circuit } = create();
    const permits = Array.from({ length: 1000 }, () => admit(circuit));
    wait(roundMs);
    admit(circuit);
    for (const permit of permits.splice(0, 50)) circuit.settle(permit, 'bad');
    expect(circuit.state).toBe('closed');
    for (const permit of permits) circuit.settle(permit, 'unknown');
    expect(circuit.state).toBe('open');
  });

  it('stays closed if fewer than 50 calls end in five seconds, even if all of them fail', () => {
    const { circuit } = create();
    for (let second = 0; second < 60; second++) {
      expect(call(circuit, 9, 'bad')).toBe(9);
      wait(maxRoundMs / 5);
    }
    expect(circuit.state).toBe('closed');
  });

  it('stays closed if the last three results of a failing half second are successes', () => {
    const { circuit, changes } = create();
    call(circuit, 100, 'bad');
    call(circuit, 3, 'good');
    wait(roundMs);
    expect(call(circuit, 50, 'good')).toBe(50);
    expect(changes).toEqual([]);
  });

  it('opens if only two results after the failures are successes', () => {
    const { circuit } = create();
    call(circuit, 100, 'bad');
    call(circuit, 2, 'good');
    wait(roundMs);
    expect(circuit.admit()).toBeNull();
  });

  it('opens within a second after a healthy service starts to fail', () => {
    const { circuit } = create();
    for (let at = 0; at < 10_000; at += 10) {
      call(circuit, 1, 'good');
      wait(10);
    }
    let at = 0;
    for (; circuit.state === 'closed'; at += 10) {
      call(circuit, 1, 'bad');
      wait(10);
    }
    expect(at).toBeLessThanOrEqual(2 * roundMs);
  });
});

describe('an open circuit', () => {
  it('admits no call at first, then three probes, and closes if these succeed', () => {
    const { circuit, changes } = opened();
    expect(call(circuit, 100, 'good')).toBe(0);
    wait(openMs - 1);
    expect(circuit.admit()).toBeNull();
    wait(1);
    const permits = [admit(circuit), admit(circuit), admit(circuit)];
    expect(circuit.admit()).toBeNull();
    expect(changes).toEqual(['open', 'half_open']);
    for (const permit of permits) circuit.settle(permit, 'good');
    expect(changes).toEqual(['open', 'half_open', 'closed']);
    expect(call(circuit, 100, 'good')).toBe(100);
  });

  it('stays open if a probe fails, and admits new probes after the same delay', () => {
    const { circuit, changes } = opened();
    wait(openMs);
    const permits = [admit(circuit), admit(circuit), admit(circuit)];
    circuit.settle(permits[0] as Permit, 'good');
    circuit.settle(permits[1] as Permit, 'bad');
    circuit.settle(permits[2] as Permit, 'good');
    expect(changes).toEqual(['open', 'half_open', 'open']);
    expect(call(circuit, 10, 'good')).toBe(0);
    wait(openMs);
    expect(call(circuit, 3, 'good')).toBe(3);
    expect(circuit.state).toBe('closed');
  });

  it('does not wait for hanging probes, and ignores their later outcome', () => {
    const { circuit } = opened();
    wait(openMs);
    const hanging = [admit(circuit), admit(circuit), admit(circuit)];
    wait(openMs - 1);
    expect(circuit.admit()).toBeNull();
    wait(1);
    expect(call(circuit, 3, 'good')).toBe(3);
    for (const permit of hanging) circuit.settle(permit, 'bad');
    expect(circuit.state).toBe('closed');
  });

  it('closes if the answers of the probes take longer than the time between two rounds of probes', () => {
    const { circuit, changes } = opened();
    wait(openMs);
    const slow = [admit(circuit), admit(circuit), admit(circuit)];
    wait(openMs);
    admit(circuit);
    wait(300);
    for (const permit of slow) circuit.settle(permit, 'good');
    expect(changes).toEqual(['open', 'half_open', 'closed']);
  });

  it('opens again if a probe of an earlier round fails', () => {
    const { circuit, changes } = opened();
    wait(openMs);
    const slow = [admit(circuit), admit(circuit), admit(circuit)];
    wait(openMs);
    expect(call(circuit, 2, 'good')).toBe(2);
    circuit.settle(slow[0] as Permit, 'bad');
    expect(changes).toEqual(['open', 'half_open', 'open']);
    circuit.settle(slow[1] as Permit, 'good');
    expect(circuit.admit()).toBeNull();
    wait(openMs);
    expect(call(circuit, 3, 'good')).toBe(3);
    expect(circuit.state).toBe('closed');
  });

  it('admits another probe in place of an aborted one', () => {
    const { circuit } = opened();
    wait(openMs);
    expect(call(circuit, 5, 'unknown')).toBe(5);
    expect(call(circuit, 5, 'good')).toBe(5);
    expect(circuit.state).toBe('closed');
  });

  it('closes after three successful probes, even if these are 10 s apart', () => {
    const { circuit } = opened();
    for (let i = 0; i < 3; i++) {
      wait(10 * openMs);
      expect(call(circuit, 1, 'good')).toBe(1);
    }
    expect(circuit.state).toBe('closed');
  });

  it('ignores the outcome of calls that were admitted before it opened', () => {
    const { circuit } = create();
    const early = Array.from({ length: 50 }, () => admit(circuit));
    wait(roundMs);
    call(circuit, 50, 'bad');
    wait(roundMs);
    expect(circuit.admit()).toBeNull();
    wait(openMs);
    expect(call(circuit, 3, 'good')).toBe(3);
    for (const permit of early) circuit.settle(permit, 'bad');
    expect(circuit.state).toBe('closed');
  });
});

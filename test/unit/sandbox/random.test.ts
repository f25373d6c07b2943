// The random generator of the sandbox bank: its seed, and the values that it generates.
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/sandbox/random.ts';

describe('the random generator', () => {
  const drawn = (seed: string) => {
    const random = createRandom(seed);
    return [random.next(), random.integer(1, 6), random.uuid(), random.digits(4)];
  };

  it('depends only on its seed', () => {
    expect(drawn('a')).toEqual(drawn('a'));
    expect(drawn('a')).not.toEqual(drawn('b'));
  });

  it('generates the same values again after a reset', () => {
    const random = createRandom('a');
    const first = [random.next(), random.uuid()];
    random.reset();
    expect([random.next(), random.uuid()]).toEqual(first);
  });

  it('generates unique ids in the format of UUID version 4', () => {
    const random = createRandom('ids');
    const ids = Array.from({ length: 20_000 }, () => random.uuid());
    expect(new Set(ids).size).toBe(20_000);
    const shape = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
    expect(ids.filter((id) => !shape.test(id))).toEqual([]);
  });

  it('covers a range of integers evenly', () => {
    const random = createRandom('range');
    const counts = [0, 0, 0];
    for (let n = 0; n < 30_000; n += 1) {
      const index = random.integer(2, 4) - 2;
      counts[index] = (counts[index] ?? NaN) + 1;
    }
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(400);
  });

  it('shuffles a copy of a list', () => {
    const list = Array.from({ length: 50 }, (_, index) => index);
    const shuffled = createRandom('order').shuffled(list);
    expect(shuffled).not.toEqual(list);
    expect([...shuffled].sort((a, b) => a - b)).toEqual(list);
    expect(list[0]).toBe(0);
  });

  it('picks an item of a list, and throws for an empty list', () => {
    const random = createRandom('pick');
    expect(random.pick([null])).toBe(null);
    expect(() => random.pick([])).toThrow('nothing to pick');
  });
});

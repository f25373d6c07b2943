// Walks return each transaction once while rows arrive between slices or while a slice is read, and while rows are
// removed or posted late, or the page size changes, between slices.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holds } from '../support/properties.ts';
import { changes, expectEachOnce, plans, useWalks } from './walk-model.ts';

const walk = useWalks();

test('a walk over an unchanged statement returns every row in order, with correct totals and page flags', () =>
  holds(plans(), async (plan) => {
    const { ids, initial, slices } = await walk(plan);
    expect(ids).toEqual(initial);
    for (const { totalCount } of slices) expect(totalCount).toBe(initial.length);
    slices.forEach(({ hasNextPage, hasPreviousPage }, step) => {
      const [isFirst, isLast] = [step === 0, step === slices.length - 1];
      expect(hasNextPage).toBe(plan.isForward ? !isLast : !isFirst);
      expect(hasPreviousPage).toBe(plan.isForward ? !isFirst : !isLast);
    });
  }));

test('a walk returns each transaction once if rows arrive between its slices', () =>
  holds(plans({ between: changes({ arrivals: 30 }) }), async (plan) => {
    expectEachOnce(await walk(plan));
  }));

test('a walk returns each transaction once if rows arrive while a slice is read', () =>
  holds(plans({ during: changes({ arrivals: 2 }) }), async (plan) => {
    expectEachOnce(await walk(plan));
  }));

test('a walk returns each transaction once if rows arrive and the page size changes', () =>
  holds(
    plans({
      during: changes({ arrivals: 1 }),
      between: fc.array(
        fc.record({ arrivals: fc.nat(5), pageSize: fc.constantFrom(7, 10, 20, 50) }),
        { minLength: 1, maxLength: 4 },
      ),
    }),
    async (plan) => {
      expectEachOnce(await walk(plan));
    },
  ));

test('a walk returns each remaining transaction once if rows vanish between its slices, including the row of its cursor', () =>
  holds(plans({ between: changes({ removals: 12 }) }), async (plan) => {
    const walked = await walk(plan);
    expect(walked.expired).toBe(false);
    expectEachOnce(walked);
  }));

test('a walk returns each remaining transaction once if removals balance arrivals, so that totalItems is unchanged', () =>
  holds(
    plans({
      between: fc.array(
        fc.nat(40).map((n) => ({ arrivals: n, removals: n })),
        { minLength: 1, maxLength: 4 },
      ),
    }),
    async (plan) => {
      expectEachOnce(await walk(plan));
    },
  ));

test('a walk returns each remaining transaction once despite both arrivals and removals between its slices', () =>
  holds(plans({ between: changes({ arrivals: 12, removals: 12 }) }), async (plan) => {
    expectEachOnce(await walk(plan));
  }));

test('a walk returns each transaction once despite late postings', () =>
  holds(plans({ between: changes({ arrivals: 4, latePostings: 6 }) }), async (plan) => {
    expectEachOnce(await walk(plan));
  }));

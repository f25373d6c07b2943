// Walks give each transaction once while rows arrive, vanish and post late, between the calls and during them.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holds } from '../support/properties.ts';
import { changes, expectEachOnce, plans, useWalks } from './walk-model.ts';

const walk = useWalks();

test('a still statement comes out as it is, each slice true to it', () =>
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

test('arrivals at the head between the calls', () =>
  holds(plans({ between: changes({ arrivals: 30 }) }), async (plan) => {
    expectEachOnce(await walk(plan));
  }));

test('arrivals at the head during the calls', () =>
  holds(plans({ during: changes({ arrivals: 2 }) }), async (plan) => {
    expectEachOnce(await walk(plan));
  }));

test('arrivals between and during the calls, where pages change their size', () =>
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

test('removals between the calls, the cursor’s own row among them', () =>
  holds(plans({ between: changes({ removals: 12 }) }), async (plan) => {
    const walked = await walk(plan);
    expect(walked.expired).toBe(false);
    expectEachOnce(walked);
  }));

test('arrivals balanced by removals, so that totalItems stays as it was', () =>
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

test('arrivals and removals of any number', () =>
  holds(plans({ between: changes({ arrivals: 12, removals: 12 }) }), async (plan) => {
    expectEachOnce(await walk(plan));
  }));

test('transactions that post late', () =>
  holds(plans({ between: changes({ arrivals: 4, latePostings: 6 }) }), async (plan) => {
    expectEachOnce(await walk(plan));
  }));

// Walks over statements in which many transactions share one createdAt. The service keeps the order of these
// transactions, or changes it at each read.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holds } from '../support/properties.ts';
import { changes, expectEachOnce, expectEachOnceOrExpired, plans, useWalks } from './walk-model.ts';

// If ties are shuffled, the gateway may have to read their pages until it has seen each tie, which can take more calls
// than the default allows.
const walk = useWalks({ MAX_UPSTREAM_CALLS: '500' });

/** The sizes of groups of rows with the same createdAt: each up to `most`, repeated in a cycle. */
function ties(most: number): fc.Arbitrary<number[]> {
  const size = fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: most }));
  return fc.array(size, { minLength: 1, maxLength: 5 });
}

test('a walk over an unchanged statement with ties returns every row once and in order', () =>
  holds(plans({ tieSizes: ties(60) }), async (plan) => {
    const { ids, initial } = await walk(plan);
    expect(ids).toEqual(initial);
  }));

test('a walk returns each tie once if rows arrive between its slices and while a slice is read', () =>
  holds(
    plans({
      tieSizes: ties(60),
      between: changes({ arrivals: 5 }),
      during: changes({ arrivals: 1 }),
    }),
    async (plan) => {
      expectEachOnce(await walk(plan));
    },
  ));

test('a walk among ties fails with CURSOR_EXPIRED only if its cursor’s row was removed', () =>
  holds(
    plans({ tieSizes: ties(60), between: changes({ arrivals: 5, removals: 8 }) }),
    async (plan) => {
      expectEachOnceOrExpired(await walk(plan), plan);
    },
  ));

// A cursor can list 30 of the ties that precede its row. If more ties are shuffled, the cursor does not list all ties
// that were returned (docs/paging.md).
test('a walk returns each of up to 24 ties once even if the service shuffles them at each read', () =>
  holds(plans({ tieSizes: ties(24), tieOrder: fc.constant('shuffled') }), async (plan) => {
    expectEachOnce(await walk(plan));
  }));

// A few in a thousand such walks miss a row (docs/paging.md, "Ties"), but no walk repeats one.
test('a walk returns no tie twice even if the service shuffles ties and rows arrive', () =>
  holds(
    plans({
      tieSizes: ties(12),
      tieOrder: fc.constant('shuffled'),
      between: changes({ arrivals: 5 }),
    }),
    async (plan) => {
      const { ids } = await walk(plan);
      expect(new Set(ids).size, 'no transaction twice').toBe(ids.length);
    },
  ));

// Walks give each transaction once where many share one createdAt, also where the service orders those anew.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { holds } from '../support/properties.ts';
import { changes, expectEachOnce, expectEachOnceOrExpired, plans, useWalks } from './walk-model.ts';

// Ties that change their order are read again until each was seen, which can take more calls than clients are granted.
const walk = useWalks({ MAX_UPSTREAM_CALLS: '500' });

/** Groups of up to `most` rows of one createdAt, one after the other, over and over. */
function ties(most: number): fc.Arbitrary<number[]> {
  const size = fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: most }));
  return fc.array(size, { minLength: 1, maxLength: 5 });
}

test('ties on a still statement', () =>
  holds(plans({ tieSizes: ties(60) }), async (plan) => {
    const { ids, initial } = await walk(plan);
    expect(ids).toEqual(initial);
  }));

test('ties with arrivals between and during the calls', () =>
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

test('ties with removals, where CURSOR_EXPIRED needs the cursor’s own row to be gone', () =>
  holds(
    plans({ tieSizes: ties(60), between: changes({ arrivals: 5, removals: 8 }) }),
    async (plan) => {
      expectEachOnceOrExpired(await walk(plan), plan);
    },
  ));

// A cursor can name 34 ties: of more, in an order that changes, it cannot know which were given (docs/paging.md).
test('ties that the service orders anew at each read', () =>
  holds(plans({ tieSizes: ties(24), tieOrder: fc.constant('shuffled') }), async (plan) => {
    expectEachOnce(await walk(plan));
  }));

// A few of a thousand such walks leave a row out (docs/paging.md, "Ties"): none is given twice in any.
test('ties that the service orders again at each read, with arrivals between the calls', () =>
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

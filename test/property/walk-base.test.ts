// Walks over a service that numbers its pages from 1, with either meaning of currentPage.
import { describe, test } from 'vitest';
import { holds } from '../support/properties.ts';
import { changes, expectEachOnce, plans, useWalks } from './walk-model.ts';

describe.for(['index', 'echo'] as const)(
  'a walk over a service that counts pages from 1 (currentPage behaviour: "%s")',
  (currentPage) => {
    const walk = useWalks({ UPSTREAM_PAGE_BASE: '1' }, { pageBase: 1, currentPage });

    test('returns each remaining transaction once despite arrivals and removals between its slices', () =>
      holds(plans({ between: changes({ arrivals: 12, removals: 6 }) }), async (plan) => {
        expectEachOnce(await walk(plan));
      }));
  },
);

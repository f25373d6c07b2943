// Walks over a service that counts its pages from 1, whichever way it reports them.
import { describe, test } from 'vitest';
import { holds } from '../support/properties.ts';
import { changes, expectEachOnce, plans, useWalks } from './walk-model.ts';

describe.for(['index', 'echo'] as const)('a service that counts from 1 (%s)', (currentPage) => {
  const walk = useWalks({ UPSTREAM_PAGE_BASE: '1' }, { pageBase: 1, currentPage });

  test('arrivals and removals between the calls', () =>
    holds(plans({ between: changes({ arrivals: 12, removals: 6 }) }), async (plan) => {
      expectEachOnce(await walk(plan));
    }));
});

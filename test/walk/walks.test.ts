// Random walks in memory: 40 of each category that is marked `isHeld`, or 5,000 with RUNS=20000 (npm run test:long).
import { describe, expect, test } from 'vitest';
import { Statements } from '../../src/statement/statement.ts';
import { categories, type Category } from './categories.ts';
import { createRandom } from './random.ts';
import { createVirtualService } from './service.ts';
import { runWalk, type Outcome } from './walks.ts';

const { RUNS, SEED = '1' } = process.env;
const walks = RUNS === undefined ? 40 : Math.ceil(Number(RUNS) / 4);

describe.each(categories.filter(({ isHeld }) => isHeld))(
  'walks of the category "$name"',
  (category) => {
    test('have no wrong slice, stay within the bound on calls, and find all new rows', async () => {
      const bad: [number, Outcome][] = [];
      for (let run = 0; run < walks; run++) {
        const outcome = await walk(category, SEED, run);
        const { fault, news, expired, callsOver } = outcome;
        if (fault !== null || news !== null || expired || callsOver > 0) bad.push([run, outcome]);
      }
      // To replay a walk by its number: npm run walks -- --replay 'category#number'.
      // A few in ten thousand walks end with a slice that is right in another history with the same answers.
      expect(bad.length <= walks / 2000 ? [] : bad).toEqual([]);
    });
  },
);

function walk(category: Category, seed: string, run: number): Promise<Outcome> {
  const random = createRandom(`${category.name} ${seed} ${run}`);
  const plan = category.plan(random);
  return runWalk(createVirtualService(Statements, plan.statement), plan, random);
}

// Random walks in memory: 40 of each category that is marked `isHeld`, or 5,000 with RUNS=20000 (npm run test:long).
import { describe, expect, test } from 'vitest';
import { Statements } from '../../src/statement/statement.ts';
import { categories } from './categories.ts';
import { createRandom } from './random.ts';
import { createVirtualService } from './service.ts';
import { runWalk, type Outcome } from './walks.ts';

const { RUNS, SEED = '1' } = process.env;
const walks = RUNS === undefined ? 40 : Math.ceil(Number(RUNS) / 4);

describe.each(categories.filter(({ isHeld }) => isHeld))(
  'walks of the category "$name"',
  (category) => {
    test('have no wrong slice without a twin, stay within the bound on calls, and find all new rows', async () => {
      const bad: [number, Outcome][] = [];
      let twins = 0;
      for (let run = 0; run < walks; run++) {
        const random = createRandom(`${category.name} ${SEED} ${run}`);
        const plan = category.plan(random);
        const service = createVirtualService(Statements, plan.statement);
        const outcome = await runWalk(service, plan, random);
        const { fault, hasTwin, news, expired, callsOver } = outcome;
        const isWrong = fault !== null && !hasTwin;
        if (hasTwin) twins++;
        if (isWrong || news !== null || expired || callsOver > 0) bad.push([run, outcome]);
      }
      // To replay a walk by its number: npm run walks -- --replay 'category#number'.
      expect(bad).toEqual([]);
      expect(twins).toBeLessThanOrEqual(walks / 1000);
    });
  },
);

// Random walks over HTTP, with the real gateway and services that number their pages, or answer beyond the last page,
// in different ways.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { categories } from './categories.ts';
import { beyondEnd, statesPage } from './manners.ts';
import { createRandom } from './random.ts';
import { createHttpService, type Manner } from './service.ts';
import { runWalk, type Outcome } from './walks.ts';

/** The number of walks for each category and service. */
const walks = process.env['RUNS'] === undefined ? 1 : Math.ceil(Number(process.env['RUNS']) / 500);

const services: [string, Manner][] = [
  ['counts its pages from 0', {}],
  ['answers its last page beyond it', beyondEnd('last page')],
  ['refuses pages beyond its last', beyondEnd(404)],
  ['counts from 1 and reports from 0', { base: 1 }],
  ['counts from 1 and reports the same', statesPage('next', 1)],
];

describe.each(services)('walks over a service that %s', (name, manner) => {
  let http: Awaited<ReturnType<typeof createHttpService>>;
  beforeAll(async () => {
    http = await createHttpService({ UPSTREAM_PAGE_BASE: String(manner.base ?? 0) });
  });
  afterAll(() => http[Symbol.asyncDispose]());

  test.each(categories.filter(({ isHeld }) => isHeld))(
    'return only right slices and find all new rows: $name',
    async (category) => {
      const bad: [number, Outcome][] = [];
      for (let run = 0; run < walks; run++) {
        const random = createRandom(`${category.name} ${name} ${run}`);
        const plan = { ...category.plan(random), manner };
        const outcome = await runWalk(http.service, plan, random);
        const { fault, news, expired } = outcome;
        if (fault !== null || news !== null || expired) bad.push([run, outcome]);
      }
      expect(bad).toEqual([]);
    },
  );
});

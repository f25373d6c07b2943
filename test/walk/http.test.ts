// Random walks over HTTP, with the real gateway and services that number their pages, or answer beyond the last page,
// in different ways.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BankOptions } from '../../src/sandbox/bank.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { categories } from './categories.ts';
import { createRandom } from './random.ts';
import { createHttpService } from './service.ts';
import { runWalk, type Outcome } from './walks.ts';

/** The number of walks for each category and service. */
const walks = process.env['RUNS'] === undefined ? 1 : Math.ceil(Number(process.env['RUNS']) / 500);

const services: [string, BankOptions, Readonly<Record<string, string>>][] = [
  ['counts its pages from 0', {}, {}],
  ['answers its last page beyond it', { outOfRange: 'clamp' }, {}],
  ['refuses pages beyond its last', { outOfRange: '404' }, {}],
  ['counts from 1 and reports from 0', { pageBase: 1 }, { UPSTREAM_PAGE_BASE: '1' }],
  [
    'counts from 1 and reports the same',
    { pageBase: 1, currentPage: 'echo' },
    { UPSTREAM_PAGE_BASE: '1' },
  ],
];

describe.each(services)('walks over a service that %s', (name, bank, env) => {
  let gateway: TestGateway;
  let http: Awaited<ReturnType<typeof createHttpService>>;
  beforeAll(async () => {
    gateway = await startTestGateway(env, { bank });
    http = await createHttpService(gateway);
  });
  afterAll(async () => {
    await http[Symbol.asyncDispose]();
    await gateway.close();
  });

  test.each(categories.filter(({ isHeld }) => isHeld))(
    'return only right slices and find all new rows: $name',
    async (category) => {
      const bad: [number, Outcome][] = [];
      for (let run = 0; run < walks; run++) {
        const random = createRandom(`${category.name} ${name} ${run}`);
        const outcome = await runWalk(http.service, category.plan(random), random);
        const { fault, news, expired } = outcome;
        if (fault !== null || news !== null || expired) bad.push([run, outcome]);
      }
      expect(bad).toEqual([]);
    },
  );
});

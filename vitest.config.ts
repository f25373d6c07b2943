// Configuration of the tests: `npm test` runs all, `npm run test:long` the properties with many more cases.
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { runs } from './test/support/runs.ts';

/** Tests that also run with EXECUTOR=graphql-js: properties, secrets, and isolation of callers. */
const onBothExecutors = [
  'test/property/{callers,cursors,decimals,requests}.test.ts',
  'test/contract/{errors,identity,logs,page-shifts,profile,readings,shapes}.test.ts',
  'test/security/{tenant,variables}.test.ts',
];

const unit = 'test/unit/**/*.test.ts';
const browser = 'test/browser/*.test.ts';

/** Tests that take up to half an hour each: only in `npm run test:long` with its default number of cases. */
const long = 'test/security/planted-defects.test.ts';

export default defineConfig({
  // Otherwise Vite would load graphql's ES modules in addition to the CommonJS build that Apollo Server loads.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    // A property that timed out would continue to run beside the next one.
    testTimeout: 120 * Math.max(runs, 1000),
    hookTimeout: 120_000,
    // Tests often wait, so two cores run three workers (by default one), unless properties have many cases.
    maxWorkers: Math.max(runs > 100 ? 2 : 3, availableParallelism() - 1),
    projects: [
      // A fresh copy of all modules for each file would take as long as these tests.
      { extends: true, test: { name: 'unit', include: [unit], isolate: false } },
      {
        extends: true,
        test: {
          name: 'all',
          include: ['test/**/*.test.ts'],
          exclude: runs > 1000 ? [unit, browser] : [unit, browser, long],
        },
      },
      {
        extends: true,
        test: { name: 'browser', include: [browser], globalSetup: 'test/browser/setup.ts' },
      },
      {
        extends: true,
        test: {
          name: 'graphql-js',
          include: onBothExecutors,
          // Fewer cases than for the fast path, which runs all of them.
          env: { EXECUTOR: 'graphql-js', RUNS: String(Math.ceil(runs / 5)) },
        },
      },
    ],
  },
});

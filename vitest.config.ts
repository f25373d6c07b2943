// Configuration of the tests. `npm test` runs those that need little time, `npm run test:programs` those with databases,
// browsers and whole processes, `npm run test:load` those that measure; `npm run test:long` runs the properties with many
// more cases.
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { runs } from './test/support/runs.ts';

/** Tests that also run with EXECUTOR=graphql-js: properties, secrets, and isolation of callers. */
const onBothExecutors = [
  'test/property/{callers,cursors,decimals,requests}.test.ts',
  'test/contract/{errors,identity,logs,page-shifts,profile,readings,shapes}.test.ts',
  'test/security/{half-pairs,tenant,variables}.test.ts',
];

const unit = 'test/unit/**/*.test.ts';
const browser = 'test/browser/*.test.ts';

/** Tests that measure the CPU time or memory of a process, or wait for limits of time. */
const load = [
  'test/security/{attack-search,bodies,connections,jwks,kept-answers}.test.ts',
  'test/security/{operation-cache,quotes,service,unknown-texts}.test.ts',
  'test/contract/{overload,resilience,tls}.test.ts',
];

/** Tests that build or install the package, or start it and other programs as an operator would. */
const programs = [
  'test/{package,process}.test.ts',
  'test/conformance/{scripts,snippets}.test.ts',
  'test/databases/*.test.ts',
];

/** Tests with a process for each file: they replace modules, have short deadlines, or share little with other tests. */
const alone = [
  'test/contract/fast-path.test.ts',
  'test/property/{connection-chaos,executors}.test.ts',
  'test/walk/*.test.ts',
];

/** Tests that take up to half an hour each: only in `npm run test:long` with its default number of cases. */
const long = 'test/security/planted-defects.test.ts';

/** Cases of these tests take little time, or are measured attacks. */
const manyRuns = { RUNS: process.env['RUNS'] ?? '100' };

// Tests run in several processes, and many start others: each would compile the same code again.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'account-bff-test-compile-cache');

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
      // A fresh copy of all modules for each file would take as long as most tests.
      { extends: true, test: { name: 'unit', include: [unit], isolate: false, env: manyRuns } },
      {
        extends: true,
        test: {
          name: 'all',
          include: ['test/**/*.test.ts'],
          exclude: [unit, browser, ...load, ...programs, ...alone, long],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: alone } },
      { extends: true, test: { name: 'programs', include: programs } },
      {
        extends: true,
        test: { name: 'load', include: runs > 1000 ? [...load, long] : load, env: manyRuns },
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
          isolate: false,
          // Of many cases, fewer than for the fast path, which runs all of them.
          env: { EXECUTOR: 'graphql-js', RUNS: String(runs > 100 ? Math.ceil(runs / 5) : runs) },
        },
      },
    ],
  },
});

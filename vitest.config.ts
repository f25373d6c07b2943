// How the tests run; `npm test` is all of them, `npm run test:long` the properties with many more runs.
import { defineConfig } from 'vitest/config';

/** How often a property runs (test/support/properties.ts). One that is cut off would go on beside the next. */
const runs = Number(process.env['RUNS'] ?? 1000);

/**
 * What is run once more with EXECUTOR=graphql-js: properties, what may stand in no answer and no line of the log, and
 * what one caller must not see of another.
 */
const onBothExecutors = [
  'test/property/{callers,cursors,decimals,requests}.test.ts',
  'test/contract/{errors,identity,logs,page-shifts,profile,shapes}.test.ts',
  'test/security/{tenant,variables}.test.ts',
];

export default defineConfig({
  // Vite would load graphql's module build beside the CommonJS one that Apollo Server loads; Node has only the latter.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    testTimeout: 120 * Math.max(runs, 1000),
    hookTimeout: 120_000,
    projects: [
      { extends: true, test: { name: 'all', include: ['test/**/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'graphql-js',
          include: onBothExecutors,
          // Fewer cases than by the compiled path, which has them all.
          env: { EXECUTOR: 'graphql-js', RUNS: process.env['RUNS'] ?? '200' },
        },
      },
    ],
  },
});

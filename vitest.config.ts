// How the tests run; `npm test` is all of them, `npm run test:long` the properties with many more runs.
import { defineConfig } from 'vitest/config';
import { runs } from './test/support/runs.ts';

/**
 * What is run once more with EXECUTOR=graphql-js: properties, what may stand in no answer and no line of the log, and
 * what one caller must not see of another.
 */
const onBothExecutors = [
  'test/property/{callers,cursors,decimals,requests}.test.ts',
  'test/contract/{errors,identity,logs,page-shifts,profile,shapes}.test.ts',
  'test/security/{tenant,variables}.test.ts',
];

const unit = 'test/unit/**/*.test.ts';

export default defineConfig({
  // Vite would load graphql's module build beside the CommonJS one that Apollo Server loads; Node has only the latter.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    // A property that is cut off would go on beside the next.
    testTimeout: 120 * Math.max(runs, 1000),
    hookTimeout: 120_000,
    projects: [
      // Without a fresh copy of all modules for each file, which takes as long as these tests.
      { extends: true, test: { name: 'unit', include: [unit], isolate: false } },
      { extends: true, test: { name: 'all', include: ['test/**/*.test.ts'], exclude: [unit] } },
      {
        extends: true,
        test: {
          name: 'graphql-js',
          include: onBothExecutors,
          // Fewer cases than by the compiled path, which has them all.
          env: { EXECUTOR: 'graphql-js', RUNS: String(Math.ceil(runs / 5)) },
        },
      },
    ],
  },
});

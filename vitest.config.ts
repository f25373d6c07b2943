// How the tests run; `npm test` is all of them, `npm run test:long` the properties with many more runs.
import { defineConfig } from 'vitest/config';

/** How often a property runs (test/support/properties.ts). One that is cut off would go on beside the next. */
const runs = Number(process.env['RUNS'] ?? 1000);

export default defineConfig({
  // Vite would load graphql's module build beside the CommonJS one that Apollo Server loads; Node has only the latter.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 120 * Math.max(runs, 1000),
    hookTimeout: 30_000,
  },
});

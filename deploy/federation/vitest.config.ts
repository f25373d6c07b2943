// Configuration of the supergraph's tests; account-bff runs from its source in the same process.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // As in the project's own configuration: otherwise Vite loads graphql a second time, as a module.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    silent: 'passed-only',
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

// Configuration of the session kit's tests; account-bff runs from its source in the same process.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // As in the root configuration, because Vite would otherwise load graphql twice.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: { include: ['test/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 120_000 },
});

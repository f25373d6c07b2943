// Builds GraphiQL for browsers; build.ts compresses the files.
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/explorer/',
  build: {
    target: 'es2022',
    // No inlined files, because the page's policy allows no inline scripts.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 4000,
    license: { fileName: 'licences.md' },
    reportCompressedSize: false,
    rolldownOptions: {
      // "use client" matters only for servers that render React.
      checks: { moduleLevelDirective: false, bundlerTimings: false },
    },
  },
  worker: { format: 'es' },
});

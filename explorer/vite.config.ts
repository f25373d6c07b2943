// How GraphiQL becomes files that a browser takes; build.ts makes explorer/dist of them.
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/explorer/',
  build: {
    target: 'es2022',
    // Every file apart: the page's policy allows no script that is written into it.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 4000,
    license: { fileName: 'licences.md' },
    reportCompressedSize: false,
    rolldownOptions: {
      // "use client" is for servers that render React.
      checks: { moduleLevelDirective: false, bundlerTimings: false },
    },
  },
  worker: { format: 'es' },
});

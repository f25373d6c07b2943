// The V8 flags that every process of the gateway sets at its start. The one flag that V8 reads earlier,
// --max-semi-space-size, stands on the command lines of `npm start` and of the image.
import { setFlagsFromString } from 'node:v8';

const flags = [
  // Otherwise V8 allocates short-lived objects in its old space after a period of high load (docs/performance.md).
  '--no-allocation-site-pretenuring',
  // With V8's defaults, there are several times as many full collections (docs/performance.md).
  '--incremental-marking-soft-trigger=60',
  '--incremental-marking-hard-trigger=80',
];

// Otherwise V8 shrinks the heap of an idle process, and the next load begins with several full collections. The V8 of
// later versions has no such flag, and would print an error.
if (process.versions.node.startsWith('24.')) flags.push('--no-memory-reducer-favors-memory');

for (const flag of flags) setFlagsFromString(flag);

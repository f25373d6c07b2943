// Ends the process with one sentence before `npm ci`, whose packages contain the Node.js that runs the scripts.
// Otherwise the first output would be a stack about TypeScript or about a missing package.
import { existsSync } from 'node:fs';

if (!existsSync(new URL('../node_modules/.package-lock.json', import.meta.url))) {
  console.error('Run `npm ci` first: it installs the packages, and the Node.js that runs them.');
  process.exit(1);
}
await import('../bin/node-version.js');

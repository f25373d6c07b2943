// `npm run supergraph`: installs the packages of deploy/federation if they are missing, then starts the supergraph.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installPackages } from './packages.ts';

const folder = join(import.meta.dirname, '../deploy/federation');
if (!existsSync(join(folder, 'node_modules'))) installPackages(folder);
await import(pathToFileURL(join(folder, 'start.ts')).href);

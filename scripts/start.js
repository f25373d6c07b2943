// `npm start`: the gateway with the settings of .env, if that file exists. The check comes first, because Node.js 20
// neither reads TypeScript nor has an option for a file that may be missing.
import './before-start.js';
import { existsSync } from 'node:fs';

if (existsSync('.env')) process.loadEnvFile('.env');
await import('../src/main.ts');

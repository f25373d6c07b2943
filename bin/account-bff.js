#!/usr/bin/env node
// The command `account-bff`, in the npm package and in a clone.
import { existsSync } from 'node:fs';
import './node-version.js';

// The package has compiled files instead.
const source = new URL('../src/cli.ts', import.meta.url);
await import(existsSync(source) ? source.href : '../dist/src/cli.js');

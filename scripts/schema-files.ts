// The files of schema/ that are generated from the other files there, for users without access to a gateway. `npm run
// schema` writes them; with `-- --release`, it also writes the copies in schema/released/. `npm run check:schema` exits
// with 1 if a file is outdated or breaks users of the last release.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { graphql } from 'graphql';
import { createSchema } from '../src/graphql/schema.ts';
import { help, readArguments } from './arguments.ts';
import { breakingChanges, undatedDeprecations } from './breaking-changes.ts';
import { clientSchema } from './client-schema.ts';
import { costSchema } from './cost-schema.ts';

const folder = new URL('../schema/', import.meta.url);
/** The schemas of the last release: for routers, which the next one must not break, and for `npm run check:clients`. */
const released = ['subgraph.graphql', 'client.graphql'] as const;

const options = {
  check: { type: 'boolean', default: false },
  release: { type: 'boolean', default: false },
  help,
} as const;
const usage = 'npm run schema -- [--check] [--release]';
const { values } = readArguments(usage, () => parseArgs({ options }));
const subgraph = await readServiceSdl();
const files = {
  'subgraph.graphql': subgraph,
  'subgraph-cost.graphql': costSchema(),
  'client.graphql': clientSchema(),
};
if (values.check) await check();
else write();

/** The answer to `_service { sdl }`. */
async function readServiceSdl(): Promise<string> {
  const { data } = await graphql({ schema: createSchema(), source: '{ _service { sdl } }' });
  const { _service } = data as { readonly _service: { readonly sdl: string } };
  return `${_service.sdl.trim()}\n`;
}

function write(): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(new URL(name, folder), text);
  if (!values.release) return;
  for (const name of released) writeFileSync(new URL(`released/${name}`, folder), files[name]);
}

async function check(): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const isOld = readFileSync(new URL(name, folder), 'utf8') !== text;
    if (isOld) fail(`schema/${name} is not what the rest of schema/ makes: npm run schema`);
  }
  const before = readFileSync(new URL('released/subgraph.graphql', folder), 'utf8');
  const breaking = await breakingChanges(before, subgraph);
  for (const problem of undatedDeprecations(subgraph)) fail(problem);
  for (const change of breaking) fail(`It breaks who uses the last release: ${change}`);
}

function fail(line: string): void {
  console.error(line);
  process.exitCode = 1;
}

// `npm run check:clients -- manifests/*.json`: which released apps a change of the schema breaks, by operation and field
// (docs/retiring-a-field.md). Exits with 1 if one breaks, with 2 if a manifest or a schema cannot be read.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { assertValidSchema, buildSchema, type GraphQLSchema } from 'graphql';
import { ManifestError, parseManifest } from '../src/operations-manifest.ts';
import { type ClientChanges, compareForClients, type Finding } from './client-changes.ts';

const folder = new URL('../schema/', import.meta.url);
const options = {
  /** The SDL files of the schema that apps were released with, and of the current schema. */
  before: { type: 'string', default: new URL('released/subgraph.graphql', folder).pathname },
  now: { type: 'string', default: new URL('client.graphql', folder).pathname },
} as const;
const { values, positionals } = parseArgs({ options, allowPositionals: true });
if (positionals.length === 0) {
  console.error('Usage: npm run check:clients -- [--before SDL] [--now SDL] app@version.json…');
  process.exitCode = 2;
} else {
  const [before, now] = [schemaOf(values.before), schemaOf(values.now)];
  if (before !== null && now !== null) {
    const changes = await compareForClients(before, now);
    for (const path of positionals) check(path, changes);
  }
}

function schemaOf(path: string): GraphQLSchema | null {
  try {
    const schema = buildSchema(read(path));
    assertValidSchema(schema);
    return schema;
  } catch (error) {
    return refuse(path, error instanceof Error ? error.message : String(error));
  }
}

function read(path: string): string {
  return readFileSync(path, 'utf8');
}

/** The app and its version are the file's name: `ios@4.2.0.json`. */
function check(path: string, changes: ClientChanges): void {
  const operations = operationsOf(path);
  if (operations === null) return;
  const findings = operations.flatMap((operation) => changes.findings(operation));
  const broken = findings.filter(({ effect }) => effect === 'breaks');
  if (broken.length > 0) process.exitCode ??= 1;
  const app = basename(path, '.json').replace(/@(?=[^@]+$)/, ' ');
  const verdict = broken.length > 0 ? 'breaks' : findings.length > 0 ? 'dangerous' : 'safe';
  console.log(`${app}: ${verdict}, ${operations.length} operations`);
  for (const finding of findings) console.log(`  ${lineOf(finding)}`);
}

function lineOf({ effect, operation, place, change }: Finding): string {
  return `${effect} ${operation} at ${place}: ${change}`;
}

function operationsOf(path: string) {
  try {
    return [...parseManifest(read(path)).values()];
  } catch (error) {
    return refuse(path, error instanceof ManifestError ? error.message : 'it cannot be read');
  }
}

function refuse(path: string, problem: string): null {
  console.error(`${path}: ${problem}`);
  process.exitCode = 2;
  return null;
}

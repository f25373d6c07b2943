// `npm run check:clients -- manifests/*.json`: which released apps a change of the schema breaks, by operation and field
// (docs/retiring-a-field.md). Exits with 1 if one breaks, with 2 if an option is wrong, or if a manifest, one of its
// operations or a schema cannot be read.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { assertValidSchema, buildSchema, GraphQLError, type GraphQLSchema } from 'graphql';
import {
  ManifestError,
  type ManifestOperation,
  parseManifest,
} from '../src/settings/operations-manifest.ts';
import { help, readArguments } from './arguments.ts';
import { type ClientChanges, compareForClients, type Finding } from './client-changes.ts';

const fileOf = (name: string) => fileURLToPath(new URL(`../schema/${name}`, import.meta.url));
const options = {
  /** The SDL files of the schema that apps were released with, and of the current schema. */
  before: { type: 'string', default: fileOf('released/client.graphql') },
  now: { type: 'string', default: fileOf('client.graphql') },
  help,
} as const;
const usage = 'npm run check:clients -- [--before SDL] [--now SDL] app@version.json…';
const { values, positionals } = readArguments(usage, () => {
  const given = parseArgs({ options, allowPositionals: true });
  if (given.positionals.length > 0 || given.values.help) return given;
  throw new TypeError('A manifest is needed.');
});
const [before, now] = [schemaOf(values.before), schemaOf(values.now)];
if (before !== null && now !== null) {
  const changes = await compareForClients(before, now);
  for (const path of positionals) check(path, changes);
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
  const findings = findingsOf(path, operations, changes);
  if (findings === null) return;
  const broken = findings.filter(({ effect }) => effect === 'breaks');
  if (broken.length > 0) process.exitCode ??= 1;
  const app = basename(path, '.json').replace(/@(?=[^@]+$)/, ' ');
  const verdict = broken.length > 0 ? 'breaks' : findings.length > 0 ? 'dangerous' : 'safe';
  const count = operations.length === 1 ? '1 operation' : `${operations.length} operations`;
  console.log(`${app}: ${verdict}, ${count}`);
  for (const finding of findings) console.log(`  ${lineOf(finding)}`);
}

function findingsOf(
  path: string,
  operations: readonly ManifestOperation[],
  changes: ClientChanges,
) {
  const found: Finding[] = [];
  for (const operation of operations) {
    try {
      found.push(...changes.findings(operation));
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      return refuse(path, `operation ${operation.name}: ${error.message}`);
    }
  }
  return found;
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

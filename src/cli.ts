#!/usr/bin/env node
// The command `account-bff`: its options, and the Node.js that it needs. Without an option it starts the gateway.
// What it needs is loaded when it is known to be needed: an older Node.js could not even load the gateway.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
}

const manifest = readManifest();
if (isNodeTooOld()) {
  fail(
    `account-bff needs Node.js ${manifest.engines.node}, and this is ${process.version}.`,
    'Where none is at hand, `npm install node@24` puts one beside it, which npx then takes.',
  );
}
const options = readOptions();
if (options.help) console.log(await help());
else if (options.version) console.log(manifest.version);
else if (options['check-config']) await checkConfig();
else await import('./main.ts');

function readManifest(): Manifest {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as Manifest;
}

/** `engines.node` is `>=major.minor`. */
function isNodeTooOld(): boolean {
  const [major = 0, minor = 0] = numbersOf(process.version);
  const [neededMajor = 0, neededMinor = 0] = numbersOf(manifest.engines.node);
  return major < neededMajor || (major === neededMajor && minor < neededMinor);
}

function numbersOf(version: string): number[] {
  return (version.match(/\d+/g) ?? []).map(Number);
}

function readOptions() {
  try {
    return parseArgs({
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        version: { type: 'boolean', short: 'v', default: false },
        'check-config': { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    // What was not understood is in the message.
    return fail(error instanceof Error ? error.message : String(error));
  }
}

function fail(...lines: readonly string[]): never {
  for (const line of lines) console.error(line);
  process.exit(1);
}

async function help(): Promise<string> {
  const { settingNames } = await import('./settings.ts');
  const width = Math.max(...settingNames.map(({ variable }) => variable.length)) + 2;
  return [
    'Usage: account-bff [option]',
    '',
    'A GraphQL gateway over an account profile and statement service. Without UPSTREAM_URL it',
    'brings a bank of its own to ask, and prints how.',
    '',
    '  --check-config  say what is wrong with the settings, and end with 1 where anything is',
    '  -v, --version   print the version',
    '  -h, --help      print this',
    '',
    'Settings are environment variables, all of them optional where NODE_ENV is not production:',
    '',
    ...settingNames.map(({ variable, expected }) => `  ${variable.padEnd(width)}${expected}`),
  ].join('\n');
}

async function checkConfig(): Promise<void> {
  const { readSettings } = await import('./environment.ts');
  readSettings();
  console.log('The settings can be used.');
}

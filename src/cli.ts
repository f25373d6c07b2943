#!/usr/bin/env node
// The command `account-bff`: its commands and options, and the Node.js version that it needs. Starts the gateway by default.
// Other modules are imported after the version check, because an older Node.js could not load them.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
}

const manifest = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as Manifest;
if (isNodeTooOld()) {
  fail(
    `account-bff needs Node.js ${manifest.engines.node}, and this is ${process.version}.`,
    '`npm install node@24` installs one beside the package, which npx then runs.',
  );
}
const [command, ...commandArgs] = process.argv.slice(2);
if (command === 'cursor') await printCursor();
else if (command === 'doctor') await (await import('./doctor/doctor.ts')).runDoctor(commandArgs);
else await runGateway();

/** `engines.node` has the form `>=major.minor`. */
function isNodeTooOld(): boolean {
  const [major = 0, minor = 0] = numbersOf(process.version);
  const [neededMajor = 0, neededMinor = 0] = numbersOf(manifest.engines.node);
  return major < neededMajor || (major === neededMajor && minor < neededMinor);
}

function numbersOf(version: string): number[] {
  return (version.match(/\d+/g) ?? []).map(Number);
}

async function printCursor(): Promise<void> {
  const { describeCursor } = await import('./describe-cursor.ts');
  try {
    console.log(describeCursor(commandArgs));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    fail(error.message);
  }
}

async function runGateway(): Promise<void> {
  const options = readOptions();
  if (options.help) console.log(await help());
  else if (options.version) console.log(manifest.version);
  else if (options['check-config']) {
    (await import('./settings.ts')).readSettings();
    console.log('The settings can be used.');
  } else await import('./main.ts');
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
    // The message names the argument.
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
    'Usage: account-bff [command | option]',
    '',
    'A GraphQL gateway over an account profile and statement service. Without UPSTREAM_URL it',
    'starts a sandbox bank as well, and prints a query to try.',
    '',
    '  cursor TEXT     explain what a cursor holds; --account, --from and --to compare its statement',
    '  doctor          ask a deployment of the service what its API description leaves open',
    '',
    '  --check-config  print every wrong setting; exit 1 if there are any',
    '  -v, --version   print the version',
    '  -h, --help      print this',
    '',
    'Settings are environment variables. All are optional unless NODE_ENV is production:',
    '',
    ...settingNames.map(({ variable, expected }) => `  ${variable.padEnd(width)}${expected}`),
  ].join('\n');
}

// The command `account-bff`, which bin/account-bff.js loads if the version of Node.js is supported.
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const [command, ...commandArgs] = process.argv.slice(2);
if (command === 'cursor') {
  const { describeCursor } = await import('./describe-cursor.ts');
  console.log(orFail(() => describeCursor(commandArgs)));
} else if (command === 'doctor') await (await loadDoctor()).runDoctor(commandArgs);
else if (command?.startsWith('-') === false) {
  fail(`There is no command "${command}"; account-bff --help lists the commands.`);
} else await runGateway();

/** The doctor stands beside src, and the image does not contain it. */
async function loadDoctor() {
  if (existsSync(new URL('../doctor', import.meta.url))) return import('../doctor/doctor.ts');
  return fail(
    'The image does not contain the doctor; `npx account-bff doctor` of the npm package runs it.',
  );
}

async function runGateway(): Promise<void> {
  const options = {
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean', short: 'v' },
    'check-config': { type: 'boolean' },
  } as const;
  const { values } = orFail(() => parseArgs({ options }));
  if (values.help) console.log(await help());
  else if (values.version) console.log(version());
  else if (values['check-config']) {
    const { misspeltVariables, readSettings } = await import('./settings/settings.ts');
    readSettings();
    for (const [variable, like] of misspeltVariables()) {
      console.log(`${variable} is no setting; is ${like} meant?`);
    }
    console.log('The settings can be used.');
  } else await import('./main.ts');
}

function version(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { readonly version: string }).version;
}

/** Returns the result. A TypeError means that an argument is wrong, and ends the process with the error's message. */
function orFail<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return fail(error.message);
  }
}

function fail(...lines: readonly string[]): never {
  for (const line of lines) console.error(line);
  process.exit(1);
}

async function help(): Promise<string> {
  const { settingNames } = await import('./settings/settings.ts');
  return [
    'Usage: account-bff [command | option]',
    '',
    'A GraphQL gateway over an account profile and statement service. Without UPSTREAM_URL it',
    'starts a sandbox bank as well, and prints a query to try.',
    '',
    '  cursor TEXT     print the content of a cursor; --account, --from and --to compare its statement',
    '  doctor          examine a service: does the gateway work with it, and with which settings',
    '',
    '  --check-config  print every invalid setting; exit with 1 if there are any',
    '  -v, --version   print the version',
    '  -h, --help      print this',
    '',
    'Settings are environment variables, here with their defaults if NODE_ENV is not production.',
    'Only UPSTREAM_URL is required, in production:',
    ...settingNames.flatMap(({ variable, meaning, expected, byDefault }) => [
      '',
      `  ${variable}`,
      ...indented(meaning),
      ...indented(`takes ${expected}${byDefault === null ? '' : `; default ${byDefault}`}`),
    ]),
  ].join('\n');
}

/** The text in lines of at most 100 columns; a word that is longer has a line of its own. */
function indented(text: string): string[] {
  return text.match(/\S.{0,93}(?!\S)|\S+/g)?.map((line) => `      ${line.trimEnd()}`) ?? [];
}

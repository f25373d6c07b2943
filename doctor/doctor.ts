// The command `account-bff doctor`: examines a deployment of the account service with the gateway's own client.
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { SettingsError } from '../src/settings/settings.ts';
import { examine, type Subject } from './checkup.ts';
import { progressOn } from './progress.ts';
import { jsonOf, reportOf } from './report.ts';

const usage = `Usage: account-bff doctor --url URL --token TOKEN --tenant TENANT [option]…

Examines an account service with GET requests, and says whether the gateway works with it, and with
which settings. Other settings are read from the environment, as by the gateway.

  --url      the service's base address, as for UPSTREAM_URL, which is the default
  --token    a bearer token; - reads it from standard input, so that no list of processes shows it
  --tenant   the x-tenant-id that the token is for
  --account  the account whose statement is read; by default, the one with the most transactions
  --json     prints JSON instead of text
  --help     prints this

Exit status: 0 if the gateway works with the service, as it is or with the settings that are printed;
1 if it cannot; 2 if an argument or a setting is wrong.`;

const options = {
  url: { type: 'string' },
  token: { type: 'string' },
  tenant: { type: 'string' },
  account: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Prints the report, and sets the exit status. */
export async function runDoctor(args: readonly string[]): Promise<void> {
  const given = await readArguments(args, process.env);
  if (given === null) {
    console.log(usage);
    return;
  }
  const progress = progressOn(process.stderr);
  try {
    const checkup = await examine(given, progress.show).finally(progress.clear);
    console.log(given.isJson ? jsonOf(checkup) : reportOf(checkup));
    process.exitCode = checkup.verdict === 'cannot work' ? 1 : 0;
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
}

/** The characters that a header can have; the gateway's own check of token and tenant is part of the report. */
const visibleText = /^[!-~]+$/;

/** Returns null if the arguments ask for help. Ends the process if one is wrong. */
async function readArguments(
  args: readonly string[],
  env: Subject['env'],
): Promise<(Subject & { readonly isJson: boolean }) | null> {
  try {
    return await parseArguments(args, env);
  } catch (error) {
    // parseArgs throws a TypeError too, for example for an unknown option.
    if (!(error instanceof TypeError)) throw error;
    console.error(`${error.message}\n\n${usage}`);
    process.exit(2);
  }
}

async function parseArguments(args: readonly string[], env: Subject['env']) {
  const { values } = parseArgs({ args: [...args], options });
  if (values.help) return null;
  const { url = env['UPSTREAM_URL'], tenant, account = null, json: isJson } = values;
  const token = values.token === '-' ? (await text(process.stdin)).trim() : values.token;
  if (!url || !token || !tenant) throw new TypeError('--url, --token and --tenant are needed.');
  if (!visibleText.test(token) || !visibleText.test(tenant)) {
    throw new TypeError('--token and --tenant must be visible ASCII characters.');
  }
  return { env: { ...env, UPSTREAM_URL: url }, token, tenant, accountId: account, isJson };
}

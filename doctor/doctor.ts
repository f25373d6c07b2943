// Finds out how a deployment of the account service behaves where its API description leaves the behaviour open:
// `account-bff doctor --url … --token …`.
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { type CheckupSettings, examine } from './checkup.ts';
import { jsonOf, tableOf } from './report.ts';
import { ServiceError } from './probe.ts';

const usage = `Usage: account-bff doctor --url URL --token TOKEN --tenant TENANT [option]…

Finds out, with GET requests only, what the API description of the account service leaves open.

  --url      the service's base address, as for UPSTREAM_URL
  --token    a bearer token; - reads it from standard input, so that no list of processes shows it
  --tenant   the x-tenant-id that the token is for
  --account  the account whose statement is read; by default, the one with the most transactions
  --timeout  the timeout for each answer in milliseconds; default 30000
  --json     prints JSON instead of a table
  --help     prints this`;

const options = {
  url: { type: 'string' },
  token: { type: 'string' },
  tenant: { type: 'string' },
  account: { type: 'string' },
  timeout: { type: 'string', default: '30000' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Prints the findings. Exit codes: 1 if the service does not answer, 2 if an argument is wrong. */
export async function runDoctor(args: readonly string[]): Promise<void> {
  const given = await readArguments(args);
  if (given === null) {
    console.log(usage);
    return;
  }
  const { settings, json } = given;
  try {
    const checkup = await examine(settings);
    console.log(json ? jsonOf(checkup) : tableOf(checkup));
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

/** The gateway accepts no other characters in a token or a tenant, and not all of these. */
const visibleText = /^[!-~]+$/;

/** As for UPSTREAM_URL. */
const baseAddress = /^https?:\/\/[^/\\\s@?#][^@?#]*$/i;

/** Returns null if the arguments ask for help. Ends the process if one is wrong. */
async function readArguments(
  args: readonly string[],
): Promise<{ settings: CheckupSettings; json: boolean } | null> {
  try {
    const { values } = parseArgs({ args: [...args], options });
    if (values.help) return null;
    const { url = '', tenant = '', token: given = '', account, timeout, json } = values;
    if (!baseAddress.test(url) || !URL.canParse(url)) {
      throw new TypeError(
        '--url must start with http:// or https:// and a host, with no user, query or fragment.',
      );
    }
    if (given === '' || tenant === '') throw new TypeError('--token and --tenant are needed.');
    if (!/^[1-9]\d{0,6}$/.test(timeout)) throw new TypeError('--timeout must be milliseconds.');
    const token = given === '-' ? (await text(process.stdin)).trim() : given;
    if (!visibleText.test(token) || !visibleText.test(tenant)) {
      throw new TypeError('--token and --tenant must be visible ASCII characters.');
    }
    const settings = {
      url,
      tenant,
      token,
      accountId: account ?? null,
      timeoutMs: Number(timeout),
    };
    return { settings, json };
  } catch (error) {
    // parseArgs throws a TypeError too, for example for an unknown option.
    if (!(error instanceof TypeError)) throw error;
    console.error(`${error.message}\n\n${usage}`);
    process.exit(2);
  }
}

// Starts the bank alone and prints how to use it: `npm run bank -- --port 4010 --seed mine`.
import { parseArgs } from 'node:util';
import { startBank } from './bank.ts';
import {
  type BankDescription,
  describeBank,
  type DescribedHolder,
  holderLines,
} from './describe.ts';

const usage = 'Usage: npm run bank -- [--port 4010] [--host 127.0.0.1] [--seed sandbox]';

const bank = await startBank(readOptions()).catch((error: unknown) =>
  end(1, `The bank cannot listen: ${error instanceof Error ? error.message : String(error)}`),
);
for (const line of linesOf(await describeBank(bank))) console.log(line);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void bank.close());

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        help: { type: 'boolean', short: 'h' },
        port: { type: 'string', default: '4010' },
        host: { type: 'string', default: '127.0.0.1' },
        seed: { type: 'string', default: 'sandbox' },
      },
    });
    const { help, port, host, seed } = values;
    if (help) return end(0, usage);
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
      throw new TypeError('--port must be a number from 0 to 65535.');
    return { host, seed, port: Number(port) };
  } catch (error) {
    // parseArgs throws a TypeError for an unknown option, for example.
    if (!(error instanceof TypeError)) throw error;
    return end(2, `${error.message} ${usage}`);
  }
}

function end(exitCode: number, line: string): never {
  (exitCode === 0 ? console.log : console.error)(line);
  process.exit(exitCode);
}

function linesOf({ url, controlUrl, tenants, holders }: BankDescription): string[] {
  const curl = holders.slice(0, 1).flatMap((holder) => curlLines(url, holder));
  return [
    `Sandbox bank at ${url}, tenants ${tenants.join(', ')}.`,
    `Script it at ${controlUrl} (docs/sandbox.md).`,
    ...holderLines(holders),
    '',
    ...curl,
  ];
}

function curlLines(url: string, { tenant, token }: DescribedHolder): string[] {
  const headers = ['content-type: application/json', `x-tenant-id: ${tenant}`];
  return [
    `curl ${url}/persons ${headers.map((header) => `-H '${header}'`).join(' ')} \\`,
    `  -H 'Authorization: Bearer ${token}'`,
  ];
}

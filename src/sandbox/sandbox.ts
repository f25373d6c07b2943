// Starts the bank alone and prints how to use it: `npm run bank -- --port 4010 --seed mine`. With --show it only
// prints the holders, which are the same for each bank with this seed.
import { parseArgs } from 'node:util';
import { startBank } from './bank.ts';
import {
  type BankDescription,
  describeBank,
  type DescribedHolder,
  holderLines,
} from './describe.ts';

const usage = 'Usage: npm run bank -- [--port 4010] [--host 127.0.0.1] [--seed sandbox] [--show]';

const { show, ...options } = readOptions();
const bank = await startBank(show ? { ...options, port: 0 } : options).catch((error: unknown) =>
  end(1, cannotListen(error)),
);
const description = await describeBank(bank);
if (show) {
  await bank.close();
  end(0, holderLines(description.holders).slice(1).join('\n'));
}
for (const line of linesOf(description)) console.log(line);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void bank.close());

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        help: { type: 'boolean', short: 'h' },
        port: { type: 'string', default: '4010' },
        host: { type: 'string', default: '127.0.0.1' },
        seed: { type: 'string', default: 'sandbox' },
        show: { type: 'boolean', default: false },
      },
    });
    const { help, port, host, seed, show } = values;
    if (help) return end(0, usage);
    if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
      throw new TypeError('--port must be a number from 0 to 65535.');
    return { host, seed, show, port: Number(port) };
  } catch (error) {
    // parseArgs throws a TypeError for an unknown option, for example.
    if (!(error instanceof TypeError)) throw error;
    return end(2, `${error.message} ${usage}`);
  }
}

function cannotListen(error: unknown): string {
  const { code, port, message } = error as NodeJS.ErrnoException & { readonly port?: number };
  return code === 'EADDRINUSE'
    ? `Port ${port} is in use: stop the program that uses it, or choose another with --port.`
    : `The bank cannot listen: ${message}`;
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

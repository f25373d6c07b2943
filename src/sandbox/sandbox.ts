// Starts the bank alone and prints how to use it: `npm run bank -- --port 4010 --seed mine`.
import { parseArgs } from 'node:util';
import { startBank } from './bank.ts';
import {
  type BankDescription,
  describeBank,
  type DescribedHolder,
  holderLines,
} from './describe.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4010' },
    host: { type: 'string', default: '127.0.0.1' },
    seed: { type: 'string', default: 'sandbox' },
  },
});

const bank = await startBank({ ...values, port: Number(values.port) });
for (const line of linesOf(await describeBank(bank))) console.log(line);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void bank.close());

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

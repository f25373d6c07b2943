// A description of a running bank, for people and for explorers: its holders with tokens, and instructions.
import type { Bank } from './bank-script.ts';
import type { HolderSummary } from './data/directory.ts';

/** A holder in one tenant, with a token for it. */
export interface DescribedHolder extends Omit<HolderSummary, 'accounts'> {
  readonly token: string;
  readonly accounts: readonly { readonly id: string; readonly transactions: number }[];
}

/** A bank in a form that can be printed. */
export interface BankDescription {
  readonly url: string;
  readonly controlUrl: string;
  readonly tenants: readonly string[];
  readonly holders: readonly DescribedHolder[];
}

/** Describes the current state of a bank, with a token for each holder in each of its tenants. */
export async function describeBank(bank: Bank): Promise<BankDescription> {
  const { url, controlUrl, tenants } = bank;
  const holders = bank.holders.map(async (holder) => ({
    ...holder,
    token: await bank.tokenFor({ id: holder.id, tenant: holder.tenant }),
    accounts: holder.accounts.map((id) => ({ id, transactions: bank.statement(id).length })),
  }));
  return { url, controlUrl, tenants, holders: await Promise.all(holders) };
}

/** The holders as lines for a terminal, each with its accounts and the headers that identify it. */
export function holderLines(holders: readonly DescribedHolder[]): string[] {
  return holders.flatMap(({ id, kind, name, tenant, token, accounts }) => [
    '',
    `${kind} ${name} (${id})`,
    ...accounts.map(
      (account) =>
        `  account ${account.id}: ${account.transactions} transaction${account.transactions === 1 ? '' : 's'}`,
    ),
    `  x-tenant-id: ${tenant}`,
    `  Authorization: Bearer ${token}`,
  ]);
}

/** The holders as callers that an explorer offers. */
export function sampleCallersOf({ holders }: BankDescription) {
  return holders.map(({ name, tenant, token, accounts }) => ({
    name,
    tenant,
    token,
    accounts: accounts.map(({ id }) => id),
  }));
}

/**
 * Instructions for a gateway that uses the bank, in few lines, because they are the first thing that a user sees. The
 * query and the explorers are left out if the gateway would refuse them.
 */
export function introductionTo(
  { controlUrl, holders }: BankDescription,
  gatewayUrl: string,
  { explorer, operationsOnly }: { readonly explorer: boolean; readonly operationsOnly: boolean },
): string {
  const [{ name, tenant, token } = { name: '', tenant: '', token: '' }] = holders;
  const query = '{ me { ... on AccountHolder { name } } accounts { balance } }';
  const ask = [
    '',
    `Ask as ${name}:`,
    `curl ${gatewayUrl}/graphql -H 'content-type: application/json' \\`,
    `  -H 'x-tenant-id: ${tenant}' \\`,
    `  -H 'authorization: Bearer ${token}' \\`,
    `  -d '${JSON.stringify({ query })}'`,
  ];
  const explorers = [
    '',
    'Or explore in a browser:',
    `  GraphiQL        ${gatewayUrl}/explorer`,
    `  Apollo Sandbox  ${gatewayUrl}/graphql (needs internet access)`,
  ];
  return [
    'UPSTREAM_URL is not set, so a sandbox bank answers.',
    `It is scripted at ${controlUrl}.`,
    `Its ${holders.length} holders, with accounts and tokens: npm run bank -- --show`,
    ...(operationsOnly ? [] : ask),
    ...(explorer && !operationsOnly ? explorers : []),
  ].join('\n');
}

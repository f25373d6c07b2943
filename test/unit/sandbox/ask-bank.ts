// Asks a sandbox bank as a client of the service does.
import type { Bank } from '../../../src/sandbox/bank.ts';

/** Who asks, and what is different from an ordinary request. A header of undefined is left out. */
export interface Asking {
  readonly holder?: { readonly id: string; readonly tenant: string };
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly method?: string;
  readonly signal?: AbortSignal;
}

/** What the tests look at in a page of a statement. */
export interface Page {
  readonly data: readonly { readonly id: string; readonly createdAt: string }[];
  readonly pagination: Readonly<Record<string, number>>;
}

/** Asks for a path, by default as the bank's first holder. */
export async function ask(bank: Bank, path: string, asking: Asking = {}): Promise<Response> {
  const { holder = firstHolder(bank), headers = {}, method = 'GET', signal = null } = asking;
  const sent = new Headers({
    authorization: `Bearer ${await bank.tokenFor({ id: holder.id, tenant: holder.tenant })}`,
    'x-tenant-id': holder.tenant,
    'content-type': 'application/json',
  });
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) sent.delete(name);
    else sent.set(name, value);
  }
  return fetch(`${bank.url}${path}`, { method, signal, headers: sent, redirect: 'manual' });
}

/** A page of an account of the bank's first holder; `query` begins with a question mark. */
export async function askPage(bank: Bank, accountId: string, query = ''): Promise<Page> {
  const response = await ask(bank, `/accounts/${accountId}/transactions${query}`);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as Page;
}

/** The ids of a page. */
export async function askIds(bank: Bank, accountId: string, query = ''): Promise<string[]> {
  return (await askPage(bank, accountId, query)).data.map(({ id }) => id);
}

/** The ids of an account's whole statement as the bank has it. */
export function idsOf(bank: Bank, accountId: string): string[] {
  return bank.statement(accountId).map(({ id }) => id);
}

/** The holder that stands first in the bank. */
export function firstHolder(bank: Bank) {
  const [holder] = bank.holders;
  if (holder === undefined) throw new Error('The bank has no holders.');
  return holder;
}

/** An account of its own for a test, of the bank's first holder. */
export function newAccount(bank: Bank, transactions: number): string {
  return bank.addAccount(firstHolder(bank).id, { transactions });
}

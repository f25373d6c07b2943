// A sandbox bank for the tests of one file, and requests to this bank in the form that a client of the service uses.
import { afterAll } from 'vitest';
import { type Bank, startBank } from '../../../src/sandbox/bank.ts';

/**
 * The holder who sends a request, and the differences from an ordinary request. A header that is undefined is not sent.
 */
export interface Asking {
  readonly holder?: { readonly id: string; readonly tenant: string };
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly method?: string;
  readonly signal?: AbortSignal;
}

/** The parts of a page that the tests read. */
export interface Page {
  readonly data: readonly { readonly id: string; readonly createdAt: string }[];
  readonly pagination: Readonly<Record<string, number>>;
}

/** Starts a bank that is closed after the tests of the file. */
export async function startSharedBank(): Promise<Bank> {
  const bank = await startBank();
  afterAll(() => bank.close());
  return bank;
}

/** Requests a path, by default as the bank's first holder. */
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

/**
 * A page of an account of the bank's first holder; throws unless the status is 200. `query` is empty or begins with a
 * question mark.
 */
export async function askPage(bank: Bank, accountId: string, query = ''): Promise<Page> {
  const response = await ask(bank, `/accounts/${accountId}/transactions${query}`);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as Page;
}

/** The ids of the transactions on a page. */
export async function askIds(bank: Bank, accountId: string, query = ''): Promise<string[]> {
  return (await askPage(bank, accountId, query)).data.map(({ id }) => id);
}

/** The ids of an account's whole statement in the bank. */
export function idsOf(bank: Bank, accountId: string): string[] {
  return bank.statement(accountId).map(({ id }) => id);
}

/** The bank's first holder. */
export function firstHolder(bank: Bank) {
  const [holder] = bank.holders;
  if (holder === undefined) throw new Error('The bank has no holders.');
  return holder;
}

/** Adds an account for one test to the bank's first holder. Returns the id of the account. */
export function newAccount(bank: Bank, transactions: number): string {
  return bank.addAccount(firstHolder(bank).id, { transactions });
}

// The answers of the static service, and the tokens of its callers, taken once from a sandbox bank.
import { startBank } from '../src/sandbox/bank.ts';
import type { Bank } from '../src/sandbox/bank-script.ts';
import { exactJson } from './exact-json.ts';

export interface Fixture {
  /**
   * Three accounts of one holder, with statements of 130 transactions. Workloads that read one statement read the
   * first account's.
   */
  readonly accounts: readonly string[];
  /** The text of each answer, by path and query. */
  readonly answers: ReadonlyMap<string, string>;
  /** The JWK set for the tokens, and the tokens' issuer and audience. */
  readonly keySet: string;
  readonly issuer: string;
  readonly audience: string;
  readonly tenant: string;
  /** Bearer tokens, one per caller, all of the same holder. */
  readonly tokens: readonly string[];
  /** The answer for a path, parsed so that numbers keep their digits. */
  parsed(path: string): unknown;
}

const pages = 6;

/**
 * Takes the answers from a bank. `callers` should exceed the number of connections, so that concurrent requests come
 * from different callers. Calls of one caller can share a read, which would save more work here than in practice.
 */
export async function takeFixture(callers = 256): Promise<Fixture> {
  await using bank = await startBank({ seed: 'bench' });
  const transactions = 130;
  const { id, tenant, accounts } = bank.addHolder({
    name: 'Ana Beatriz Moreira da Silva',
    accounts: [{ transactions }, { transactions }, { transactions }],
  });
  const answers = new Map<string, string>();
  const headers = {
    authorization: `Bearer ${await bank.tokenFor(id)}`,
    'x-tenant-id': tenant,
    'content-type': 'application/json',
  };
  for (const path of pathsOf(accounts)) {
    const response = await fetch(bank.url + path, { headers });
    if (response.status !== 200) throw new Error(`${path} is answered with ${response.status}`);
    answers.set(path, await response.text());
  }
  return {
    accounts,
    answers,
    keySet: await (await fetch(bank.keySetUrl)).text(),
    issuer: bank.issuer,
    audience: bank.audience,
    tenant,
    tokens: await mintTokens(bank, id, callers),
    parsed: (path) => exactJson(answers.get(path) ?? 'null'),
  };
}

/** The path of a page of a statement. */
export function pagePath(account: string, page: number): string {
  return `/accounts/${account}/transactions?page=${page}`;
}

function pathsOf(accounts: readonly string[]): string[] {
  const numbers = Array.from({ length: pages }, (_, number) => number);
  return ['/persons', ...accounts.flatMap((id) => numbers.map((page) => pagePath(id, page)))];
}

function mintTokens(bank: Bank, id: string, callers: number): Promise<string[]> {
  const tokens = Array.from({ length: callers }, (_, index) =>
    bank.tokenFor(id, { jti: String(index) }),
  );
  return Promise.all(tokens);
}

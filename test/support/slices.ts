// Opens accounts for contract tests, requests slices with every field, and lists the calls to the bank.
import type { NewAccount } from '../../src/sandbox/data/account-fields.ts';
import type { Bank } from '../../src/sandbox/bank-script.ts';
import type { NewStatement } from '../../src/sandbox/data/statement-builder.ts';
import { pagesOf } from './bank.ts';
import { connectionFields } from './documents.ts';
import type { TestGateway } from './gateway.ts';
import { type Answer, firstHolder, query, type Question } from './query.ts';
import type { SliceQuery } from './walker.ts';

/** A TransactionConnection as a client receives it. */
export interface Connection {
  readonly edges: readonly Edge[];
  readonly nodes: readonly ({ readonly id: string } | null)[];
  readonly totalCount: number;
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

interface Edge {
  readonly cursor: string;
  readonly node: (Readonly<Record<string, unknown>> & { readonly id: string }) | null;
}

/** The result of a request for a slice. */
export interface AskedSlice {
  readonly answer: Answer;
  /** The pages requested from the bank, in order. */
  readonly pages: readonly (number | null)[];
  /** The connection; throws if the answer has none. */
  readonly connection: Connection;
  /** The transactions' ids, in the answer's order. */
  readonly ids: readonly (string | undefined)[];
  /** The cursor of the edge at an index, counted from the end if negative. */
  readonly cursor: (index: number) => string;
}

/** The arguments of `transactions` without the account; a client may omit each or send null. */
export type SliceArguments = { readonly [K in keyof SliceQuery]?: SliceQuery[K] | null };

const document = `query Slice($id: ID!, $from: Date, $to: Date, $first: Int, $after: String, $last: Int, $before: String) {
  transactions(accountId: $id, from: $from, to: $to, first: $first, after: $after, last: $last, before: $before) {
    ${connectionFields}
  }
}`;

/** Requests a slice, as the bank's first holder unless `headers` are given. */
export async function askSlice(
  gateway: Pick<TestGateway, 'url' | 'bank'>,
  id: string,
  args: SliceArguments = {},
  headers: NonNullable<Question['headers']> = {},
): Promise<AskedSlice> {
  gateway.bank.resetCalls();
  const answer = await query(gateway, document, { variables: { id, ...args }, headers });
  const pages = pagesOf(gateway.bank);
  const connection = () => connectionOf(answer);
  return {
    answer,
    pages,
    get connection() {
      return connection();
    },
    get ids() {
      return connection().edges.map(({ node }) => node?.id);
    },
    cursor: (index) => cursorAt(connection(), index),
  };
}

function connectionOf({ data, text }: Answer): Connection {
  const connection = data?.['transactions'] as Connection | null | undefined;
  if (!connection) throw new Error(`no slice, but ${text}`);
  return connection;
}

function cursorAt({ edges }: Connection, index: number): string {
  const edge = edges.at(index);
  if (edge === undefined) throw new Error(`the slice has no edge ${index}`);
  return edge.cursor;
}

/** Opens an account of the first holder, the default caller, and returns its id. `shape` is as for Bank.addAccount. */
export function openAccount(
  bank: Bank,
  transactions: NewStatement = 95,
  shape: Omit<NewAccount, 'transactions'> = {},
): string {
  const { id, tenant } = firstHolder(bank);
  return bank.addAccount(id, { tenant, transactions, ...shape });
}

/** The current ids of a statement, newest first. */
export function idsOf(bank: Bank, accountId: string): string[] {
  return bank.statement(accountId).map(({ id }) => id);
}

/** The cursors of the newest hundred transactions. */
export async function cursorsOf(
  gateway: Pick<TestGateway, 'url' | 'bank'>,
  accountId: string,
): Promise<string[]> {
  const { connection } = await askSlice(gateway, accountId, { first: 100 });
  return connection.edges.map(({ cursor }) => cursor);
}

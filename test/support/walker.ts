// A client that walks a statement over HTTP, for properties with thousands of walks.
import { Pool } from 'undici';
import { callerHeaders } from './query.ts';
import type { TestGateway } from './gateway.ts';

/** A slice as a client sees it. */
export interface WalkedSlice {
  /** The ids in the service's order. */
  readonly ids: readonly string[];
  readonly totalCount: number;
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly startCursor: string | null;
  readonly endCursor: string | null;
  readonly cursors: readonly string[];
  readonly amounts: readonly (string | null)[];
}

/** Arguments of `transactions` without the account. */
export interface SliceQuery {
  readonly first?: number;
  readonly after?: string | null;
  readonly last?: number;
  readonly before?: string | null;
  readonly from?: string;
  readonly to?: string;
}

/** Thrown if the gateway answers with an error. */
export class SliceError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(`${code}: ${message}`);
    this.code = code;
  }
}

export interface Walker extends AsyncDisposable {
  /** Reads one slice; throws a SliceError if the answer has an error. */
  slice(accountId: string, query: SliceQuery): Promise<WalkedSlice>;
}

const document = `query Slice($id: ID!, $from: Date, $to: Date, $first: Int, $after: String, $last: Int, $before: String) {
  transactions(accountId: $id, from: $from, to: $to, first: $first, after: $after, last: $last, before: $before) {
    edges { cursor node { id amount } }
    totalCount
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;

interface SliceAnswer {
  readonly data?: { readonly transactions: Connection | null };
  readonly errors?: readonly { message: string; extensions: { code: string } }[];
}

interface Connection {
  readonly edges: readonly { cursor: string; node: { id: string; amount: string | null } | null }[];
  readonly totalCount: number;
  readonly pageInfo: Pick<
    WalkedSlice,
    'hasNextPage' | 'hasPreviousPage' | 'startCursor' | 'endCursor'
  >;
}

/** A walker that sends its requests as the bank's first holder. */
export async function createWalker(gateway: TestGateway): Promise<Walker> {
  const pool = new Pool(gateway.url);
  const headers = {
    ...(await callerHeaders(gateway.bank)),
    'content-type': 'application/json',
    accept: 'application/json',
  };
  return {
    async slice(id, args) {
      const body = JSON.stringify({ query: document, variables: { id, ...args } });
      const answer = await pool.request({ path: '/graphql', method: 'POST', headers, body });
      return toSlice((await answer.body.json()) as SliceAnswer);
    },
    [Symbol.asyncDispose]: () => pool.close(),
  };
}

function toSlice({ data, errors }: SliceAnswer): WalkedSlice {
  const [error] = errors ?? [];
  if (error !== undefined) throw new SliceError(error.extensions.code, error.message);
  const connection = data?.transactions;
  if (!connection) throw new Error('an answer without data and without an error');
  const { edges, totalCount, pageInfo } = connection;
  return {
    ...pageInfo,
    totalCount,
    ids: edges.map(({ node }) => node?.id ?? ''),
    cursors: edges.map(({ cursor }) => cursor),
    amounts: edges.map(({ node }) => node?.amount ?? null),
  };
}

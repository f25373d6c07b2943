// The statements that a session has read: one per account and period.
import type { ApolloClient } from '@apollo/client';
import { balanceDocument, newSinceDocument, statementDocument } from '../documents.ts';
import { failureBy, sliceFailureOf } from '../failure.ts';
import type { SliceFragment } from '../generated/graphql.ts';
import { SliceError } from '../slice.ts';
import { askedFor, type Period } from './period.ts';
import { createStatement, type Statement, type StatementReads } from './statement-store.ts';

/** Returns the statement of an account in a period, always the same one for the same arguments. */
export type Statements = (accountId: string, period: Period) => Statement;

/** The answer goes to the statement only. An identical request may be another attempt, and is sent too. */
const uncached = {
  fetchPolicy: 'no-cache',
  errorPolicy: 'all',
  context: { queryDeduplication: false },
} as const;

export function createStatements(client: ApolloClient): Statements {
  const statements = new Map<string, Statement>();
  return (accountId, period) => {
    const key = JSON.stringify([accountId, period.from, period.to]);
    const statement =
      statements.get(key) ?? createStatement(createReads(client, accountId, period));
    statements.set(key, statement);
    return statement;
  };
}

function createReads(client: ApolloClient, accountId: string, period: Period): StatementReads {
  const asked = { accountId, ...askedFor(period) };
  return {
    async older(first, after) {
      const variables = { ...asked, first, after };
      const { data, error } = await client.query({
        query: statementDocument,
        variables,
        ...uncached,
      });
      return sliceOf(data?.transactions, error);
    },
    async newer(newest) {
      const variables = { ...asked, newest };
      const { data, error } = await client.query({
        query: newSinceDocument,
        variables,
        ...uncached,
      });
      const slice = sliceOf(data?.transactions, error);
      // The balance is shown with the accounts, which are in the cache.
      const account = data?.account ?? null;
      client.writeQuery({ query: balanceDocument, variables: { accountId }, data: { account } });
      return slice;
    },
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  };
}

/** The slice of an answer, in which a row or a value may be missing. */
function sliceOf(slice: SliceFragment | null | undefined, error: unknown): SliceFragment {
  const failure = sliceFailureOf(error);
  if (failure !== null || !slice) throw new SliceError(failure ?? failureBy('UNKNOWN'));
  return slice;
}

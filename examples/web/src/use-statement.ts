// A statement that grows at both ends: older transactions at its end, new ones in front.
import { useApolloClient, useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { newSinceDocument, statementDocument } from './documents.ts';
import { type Failure, failureOf } from './failure.ts';
import type { LineFragment } from './generated/graphql.ts';

export interface StatementList {
  /** Newest first, each once. */
  readonly lines: readonly LineFragment[];
  readonly hasOlder: boolean;
  readonly isLoading: boolean;
  readonly failure: Failure | null;
  /** Another slice at the end. */
  readonly loadOlder: () => Promise<void>;
  /** Whatever is new, in front, and the balance with it; tells how many there were. */
  readonly loadNewer: () => Promise<number>;
  /** Tries again what failed. */
  readonly retry: () => Promise<void>;
}

/** Asks for something; gives the error, where there was one. */
type Step = () => Promise<unknown>;

interface FailedStep {
  readonly error: unknown;
  readonly step: Step;
}

export function useStatement(accountId: string): StatementList {
  const client = useApolloClient();
  const start = { query: statementDocument, variables: { accountId, first: 20 } };
  const { data, error, loading, refetch, fetchMore } = useQuery(start.query, {
    variables: start.variables,
    errorPolicy: 'all',
    notifyOnNetworkStatusChange: true,
  });
  const [failed, setFailed] = useState<FailedStep | null>(null);
  // Until its failure is known: useQuery is done loading a moment before, in which the end of the list would ask again.
  const [isUnderWay, setUnderWay] = useState(false);
  const failure = failureOf(failed?.error) ?? failureOf(error);
  const { edges = [], pageInfo } = data?.transactions ?? {};

  const take = async (step: Step) => {
    setFailed(null);
    setUnderWay(true);
    const stepError = await step();
    setUnderWay(false);
    if (stepError !== undefined) setFailed({ error: stepError, step });
  };

  /** The cache's list, which is ahead of what was rendered last. */
  const list = () => client.readQuery(start)?.transactions;

  const begin: Step = async () => (await refetch()).error;

  const goOn: Step = async () => {
    const after = list()?.pageInfo.endCursor ?? null;
    return (await fetchMore({ variables: { after }, errorPolicy: 'all' })).error;
  };

  /** A slice has 100 at most: of more than that the oldest come first, and the others after them. */
  const catchUp: Step = async () => {
    const newest = list()?.pageInfo.startCursor;
    if (!newest) return begin();
    const { error: stepError } = await client.query({
      query: newSinceDocument,
      variables: { accountId, newest },
      fetchPolicy: 'network-only',
      errorPolicy: 'all',
    });
    if (stepError !== undefined) return stepError;
    return list()?.pageInfo.hasPreviousPage === true ? catchUp() : undefined;
  };

  return {
    lines: edges.flatMap(({ node }) => node ?? []),
    hasOlder: pageInfo?.hasNextPage ?? false,
    isLoading: loading || isUnderWay,
    failure,
    loadOlder: () => take(goOn),
    async loadNewer() {
      const length = edges.length;
      await take(catchUp);
      return (list()?.edges.length ?? length) - length;
    },
    // Without a place to go on from, the list begins anew.
    retry: () => take(failure?.remedy === 'restart' ? begin : (failed?.step ?? begin)),
  };
}

// A statement that grows at both ends: older transactions at its end, new ones in front.
import type { ApolloClient } from '@apollo/client';
import { useApolloClient, useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { newSinceDocument, statementDocument } from '../documents.ts';
import { type Failure, failureOf } from '../failure.ts';
import type { LineFragment } from '../generated/graphql.ts';
import { always, askedFor, isWithin, type Period } from './period.ts';

export interface StatementList {
  /** Those of the period, newest first, each once. */
  readonly lines: readonly LineFragment[];
  /** How many were loaded, also around the period. */
  readonly loaded: number;
  readonly hasOlder: boolean;
  readonly isLoading: boolean;
  readonly failure: Failure | null;
  /** Without a network: these are lines of the period that the list without a period holds. */
  readonly isOnlyLoaded: boolean;
  /** Another slice at the end. */
  readonly loadOlder: () => Promise<void>;
  /** All that is new, in front, and the balance with it; tells how many there were. */
  readonly loadNewer: () => Promise<number>;
  /** Tries again the step that failed. */
  readonly retry: () => Promise<void>;
}

/** Asks for something; gives the error, if there was one. */
type Step = () => Promise<unknown>;

interface FailedStep {
  readonly error: unknown;
  readonly step: Step;
}

/** The statement of an account between two days. Another account or period needs another component. */
export function useStatement(accountId: string, period: Period, timeZone: string): StatementList {
  const client = useApolloClient();
  const start = startOf(accountId, period);
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
      variables: { accountId, ...askedFor(period), newest },
      fetchPolicy: 'network-only',
      errorPolicy: 'all',
    });
    if (stepError !== undefined) return stepError;
    return list()?.pageInfo.hasPreviousPage === true ? catchUp() : undefined;
  };

  const isOnlyLoaded = failure?.code === 'OFFLINE' && edges.length === 0;
  const loaded = linesOf(isOnlyLoaded ? loadedEdges(client, accountId) : edges);
  return {
    lines: loaded.filter(({ createdAt }) => isWithin(createdAt, period, timeZone)),
    loaded: edges.length,
    hasOlder: pageInfo?.hasNextPage ?? false,
    isLoading: loading || isUnderWay,
    failure,
    isOnlyLoaded,
    loadOlder: () => take(goOn),
    async loadNewer() {
      const length = edges.length;
      await take(catchUp);
      return (list()?.edges.length ?? length) - length;
    },
    // Without a place to go on from, the list begins again.
    retry: () => take(failure?.remedy === 'restart' ? begin : (failed?.step ?? begin)),
  };
}

/** The newest transaction that was loaded, of whatever day; null if there is none. */
export function useNewest(accountId: string): LineFragment | null {
  const { data } = useQuery(statementDocument, {
    ...startOf(accountId, always),
    fetchPolicy: 'cache-only',
  });
  return linesOf(data?.transactions?.edges ?? [])[0] ?? null;
}

function startOf(accountId: string, period: Period) {
  return { query: statementDocument, variables: { accountId, ...askedFor(period), first: 20 } };
}

type Edges = readonly { readonly node: LineFragment | null }[];

function loadedEdges(client: ApolloClient, accountId: string): Edges {
  return client.readQuery(startOf(accountId, always))?.transactions?.edges ?? [];
}

function linesOf(edges: Edges): LineFragment[] {
  return edges.flatMap(({ node }) => node ?? []);
}

// A statement that grows at both ends: older transactions at its end, new ones at its start.
import type { ApolloClient } from '@apollo/client';
import { useApolloClient, useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { newestDocument, newSinceDocument, statementDocument } from '../documents.ts';
import { type Failure, sliceFailureOf } from '../failure.ts';
import type { LineFragment } from '../generated/graphql.ts';
import { always, askedFor, type Period, selectWithin } from './period.ts';

export interface StatementList {
  /** The transactions of the period, newest first, each once. */
  readonly lines: readonly LineFragment[];
  /** The number of loaded transactions, including those shortly before and after the period. */
  readonly loaded: number;
  /** The number of rows that the gateway could not show, plus, within a period, rows without a readable date. */
  readonly unreadable: number;
  readonly hasOlder: boolean;
  readonly isLoading: boolean;
  readonly failure: Failure | null;
  /** True if the failure is that of `loadNewer`; the end of the list is not affected by it. */
  readonly isUpdateFailure: boolean;
  /**
   * True if the device is offline and the period was not loaded. The lines then come from the list without a period.
   */
  readonly isOnlyLoaded: boolean;
  /** Loads another slice at the end. */
  readonly loadOlder: () => Promise<void>;
  /** Loads new transactions at the start, with the balance, and the newest rows again; returns their number, or null if it is unknown. */
  readonly loadNewer: () => Promise<number | null>;
  /** Retries the step that failed. */
  readonly retry: () => Promise<void>;
}

/** Runs a request and returns its failure, if any. */
type Step = () => Promise<Failure | null>;

interface FailedStep {
  readonly failure: Failure;
  readonly step: Step;
  readonly isUpdate: boolean;
}

/** The statement of an account between two days. Use a new component for another account or period. */
export function useStatement(accountId: string, period: Period, timeZone: string): StatementList {
  const client = useApolloClient();
  const start = startOf(accountId, period);
  const { data, error, loading, refetch, fetchMore } = useQuery(start.query, {
    variables: start.variables,
    errorPolicy: 'all',
    notifyOnNetworkStatusChange: true,
  });
  const [failed, setFailed] = useState<FailedStep | null>(null);
  // Stays true until the failure is known. `loading` of useQuery ends a moment earlier; without this flag, the end of
  // the list would then load again.
  const [isUnderWay, setUnderWay] = useState(false);
  const failure = failed?.failure ?? sliceFailureOf(error);
  const { edges = [], pageInfo } = data?.transactions ?? {};

  const take = async (step: Step, isUpdate = false) => {
    setFailed(null);
    setUnderWay(true);
    const stepFailure = await step();
    setUnderWay(false);
    if (stepFailure !== null) setFailed({ failure: stepFailure, step, isUpdate });
    return stepFailure;
  };

  /** The list in the cache, which may be newer than the rendered one; null before the first slice arrives. */
  const list = () => {
    const found = client.readQuery(start)?.transactions ?? null;
    // After a failure, relayStylePagination keeps an object without `__typename`, so the fragment selects nothing.
    return found !== null && 'edges' in found ? found : null;
  };

  const begin: Step = async () => sliceFailureOf((await refetch()).error);

  const goOn: Step = async () => {
    const after = list()?.pageInfo.endCursor ?? null;
    const { error: stepError } = await fetchMore({ variables: { after }, errorPolicy: 'all' });
    return sliceFailureOf(stepError);
  };

  /** Loads new transactions, the oldest first, in slices of at most 100 rows. */
  const catchUp: Step = async () => {
    const newest = list()?.pageInfo.startCursor;
    if (!newest) return begin();
    const { error: stepError } = await client.query({
      query: newSinceDocument,
      variables: { accountId, ...askedFor(period), newest },
      fetchPolicy: 'network-only',
      errorPolicy: 'all',
    });
    const stepFailure = sliceFailureOf(stepError);
    if (stepFailure !== null) return stepFailure;
    return list()?.pageInfo.hasPreviousPage === true ? catchUp() : readAgain();
  };

  /** Reads the newest rows again: a payment that was in progress may be completed, or removed. */
  const readAgain: Step = async () => {
    const { data: answer, error: stepError } = await client.query({
      query: newestDocument,
      variables: { accountId, ...askedFor(period) },
      fetchPolicy: 'network-only',
      errorPolicy: 'all',
    });
    const newest = answer?.transactions?.nodes ?? [];
    // relayStylePagination leaves out an edge whose node is not in the cache.
    for (const line of removedLines(linesOf(list()?.edges ?? []), newest)) {
      const id = client.cache.identify(line);
      if (id !== undefined) client.cache.evict({ id });
    }
    return sliceFailureOf(stepError);
  };

  const isOnlyLoaded = failure?.code === 'OFFLINE' && edges.length === 0;
  const shown = isOnlyLoaded ? loadedEdges(client, accountId) : edges;
  const loaded = linesOf(shown);
  const { rows, undated } = selectWithin(loaded, period, timeZone);
  return {
    lines: rows,
    loaded: edges.length,
    unreadable: shown.length - loaded.length + undated,
    hasOlder: pageInfo?.hasNextPage ?? false,
    isLoading: loading || isUnderWay,
    failure,
    // Without a list, the update is the load of the list.
    isUpdateFailure: failed?.isUpdate === true && edges.length > 0,
    isOnlyLoaded,
    async loadOlder() {
      await take(goOn);
    },
    async loadNewer() {
      const before = list();
      const stepFailure = await take(catchUp, true);
      const after = list();
      // If there was no list before, its rows are not new.
      if (stepFailure !== null || before === null || after === null) return null;
      return countBefore(before.pageInfo.startCursor, after.edges);
    },
    async retry() {
      // Without a valid cursor the list is loaded again.
      const step = failure?.remedy === 'restart' ? begin : (failed?.step ?? begin);
      await take(step, failed?.isUpdate);
    },
  };
}

/** The newest transaction in the loaded list without a period; null if there is none. */
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

type Edges = readonly { readonly cursor: string; readonly node: LineFragment | null }[];

/**
 * The number of rows before that of a cursor, or of all rows without a cursor; null if the row is gone. Unlike the
 * length of the list, it does not change if older rows are loaded meanwhile.
 */
function countBefore(cursor: string | null, edges: Edges): number | null {
  if (!cursor) return edges.length;
  const index = edges.findIndex((edge) => edge.cursor === cursor);
  return index < 0 ? null : index;
}

function loadedEdges(client: ApolloClient, accountId: string): Edges {
  return client.readQuery(startOf(accountId, always))?.transactions?.edges ?? [];
}

/**
 * The loaded rows that the newest rows, read again, should contain and do not. A row counts as removed only if another
 * one that was read again is below it and older, because rows with the same `createdAt` may change their order.
 */
function removedLines(
  loaded: readonly LineFragment[],
  newest: readonly (LineFragment | null)[],
): LineFragment[] {
  const ids = new Set(newest.map((line) => line?.id));
  // Any row may be the one that cannot be read.
  if (ids.has(undefined)) return [];
  const end = loaded.findLastIndex(({ id }) => ids.has(id));
  const oldestMs = Date.parse(loaded[end]?.createdAt ?? '');
  return loaded
    .slice(0, Math.max(0, end))
    .filter(({ id, createdAt }) => !ids.has(id) && Date.parse(createdAt ?? '') > oldestMs);
}

function linesOf(edges: Edges): LineFragment[] {
  return edges.flatMap(({ node }) => node ?? []);
}

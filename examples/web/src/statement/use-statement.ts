// The transactions to show of a statement, as they are loaded.
import { useMemo, useSyncExternalStore } from 'react';
import type { Failure } from '../failure.ts';
import type { LineFragment } from '../generated/graphql.ts';
import { createSelection, type Period } from './period.ts';
import { linesOf, type Statement } from './statement-store.ts';

export interface StatementList {
  /** The transactions of the period, newest first. */
  readonly lines: readonly LineFragment[];
  /** The number of loaded rows, including those shortly before and after the period. */
  readonly loaded: number;
  /** The number of rows that the gateway could not show, plus, within a period, rows without a readable date. */
  readonly unreadable: number;
  readonly hasOlder: boolean;
  readonly isLoading: boolean;
  /** Whether several slices are being read, and not only the next one. */
  readonly isLoadingMany: boolean;
  /** Whether all transactions of the period are loaded. */
  readonly isComplete: boolean;
  /** The number of transactions in the period, and shortly before and after it; null if it is unknown. */
  readonly totalCount: number | null;
  readonly failure: Failure | null;
  /** True if the failure is that of an update; the end of the list is not affected by it. */
  readonly isUpdateFailure: boolean;
  /**
   * True if the device is offline and the period was not loaded. The lines then come from the list without a period.
   */
  readonly isOnlyLoaded: boolean;
}

/** The list of `statement`, or, offline, the part of the whole statement that is loaded. */
export function useStatement(
  statement: Statement,
  whole: Statement,
  period: Period,
  timeZone: string,
): StatementList {
  const state = useSyncExternalStore(statement.subscribe, statement.state);
  const select = useMemo(() => createSelection(period, timeZone), [period, timeZone]);
  const { edges, hasOlder, isLoaded, failed } = state;
  const isOnlyLoaded = failed?.failure.code === 'OFFLINE' && edges.length === 0;
  const shown = isOnlyLoaded ? whole.state().edges : edges;
  const found = useMemo(() => {
    const lines = linesOf(shown);
    const { rows, undated } = select(lines);
    return { lines: rows, unreadable: shown.length - lines.length + undated };
  }, [shown, select]);
  return {
    ...found,
    loaded: edges.length,
    hasOlder,
    // A list that was not read yet will be in a moment.
    isLoading: state.isLoading || (!isLoaded && failed === null),
    isLoadingMany: state.isLoadingMany,
    isComplete: isLoaded && !hasOlder,
    totalCount: state.totalCount,
    failure: failed?.failure ?? null,
    // Without a list, the update is the load of the list.
    isUpdateFailure: failed?.isUpdate === true && edges.length > 0,
    isOnlyLoaded,
  };
}

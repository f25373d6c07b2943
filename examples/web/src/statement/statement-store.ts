// A statement that grows at both ends: older transactions at its end, new ones at its start. It is kept outside of
// Apollo's cache, which needs time for the whole list with each slice.
import type { Failure } from '../failure.ts';
import type { LineFragment, SliceFragment } from '../generated/graphql.ts';
import { isExpired, maxRestarts, readPatiently, SliceError } from '../slice.ts';

export type Edge = SliceFragment['edges'][number];

/** The rows that were read, newest first. A row's node is null if the gateway could not show it. */
interface Rows {
  readonly edges: readonly Edge[];
  readonly startCursor: string | null;
  readonly endCursor: string | null;
  readonly hasOlder: boolean;
  /** The number of transactions between the requested dates; null if the service does not state it. */
  readonly totalCount: number | null;
}

export interface StatementState extends Rows {
  /** Whether the first slice was read. */
  readonly isLoaded: boolean;
  readonly isLoading: boolean;
  /** Whether several slices are being read, and not only the next one. */
  readonly isLoadingMany: boolean;
  readonly failed: FailedStep | null;
}

interface FailedStep {
  readonly failure: Failure;
  readonly step: Step;
  readonly isUpdate: boolean;
}

type Step = () => Promise<void>;

/** How slices are read; each function throws a SliceError. */
export interface StatementReads {
  /** Reads the `first` rows after a cursor, or from the newest if it is null. */
  readonly older: (first: number, after: string | null) => Promise<SliceFragment>;
  /** Reads the rows before a cursor that are nearest to it, and the balance. */
  readonly newer: (before: string) => Promise<SliceFragment>;
  readonly wait: (ms: number) => Promise<void>;
}

export interface Statement {
  readonly state: () => StatementState;
  /** Calls back after each change; returns a function that stops this. */
  readonly subscribe: (listener: () => void) => () => void;
  /** Reads another slice at the end, or the first one. */
  readonly loadOlder: () => Promise<void>;
  /** Reads on until the rows are enough or the statement ends, unless the signal stops it. */
  readonly loadUntil: (
    isEnough: (edges: readonly Edge[]) => boolean,
    signal: AbortSignal,
  ) => Promise<void>;
  /** Reads new transactions, and the newest rows again; returns the number of new ones, or null if it is unknown. */
  readonly loadNewer: () => Promise<number | null>;
  /** Retries the step that failed. */
  readonly retry: () => Promise<void>;
}

const sliceRows = 20;
/** The most rows that the gateway returns at once. */
const longSliceRows = 100;

export function createStatement(reads: StatementReads): Statement {
  let state: StatementState = {
    edges: [],
    startCursor: null,
    endCursor: null,
    hasOlder: false,
    isLoaded: false,
    totalCount: null,
    isLoading: false,
    isLoadingMany: false,
    failed: null,
  };
  let stepsUnderWay = 0;
  const listeners = new Set<() => void>();

  const change = (changes: Partial<StatementState>) => {
    state = { ...state, ...changes };
    for (const listener of listeners) listener();
  };

  const take = async (step: Step, isUpdate = false): Promise<void> => {
    stepsUnderWay += 1;
    change({ isLoading: true, failed: null });
    let failed: FailedStep | null = null;
    try {
      await step();
    } catch (error) {
      if (!(error instanceof SliceError)) throw error;
      failed = { failure: error.failure, step, isUpdate };
    } finally {
      stepsUnderWay -= 1;
      change({ isLoading: stepsUnderWay > 0, ...(failed && { failed }) });
    }
  };

  /** A slice of pages that changed at every read can be read in a moment, and the customer need not know. */
  const patiently = (read: () => Promise<SliceFragment>) =>
    readPatiently(read, ({ code }) => code === 'STATEMENT_UNSETTLED', reads.wait);

  const readOlder = (first: number, after: string | null) =>
    patiently(() => reads.older(first, after));

  const begin: Step = async () => {
    change({ ...rowsOf(await readOlder(sliceRows, null)), isLoaded: true });
  };

  /**
   * Reads from the newest row to the place where the list ends now, and then replaces the list at once: rows that are
   * in both lists stay where the customer sees them.
   */
  const beginAgain = async (restarts = 1): Promise<void> => {
    try {
      let rows = rowsOf(await readOlder(longSliceRows, null));
      while (rows.hasOlder && !reaches(rows.edges, state.edges)) {
        rows = joined(rows, await readOlder(longSliceRows, rows.endCursor));
      }
      change(rows);
    } catch (error) {
      if (!isExpired(error) || restarts === maxRestarts) throw error;
      await beginAgain(restarts + 1);
    }
  };

  const goOn = async (first: number): Promise<void> => {
    const after = state.endCursor;
    if (after === null) return begin();
    try {
      const slice = await readOlder(first, after);
      // Otherwise another step has changed the end of the list meanwhile.
      if (state.endCursor === after) change(joined(state, slice));
    } catch (error) {
      if (!isExpired(error)) throw error;
      await beginAgain();
    }
  };

  /** Reads new transactions, the oldest first, and returns their number; null if the list was read from its start. */
  const catchUp = async (): Promise<number | null> => {
    let count = 0;
    for (let hasNewer = true; hasNewer;) {
      const before = state.startCursor;
      if (before === null) {
        const wasEmpty = state.isLoaded;
        await begin();
        return wasEmpty ? state.edges.length : null;
      }
      const { edges, pageInfo } = await patiently(() => reads.newer(before));
      // Otherwise another step has replaced the list meanwhile.
      if (state.startCursor !== before) continue;
      count += edges.length;
      change({
        edges: [...edges, ...state.edges],
        startCursor: pageInfo.startCursor ?? before,
      });
      hasNewer = pageInfo.hasPreviousPage;
    }
    return count;
  };

  /** Catches up, and reads the newest rows again: a payment that was in progress may be completed, or removed. */
  const update = async (): Promise<number | null> => {
    try {
      const count = await catchUp();
      if (count !== null) {
        const { edges } = await readOlder(sliceRows, null);
        change({ edges: withNewest(state.edges, edges) });
      }
      return count;
    } catch (error) {
      if (!isExpired(error)) throw error;
      await beginAgain();
      return null;
    }
  };

  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    loadOlder: () => take(() => goOn(sliceRows)),
    loadUntil: (isEnough, signal) =>
      take(async () => {
        change({ isLoadingMany: true });
        try {
          do await goOn(longSliceRows);
          while (state.hasOlder && !signal.aborted && !isEnough(state.edges));
        } finally {
          change({ isLoadingMany: false });
        }
      }),
    async loadNewer() {
      let count: number | null = null;
      await take(async () => void (count = await update()), true);
      return count;
    },
    retry: () => take(state.failed?.step ?? begin, state.failed?.isUpdate),
  };
}

function rowsOf({ edges, pageInfo, totalCount }: SliceFragment): Rows {
  const { startCursor, endCursor, hasNextPage } = pageInfo;
  // Without a cursor, the next slice would be the first slice again.
  const hasOlder = hasNextPage && endCursor !== null;
  return { edges, startCursor, endCursor, hasOlder, totalCount };
}

function joined({ edges, startCursor, endCursor }: Rows, slice: SliceFragment): Rows {
  const older = rowsOf(slice);
  return {
    ...older,
    edges: [...edges, ...older.edges],
    startCursor: startCursor ?? older.startCursor,
    endCursor: older.endCursor ?? endCursor,
  };
}

/** Whether the rows contain the last one of other rows, or an older one. */
function reaches(rows: readonly Edge[], others: readonly Edge[]): boolean {
  const last = linesOf(others).at(-1);
  if (last === undefined) return true;
  const lines = linesOf(rows);
  return (
    lines.some(({ id }) => id === last.id) || millisecondsOf(lines.at(-1)) < millisecondsOf(last)
  );
}

/** Loaded rows with the values of the newest rows, which were read again, and without those that were removed. */
function withNewest(loaded: readonly Edge[], newest: readonly Edge[]): readonly Edge[] {
  const removed = removedLines(linesOf(loaded), newest);
  // Several rows can have one id; they are in the same order in both lists.
  const again = Map.groupBy(linesOf(newest), ({ id }) => id);
  return loaded
    .filter(({ node }) => node === null || !removed.has(node))
    .map((edge) => {
      const node = again.get(edge.node?.id ?? '')?.shift();
      return node === undefined ? edge : { ...edge, node };
    });
}

/**
 * The loaded rows that the newest rows, read again, should contain and do not. A row counts as removed only if another
 * one that was read again is below it and older, because rows with the same `createdAt` may change their order.
 */
function removedLines(
  loaded: readonly LineFragment[],
  newest: readonly Edge[],
): ReadonlySet<LineFragment> {
  const ids = new Set(newest.map(({ node }) => node?.id));
  // Any row may be the one that cannot be read.
  if (ids.has(undefined)) return new Set();
  const end = loaded.findLastIndex(({ id }) => ids.has(id));
  const oldestMs = millisecondsOf(loaded[end]);
  return new Set(
    loaded
      .slice(0, Math.max(0, end))
      .filter((line) => !ids.has(line.id) && millisecondsOf(line) > oldestMs),
  );
}

function millisecondsOf(line: LineFragment | undefined): number {
  return Date.parse(line?.createdAt ?? '');
}

export function linesOf(edges: readonly Edge[]): LineFragment[] {
  return edges.flatMap(({ node }) => node ?? []);
}

// Reads a whole period by cursors, each transaction once, and continues where a failure stopped it.
import { failureBy } from '../failure.ts';
import type { LineFragment } from '../generated/graphql.ts';
import { isExpired, maxRestarts, readPatiently, SliceError } from '../slice.ts';

/** One answer of the gateway: the rows after a cursor, newest first. */
export interface Slice {
  /** Null for a row that the gateway could not show. */
  readonly rows: readonly (LineFragment | null)[];
  readonly endCursor: string | null;
  readonly hasNextPage: boolean;
  /** The number of transactions between the requested dates; null if the service does not state it. */
  readonly totalCount: number | null;
}

export interface WalkSteps {
  /** Reads the rows after a cursor, or from the newest if it is null. Throws a SliceError or the signal's reason. */
  readonly readSlice: (after: string | null, signal: AbortSignal) => Promise<Slice>;
  /** Resolves after `ms`; rejects if the signal is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Called after each slice with the number of rows read and the total, if known. */
  readonly onProgress: (read: number, total: number) => void;
}

export interface WalkResult {
  /** Newest first, each row once. Two rows can have one id. */
  readonly lines: readonly LineFragment[];
  /** The number of rows that the gateway could not show. */
  readonly unreadable: number;
}

export interface Walk {
  /**
   * Reads to the end. If it throws, the next call continues from the last cursor and keeps the rows that were read. The
   * result has the rows that existed at the start of the walk; later arrivals are newer and are read only after a
   * restart.
   */
  run(signal: AbortSignal): Promise<WalkResult>;
}

/** Spreadsheets cannot use larger files, and all rows are in memory until the file is written. */
export const maxRows = 100_000;

/** Creates a walk that has not read anything yet. */
export function createWalk({ readSlice, wait, onProgress }: WalkSteps): Walk {
  let earlier: RowsById = new Map();
  let rows = new Map<string, LineFragment[]>();
  let count = 0;
  let unreadable = 0;
  let after: string | null = null;

  const take = ({ rows: read, totalCount }: Slice) => {
    for (const row of read) {
      if (row === null) {
        unreadable += 1;
      } else {
        count += 1;
        rows.set(row.id, [...(rows.get(row.id) ?? []), row]);
      }
    }
    report(count + unreadable, totalCount);
  };

  const report = (read: number, totalCount: number | null) => {
    if (Math.max(read, totalCount ?? 0) > maxRows) throw new SliceError(failureBy('TOO_MANY'));
    onProgress(read, Math.max(read, totalCount ?? 0));
  };

  const readToEnd = async (signal: AbortSignal): Promise<void> => {
    for (;;) {
      const slice = await readPatiently(
        () => readSlice(after, signal),
        ({ remedy }) => remedy === 'retry' && !signal.aborted,
        (ms) => wait(ms, signal),
      );
      take(slice);
      if (!slice.hasNextPage) return;
      // Without a cursor, the next slice would be the first slice again.
      if (slice.endCursor === null) throw new SliceError(failureBy('UNKNOWN'));
      after = slice.endCursor;
    }
  };

  let result: WalkResult | null = null;
  return {
    async run(signal) {
      for (let restarts = 0; result === null; restarts++) {
        try {
          await readToEnd(signal);
          const lines = [...joinRows(earlier, rows).values()].flat();
          result = { lines: lines.sort(byAge), unreadable };
        } catch (error) {
          if (!isExpired(error) || restarts === maxRestarts) throw error;
          // The cursor has expired: the walk restarts from the newest row.
          earlier = joinRows(earlier, rows);
          rows = new Map();
          count = 0;
          unreadable = 0;
          after = null;
        }
      }
      return result;
    },
  };
}

/** Rows by their id, which several rows of a service can share. */
type RowsById = ReadonlyMap<string, readonly LineFragment[]>;

/**
 * The rows of a walk after a restart: those that were read again, with their new values, and the earlier ones that are
 * gone. Each id has as many rows as the walk has seen of it at once.
 */
function joinRows(earlier: RowsById, again: RowsById): RowsById {
  const joined = new Map(earlier);
  for (const [id, rows] of again) {
    joined.set(id, [...rows, ...(earlier.get(id) ?? []).slice(rows.length)]);
  }
  return joined;
}

/** Newest first, rows without an instant last. Rows with the same instant keep the service's order. */
function byAge(one: LineFragment, other: LineFragment): number {
  return millisecondsOf(other) - millisecondsOf(one) || 0;
}

function millisecondsOf({ createdAt }: LineFragment): number {
  const ms = Date.parse(createdAt ?? '');
  return Number.isNaN(ms) ? -8.64e15 : ms;
}

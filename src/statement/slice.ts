// From planned rows to a slice: order, cursors, pageInfo. Pure.
import { createCursorWriter, MAX_TIES, type Cursor, type Ties } from './cursor.ts';
import type { PlannedRow, PlannedSlice, Wanted } from './plan.ts';
import { NO_KEY, printOf } from '../upstream/row-key.ts';
import type { Slice, SliceEdge } from './statement.ts';

/** Gives a slice its cursors, which carry what the next call needs in order to notice that rows have moved. */
export function toSlice(wanted: Wanted, planned: PlannedSlice, scope: string): Slice {
  const walked = edgesOf(wanted, planned, scope);
  const isForward = wanted.direction === 1;
  const edges = isForward ? walked : walked.reverse();
  return {
    edges,
    totalCount: planned.total,
    pageInfo: {
      hasNextPage: isForward ? planned.hasMore : planned.hasBehind,
      hasPreviousPage: isForward ? planned.hasBehind : planned.hasMore,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}

/** The edges in the direction of the walk. */
function edgesOf(wanted: Wanted, slice: PlannedSlice, scope: string): SliceEdge[] {
  const write = createCursorWriter(scope, slice.total, slice.size);
  const isForward = wanted.direction === 1;
  let ties = tiesOfFirst(wanted, slice);
  const none: Ties = { side: ties.side, complete: true, prints: [] };
  return slice.rows.map((one, k) => {
    const last = slice.rows[k - 1];
    if (last !== undefined) ties = areTied(last, one) ? withTie(ties, last) : none;
    const behind = last === undefined ? printBefore(wanted, slice) : printOfRow(last);
    const ahead = printOfRow(slice.rows[k + 1] ?? slice.after);
    const cursor = write({
      key: one.key,
      index: slice.total - 1 - one.distance,
      createdAtMs: one.row.createdAtMs,
      newer: isForward ? behind : ahead,
      older: isForward ? ahead : behind,
      ties,
    });
    return { cursor, row: one.row };
  });
}

/** The row before the slice, where it was seen; else the one that the cursor named, which stood there. */
function printBefore({ cursor }: Wanted, { before }: PlannedSlice): number | null {
  return printOfRow(before ?? cursor ?? undefined);
}

function printOfRow(row: { key: number } | undefined): number | null {
  return row === undefined || row.key === NO_KEY ? null : printOf(row.key);
}

/** The ties that lie before the slice: those of the cursor, and its own row, where the first row shares its createdAt. */
function tiesOfFirst({ cursor, direction }: Wanted, { rows, hasBehind }: PlannedSlice): Ties {
  const side = direction === 1 ? 'newer' : 'older';
  const createdAtMs = rows[0]?.row.createdAtMs ?? null;
  if (cursor === null || createdAtMs === null || cursor.createdAtMs !== createdAtMs) {
    return { side, complete: cursor !== null || !hasBehind, prints: [] };
  }
  const ties: Ties =
    cursor.ties.side === side ? cursor.ties : { side, complete: false, prints: [] };
  return withTie(ties, cursor);
}

function areTied({ row: { createdAtMs } }: PlannedRow, { row }: PlannedRow): boolean {
  return createdAtMs !== null && createdAtMs === row.createdAtMs;
}

function withTie({ side, complete, prints }: Ties, { key }: Pick<Cursor, 'key'>): Ties {
  const all = key === NO_KEY ? prints : [...prints, printOf(key)];
  return { side, complete: complete && all.length <= MAX_TIES, prints: all.slice(-MAX_TIES) };
}

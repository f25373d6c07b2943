// From planned rows to a slice: order, cursors, pageInfo. Pure.
import { SourceObject, SourceShape } from '../json/source-object.ts';
import { CursorWriter, MAX_TIES, type Cursor, type Ties } from './cursor.ts';
import type { WrittenCursors } from './cursor-text.ts';
import type { PlannedRow, PlannedSlice, Wanted } from './plan.ts';
import { NO_KEY, printOf } from '../upstream/row-key.ts';
import type { StatementRow } from '../upstream/shapes.ts';
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

const edgeShape = new SourceShape({ cursor: 'text' });

/** An edge whose cursor stays as it was written until somebody asks for it. */
class Edge extends SourceObject implements SliceEdge {
  readonly row: StatementRow;

  constructor(row: StatementRow, { text, places }: WrittenCursors, index: number) {
    super(edgeShape, text, places, 2 * index);
    this.row = row;
  }

  get cursor(): string {
    return this.textOf(0) ?? '';
  }
}

/** The edges in the direction of the walk. */
function edgesOf(wanted: Wanted, slice: PlannedSlice, scope: string): SliceEdge[] {
  const cursors = writeCursors(wanted, slice, scope);
  return slice.rows.map(({ row }, index) => new Edge(row, cursors, index));
}

function writeCursors(wanted: Wanted, slice: PlannedSlice, scope: string): WrittenCursors {
  const { rows, total, size } = slice;
  const writer = new CursorWriter(scope, total, size, rows.length);
  const isForward = wanted.direction === 1;
  let ties = tiesOfFirst(wanted, slice);
  const none: Ties = { side: ties.side, complete: true, prints: [] };
  let behind = printBefore(wanted, slice);
  rows.forEach((one, k) => {
    const last = rows[k - 1];
    if (last !== undefined) ties = areTied(last, one) ? withTie(ties, last) : none;
    const ahead = printOfRow(rows[k + 1] ?? slice.after);
    writer.add({
      key: one.key,
      index: total - 1 - one.distance,
      createdAtMs: one.row.createdAtMs,
      newer: isForward ? behind : ahead,
      older: isForward ? ahead : behind,
      ties,
    });
    behind = printOfRow(one);
  });
  return writer.written;
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

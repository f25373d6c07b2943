// Turns planned rows into a slice: order, cursors, pageInfo. Pure.
import { SourceObject, SourceShape } from '../json/source-object.ts';
import { fingerprintOf, NO_KEY } from '../upstream/shape/row-key.ts';
import type { StatementRow } from '../upstream/shape/shapes.ts';
import {
  createCursorWriter,
  MAX_AHEAD,
  MAX_BEHIND,
  type Cursor,
  type NamedRows,
} from './cursor.ts';
import type { NamesToWrite, WrittenCursors } from './cursor-text.ts';
import type { PlannedSlice, Wanted } from './plan.ts';
import type { Direction } from './search.ts';
import { isSorted, rowAt, type SeenRow } from './snapshot.ts';

/** One transaction of a slice, with its cursor. */
export interface SliceEdge {
  readonly cursor: string;
  readonly row: StatementRow;
}

/** The content of a TransactionConnection. */
export interface Slice {
  /** In the service's order, newest first. */
  readonly edges: readonly SliceEdge[];
  readonly pageInfo: SlicePageInfo;
  readonly totalCount: number;
}

/** Correct in both directions, whichever way the slice was requested. */
export interface SlicePageInfo {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly startCursor: string | null;
  readonly endCursor: string | null;
}

/** Adds the cursors, which name the rows by which the next call detects that rows have moved. */
export function toSlice(wanted: Wanted, planned: PlannedSlice, scope: string): Slice {
  const cursors = writeCursors(wanted, planned, scope);
  const walked = planned.rows.map(({ row }, index) => new Edge(row, cursors, index));
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

/** An edge whose cursor remains JSON until it is read. */
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

/** The number of rows that are named on each side even if they are not ties. */
const usualNames = 2;

function writeCursors(wanted: Wanted, slice: PlannedSlice, scope: string): WrittenCursors {
  const { rows, total, snapshot } = slice;
  const writer = createCursorWriter(scope, total, snapshot.size, rows.length);
  const behind = namesBehind(wanted, slice);
  const ahead = namesAhead(wanted, slice);
  const fingerprints = behind.fingerprints.toReversed();
  const start = fingerprints.length;
  for (const { key } of rows) fingerprints.push(nameOf(key));
  for (const name of ahead.fingerprints) fingerprints.push(name);
  const ends = endsOfTies(rows);
  const isOrdered = isSorted(snapshot);
  let { ties, complete } = behind;
  for (const [k, one] of rows.entries()) {
    if (k > 0) [ties, complete] = areTied(rows[k - 1], one) ? [ties + 1, complete] : [0, true];
    const end = ends[k] ?? k;
    const isOpen = end === rows.length - 1;
    const [from, tiesAhead] = [start + k, end - k + (isOpen ? ahead.ties : 0)];
    const passed = namesOf(fingerprints, from, -1, ties, complete);
    const coming = namesOf(fingerprints, from, 1, tiesAhead, !isOpen || ahead.complete);
    const index = total - 1 - one.distance;
    const createdAtMs = isOrdered ? one.row.createdAtMs : null;
    if (wanted.direction === 1) writer.add(one.key, index, createdAtMs, passed, coming);
    else writer.add(one.key, index, createdAtMs, coming, passed);
  }
  return writer.written;
}

/** The names on one side of the row at `at`: as many of its ties as fit, and at least its two neighbours. */
function namesOf(
  fingerprints: readonly number[],
  at: number,
  step: 1 | -1,
  ties: number,
  complete: boolean,
): NamesToWrite {
  const most = step === 1 ? MAX_AHEAD : MAX_BEHIND;
  const seen = step === 1 ? fingerprints.length - 1 - at : at;
  const named = ties > most ? most : ties;
  const count = Math.min(Math.max(named, usualNames), seen);
  return {
    fingerprints,
    from: at + step,
    step,
    count,
    ties: named,
    complete: complete && named === ties,
  };
}

/** For each row, the index of its last tie. */
function endsOfTies(rows: readonly SeenRow[]): number[] {
  const ends: number[] = [];
  for (let k = rows.length - 1; k >= 0; k--) {
    const next = rows[k + 1];
    ends[k] = next !== undefined && areTied(rows[k], next) ? (ends[k + 1] ?? k) : k;
  }
  return ends;
}

/**
 * The rows before the slice that were seen. If none were, or if the cursor names all ties of the
 * slice's first row, these are the cursor's row and the rows that it names.
 */
function namesBehind(wanted: Wanted, slice: PlannedSlice): NamedRows {
  const { cursor, direction } = wanted;
  const [first] = slice.rows;
  if (!slice.hasBehind || first === undefined) return { fingerprints: [], ties: 0, complete: true };
  const isTie = cursor !== null && areTied({ row: cursor }, first);
  const passed = cursor === null ? null : direction === 1 ? cursor.newer : cursor.older;
  const seen = seenBeside(slice, first, direction, MAX_BEHIND);
  if (cursor === null || passed === null) return seen;
  if (seen.fingerprints.length > 0 && !(isTie && passed.complete)) return seen;
  return {
    fingerprints: [nameOf(cursor.key), ...passed.fingerprints],
    ties: isTie ? passed.ties + 1 : 0,
    complete: !isTie || passed.complete,
  };
}

function namesAhead({ cursor, direction }: Wanted, slice: PlannedSlice): NamedRows {
  const last = slice.rows.at(-1);
  if (!slice.hasMore || last === undefined) return { fingerprints: [], ties: 0, complete: true };
  // Settled ties have no fixed order, so the places beyond them are unknown.
  if (slice.endsSettled) return { fingerprints: [], ties: 0, complete: false };
  const seen = seenBeside(slice, last, direction === 1 ? -1 : 1, MAX_AHEAD);
  return seen.fingerprints.length > 0 || cursor === null
    ? seen
    : namesLeft(cursor, direction, last);
}

/** The rows that the cursor names beyond the last row of a slice: they followed it, and were not seen since. */
function namesLeft(cursor: Cursor, direction: Direction, { key }: SeenRow): NamedRows {
  const { fingerprints, ties } = direction === 1 ? cursor.older : cursor.newer;
  const passed = fingerprints.indexOf(nameOf(key)) + 1;
  const left = passed === 0 ? [] : fingerprints.slice(passed);
  return {
    fingerprints: left,
    ties: left.length === 0 ? 0 : Math.max(ties - passed, 0),
    complete: false,
  };
}

/** The seen rows beside a row, towards one end, as far as they are worth naming. */
function seenBeside(
  { snapshot, total }: PlannedSlice,
  one: SeenRow,
  step: 1 | -1,
  most: number,
): NamedRows {
  const fingerprints: number[] = [];
  let ties = 0;
  for (;;) {
    const distance = one.distance + step * (fingerprints.length + 1);
    if (distance < 0 || distance >= total) return { fingerprints, ties, complete: true };
    const beside = rowAt(snapshot, distance);
    if (beside === undefined) return { fingerprints, ties, complete: ties < fingerprints.length };
    if (ties === fingerprints.length && areTied(one, beside)) ties++;
    if (fingerprints.length >= Math.max(usualNames, ties))
      return { fingerprints, ties, complete: true };
    if (ties > most) return { fingerprints, ties: most, complete: false };
    fingerprints.push(nameOf(beside.key));
  }
}

function areTied(one: TimedRow | undefined, other: TimedRow): boolean {
  const createdAtMs = one?.row.createdAtMs ?? null;
  return createdAtMs !== null && createdAtMs === other.row.createdAtMs;
}

interface TimedRow {
  readonly row: { readonly createdAtMs: number | null };
}

function nameOf(key: number): number {
  return key === NO_KEY ? NO_KEY : fingerprintOf(key);
}

// Creates a slice, with its order, cursors and pageInfo, from planned rows. Pure.
import { createShape, SourceObject } from '../json/source-object.ts';
import { fingerprintOf } from './row-key.ts';
import { NO_KEY, type StatementRow } from '../upstream/shape/shapes.ts';
import { MAX_AHEAD, MAX_BEHIND, type Cursor, type NamedRows } from './cursor.ts';
import { CursorWriter, type NamesToWrite } from './cursor-text.ts';
import { areTied } from './page-view.ts';
import type { Direction } from './place.ts';
import type { PlannedSlice, Wanted } from './plan.ts';
import { isSorted, nearestOf, rowAt, seenRows, type SeenRow } from './sheet.ts';

/**
 * The content of a TransactionConnection. Its cursors stay JSON text until they are accessed. They name neighbouring
 * rows, by which the next request detects that rows have moved.
 */
export class Slice {
  /** In the service's order, whatever the direction of the walk. */
  readonly edges: readonly SliceEdge[];
  readonly pageInfo: SlicePageInfo;
  readonly totalCount: number;

  constructor(wanted: Wanted, planned: PlannedSlice, scope: string) {
    const cursors = writeCursors(wanted, planned, scope);
    const walked = planned.rows.map(({ row }, index) => edgeOf(row, cursors, index));
    const isForward = wanted.direction === 1;
    this.edges = isForward ? walked : walked.reverse();
    this.totalCount = planned.total;
    this.pageInfo = new SlicePageInfo(cursors, planned, isForward);
  }

  get nodes(): StatementRow['node'][] {
    return this.edges.map(({ node }) => node);
  }
}

const pageInfoShape = createShape(['startCursor', 'endCursor'], []);
const edgeShape = createShape(['cursor'], []);

/** `hasNextPage` and `hasPreviousPage` are correct for both directions of a walk. */
class SlicePageInfo extends SourceObject {
  declare readonly startCursor: string | null;
  declare readonly endCursor: string | null;
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;

  constructor({ text, places }: CursorWriter, planned: PlannedSlice, isForward: boolean) {
    const [first, last] = [places.slice(0, 2), places.slice(-2)];
    super(pageInfoShape, text, isForward ? first.concat(last) : last.concat(first), 0);
    this.hasNextPage = isForward ? planned.hasMore : planned.hasBehind;
    this.hasPreviousPage = isForward ? planned.hasBehind : planned.hasMore;
  }
}

export interface SliceEdge {
  readonly cursor: string;
  readonly node: StatementRow['node'];
}

/** Edges have no class of their own: V8 would take 3 µs longer to create a hundred, a tenth of the time for cursors. */
function edgeOf({ node }: StatementRow, { text, places }: CursorWriter, index: number): SliceEdge {
  const source: object = new SourceObject(edgeShape, text, places, 2 * index);
  const edge = source as { -readonly [Name in keyof SliceEdge]: SliceEdge[Name] };
  edge.node = node;
  return edge;
}

/** The number of rows that are named on each side even if they are not ties. */
const usualNames = 2;

function writeCursors(wanted: Wanted, slice: PlannedSlice, scope: string): CursorWriter {
  const { rows, sheet, total } = slice;
  const { size } = sheet.latest;
  const areTiesKept = slice.by !== 'tieOrder' && !sheet.isLoose;
  const isReordered = wanted.cursor?.isReordered === true || !areTiesKept;
  const isTimed = wanted.cursor?.createdAtMs !== null && isSorted(seenRows(sheet));
  const writer = new CursorWriter(scope, total, size, rows.length, isReordered);
  const behind = namesBehind(wanted, slice);
  const ahead = namesAhead(wanted, slice, areTiesKept);
  const fingerprints = behind.fingerprints.toReversed();
  const start = fingerprints.length;
  fingerprints.push(...rows.map(({ row }) => fingerprintOf(row.key)), ...ahead.fingerprints);
  const tiesBehind = tiesBefore(rows, behind.ties);
  const tiesAhead = tiesBefore(rows.toReversed(), ahead.ties);
  for (const [k, { row, distance }] of rows.entries()) {
    const passed = namesOf(fingerprints, start + k, -1, tiesBehind[k] ?? 0, k, behind);
    const left = rows.length - 1 - k;
    const coming = namesOf(fingerprints, start + k, 1, tiesAhead[left] ?? 0, left, ahead);
    const index = total - 1 - distance;
    const createdAtMs = isTimed ? row.createdAtMs : null;
    if (wanted.direction === 1) writer.add(row.key, index, createdAtMs, passed, coming);
    else writer.add(row.key, index, createdAtMs, coming, passed);
  }
  return writer.finish();
}

/** For each row, the number of ties just before it. `beyond` is the number of ties before the first row. */
function tiesBefore(rows: readonly SeenRow[], beyond: number): number[] {
  const all: number[] = [];
  let [ties, last] = [beyond, rows[0]?.row];
  for (const { row } of rows) {
    if (last !== undefined && row !== last) ties = areTied(last, row) ? ties + 1 : 0;
    last = row;
    all.push(ties);
  }
  return all;
}

/**
 * Names the seen ties on one side of a row, up to a limit, and at least `usualNames` rows, if seen. The slice has
 * `inside` rows on that side.
 */
function namesOf(
  fingerprints: readonly number[],
  at: number,
  step: 1 | -1,
  ties: number,
  inside: number,
  beyond: NamedRows,
): NamesToWrite {
  const most = step === 1 ? MAX_AHEAD : MAX_BEHIND;
  const seen = step === 1 ? fingerprints.length - 1 - at : at;
  const named = ties > most ? most : ties;
  const count = Math.min(Math.max(named, usualNames), seen);
  const complete = named === ties && (ties < inside || beyond.complete);
  return { fingerprints, from: at + step, step, count, ties: named, complete };
}

/**
 * The names of the rows before the slice: of those that were seen, or of those that the cursor names if they are its
 * ties or too few were seen. The cursor's row is named even if it was not seen: it may still be there.
 */
function namesBehind({ cursor, direction }: Wanted, slice: PlannedSlice): NamedRows {
  const [first] = slice.rows;
  if (!slice.hasBehind || first === undefined) return { fingerprints: [], ties: 0, complete: true };
  const seen = seenBeside(slice, first, direction, MAX_BEHIND);
  if (cursor === null) return seen;
  const isTie = areTied(cursor, first.row);
  const passed = direction === 1 ? cursor.newer : cursor.older;
  const own = fingerprintOf(cursor.key);
  const areFew = seen.fingerprints.length < usualNames;
  const named = areFew || (isTie && passed.complete) ? passed : seen;
  if (named === seen && nearestOf(slice.sheet, cursor.key, first.distance, null) !== undefined)
    return seen;
  return {
    fingerprints: [own, ...named.fingerprints],
    ties: isTie ? named.ties + 1 : 0,
    complete: !isTie || named.complete,
  };
}

function namesAhead(wanted: Wanted, slice: PlannedSlice, areTiesKept: boolean): NamedRows {
  const { cursor, direction } = wanted;
  const last = slice.rows.at(-1);
  if (!slice.hasMore || last === undefined) return { fingerprints: [], ties: 0, complete: true };
  // Settled ties have no fixed order, so the places of the rows after them are unknown.
  if (!areTiesKept) return { fingerprints: [], ties: 0, complete: false };
  const seen = seenBeside(slice, last, direction === 1 ? -1 : 1, MAX_AHEAD);
  if (seen.fingerprints.length > 0) return seen;
  const left = cursor === null ? seen : namesLeft(cursor, direction, slice.rows);
  // A walk from the oldest row begins with the newest page, so it may have read the next row but one.
  const beyond = rowAt(slice.sheet, last.distance - 2 * direction);
  if (left.fingerprints.length > 0 || beyond === undefined) return left;
  return { fingerprints: [NO_KEY, fingerprintOf(beyond.key)], ties: 0, complete: false };
}

/** The names of rows beyond the slice's last row, taken from the cursor because these rows have not been read since. */
function namesLeft(cursor: Cursor, direction: Direction, rows: readonly SeenRow[]): NamedRows {
  const { fingerprints, ties } = direction === 1 ? cursor.older : cursor.newer;
  const key = rows.at(-1)?.row.key ?? NO_KEY;
  // Rows without ids have no names of their own.
  const nth = key === NO_KEY ? -1 : fingerprints.indexOf(fingerprintOf(key));
  const passed = nth < 0 && fingerprints[rows.length - 1] === NO_KEY ? rows.length : nth + 1;
  if (passed === 0) return { fingerprints: [], ties: 0, complete: false };
  const left = fingerprints.slice(passed);
  return { fingerprints: left, ties: Math.max(ties - passed, 0), complete: false };
}

/** The names of the seen rows beside a row, towards one end: its ties, up to `most`, and at least `usualNames` rows. */
function seenBeside(slice: PlannedSlice, one: SeenRow, step: 1 | -1, most: number): NamedRows {
  const { sheet, total } = slice;
  const fingerprints: number[] = [];
  let ties = 0;
  for (;;) {
    const distance = one.distance + step * (fingerprints.length + 1);
    if (distance < 0 || distance >= total) return { fingerprints, ties, complete: true };
    const beside = rowAt(sheet, distance);
    if (beside === undefined) return { fingerprints, ties, complete: ties < fingerprints.length };
    if (ties === fingerprints.length && areTied(one.row, beside)) ties++;
    if (fingerprints.length >= Math.max(usualNames, ties))
      return { fingerprints, ties, complete: true };
    if (ties > most) return { fingerprints, ties: most, complete: false };
    fingerprints.push(fingerprintOf(beside.key));
  }
}

// What a slice still needs: pages to read, or nothing more, and then its rows. Pure: from what was read to the next step.
import { findGap, findMoved } from './contradictions.ts';
import type { Cursor } from './cursor.ts';
import {
  answeredTotal,
  isChanging,
  know,
  pageOf,
  rowAt,
  type Known,
  type Observed,
} from './known.ts';
import { placeOf } from './place.ts';
import { found, type Direction, type FoundPlace, type Place } from './search.ts';
import type { Sight } from './sight.ts';
import { isAheadOf, settleTies, type Question } from './ties.ts';

/** What a client asked for, checked. */
export interface Wanted {
  readonly direction: Direction;
  /** 0 to 100. */
  readonly count: number;
  readonly cursor: Cursor | null;
  /** Only totalCount is selected: one page tells it. */
  readonly totalOnly: boolean;
}

/** The rows of a slice, in the direction of the walk, and what is around them. */
export interface PlannedSlice {
  readonly rows: readonly PlannedRow[];
  /** totalItems of the state that the slice belongs to. */
  readonly total: number;
  /** itemsPerPage as last read. */
  readonly size: number;
  /** Whether rows follow, and whether rows lie before, in the direction of the walk. */
  readonly hasMore: boolean;
  readonly hasBehind: boolean;
  /** The rows just outside the slice, where seen: before its first, after its last. */
  readonly before: Observed | undefined;
  readonly after: Observed | undefined;
}

/** A row with its place in the slice: where it was seen, or, among ties whose order had to be settled, was put. */
export type PlannedRow = Observed;

/** What to do next. */
export type Step =
  | { readonly kind: 'read'; readonly pages: readonly number[] }
  | { readonly kind: 'slice'; readonly slice: PlannedSlice }
  | { readonly kind: 'expired' }
  /** The pages keep contradicting each other. */
  | { readonly kind: 'misfit' };

/** Says what to do after `reads`, the pages read so far in their order. Throws where two page numbers are one page. */
export function planSlice(wanted: Wanted, reads: readonly Sight[]): Step {
  if (reads.length === 0) {
    return { kind: 'read', pages: [firstPage(wanted)] };
  }
  const known = know(reads);
  const step = wanted.totalOnly ? totalOf(known) : stepFrom(wanted, known);
  if (step.kind !== 'read') {
    return step;
  }
  if (reads.length > mostReads(wanted, known)) {
    return { kind: wanted.cursor === null ? 'misfit' : 'expired' };
  }
  // One page at a time keeps up with a statement that changes, where many at once miss each other.
  return isChanging(known) ? { kind: 'read', pages: step.pages.slice(0, 1) } : step;
}

/**
 * Enough for the pages of the slice, a search, and many rounds of reading again; more means that the statement changes
 * faster than it can be read, or that the service's pages are not what they say.
 */
function mostReads({ count }: Wanted, { total, size }: Known): number {
  return 32 + 6 * Math.ceil(count / size) + 2 * Math.ceil(Math.log2(1 + total / size));
}

/** The page that holds the slice's first row, if nothing has changed since the cursor was issued. */
function firstPage({ cursor, direction }: Wanted): number {
  if (cursor === null) {
    return 0;
  }
  const index = Math.min(Math.max(cursor.index + direction, 0), cursor.total - 1);
  return Math.floor(index / cursor.size);
}

function totalOf({ total, size }: Known): Step {
  const slice = { rows: [], total, size, hasMore: false, hasBehind: false };
  return { kind: 'slice', slice: { ...slice, before: undefined, after: undefined } };
}

function stepFrom(wanted: Wanted, known: Known): Step {
  const place = startOf(wanted, known);
  if (place.kind !== 'found') {
    return place;
  }
  return gather(wanted, known, place);
}

function startOf({ cursor, direction, count }: Wanted, known: Known): Place {
  if (cursor !== null) {
    return placeOf(known, cursor, direction, count);
  }
  if (direction === -1) {
    return found(0, null);
  }
  const head = known.sights.find(({ page }) => page === 0);
  return head === undefined ? { kind: 'read', pages: [0] } : found(head.total - 1, null);
}

/** Takes the rows from the place on, or says which pages they need. */
function gather(wanted: Wanted, known: Known, place: FoundPlace): Step {
  const { direction, count } = wanted;
  const newest = direction === 1 ? place.first : place.first + count - 1;
  const total = answeredTotal(known, newest);
  const available = direction === 1 ? place.first + 1 : total - place.first;
  const { rows, unread } = rowsFrom(place, Math.min(count, available), direction, known);
  if (unread.length > 0) {
    return { kind: 'read', pages: unread };
  }
  const gap = findGap(known, place, rows);
  if (gap !== undefined) {
    return { kind: 'read', pages: [pageOf(known, gap)] };
  }
  return settleMoved(wanted, known, place, rows) ?? sliceOf(wanted, known, place, rows, total);
}

/** That many rows from a place on, as far as they were seen, and the pages on which the others stand now. */
function rowsFrom(
  { first, settled }: FoundPlace,
  count: number,
  direction: Direction,
  known: Known,
): { rows: PlannedRow[]; unread: number[] } {
  const rows: PlannedRow[] = [];
  const unread: number[] = [];
  for (let k = 0; k < count; k++) {
    const distance = first - direction * k;
    const put = settled[k];
    const row = put === undefined ? rowAt(known, distance) : { ...put, distance };
    if (row !== undefined) {
      rows.push(row);
    } else if (unread.at(-1) !== pageOf(known, distance)) {
      unread.push(pageOf(known, distance));
    }
  }
  return { rows, unread };
}

/**
 * A row that stands at two places of the slice was moved by the service among its ties between two reads; then another
 * one is missing. Where one is missing without that, they were shifted. The ties are read again until each is seen.
 */
function settleMoved(
  wanted: Wanted,
  known: Known,
  place: FoundPlace,
  rows: readonly PlannedRow[],
): Step | undefined {
  const moved = findMoved(known, place, rows);
  if (moved === undefined) {
    return undefined;
  }
  const start = rows.findIndex(({ row }) => row.createdAtMs === moved.row.createdAtMs);
  const settled = settleTies(questionFrom(wanted, known, rows.slice(start), moved));
  if (settled.kind !== 'found') {
    return settled;
  }
  const settledRows = [...rows.slice(0, start), ...settled.settled];
  return settledRows.length > place.settled.length
    ? gather(wanted, known, { ...place, settled: settledRows })
    : { kind: 'misfit' };
}

/** What to ask of the ties with which `rows` begin: those of the cursor's row go on, others start here. */
function questionFrom(
  { direction, cursor }: Wanted,
  known: Known,
  rows: readonly PlannedRow[],
  { distance, row: { createdAtMs } }: PlannedRow,
): Question {
  const own = cursor?.createdAtMs === createdAtMs ? cursor : null;
  return {
    known,
    direction,
    createdAtMs,
    isAhead: own === null ? () => true : isAheadOf(own, direction),
    from: (rows[0]?.distance ?? distance) + direction,
    given: own === null ? 0 : own.ties.prints.length + 1,
    total: cursor?.total ?? known.total,
    count: rows.length,
  };
}

function sliceOf(
  { direction }: Wanted,
  known: Known,
  place: FoundPlace,
  rows: readonly PlannedRow[],
  total: number,
): Step {
  const next = place.first - direction * rows.length;
  const behind = place.first + direction;
  const slice: PlannedSlice = {
    rows,
    total,
    size: known.size,
    hasMore: next >= 0 && next < total,
    hasBehind: behind >= 0 && behind < total,
    before: rowAt(known, behind),
    after: rowAt(known, next),
  };
  return { kind: 'slice', slice };
}

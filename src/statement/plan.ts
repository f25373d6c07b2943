// Determines the next step for a slice from the pages read so far: read more pages, return its rows, or fail. Pure.
import { NO_KEY } from '../upstream/shape/shapes.ts';
import type { Cursor } from './cursor.ts';
import { unsureEnd } from './miscount.ts';
import { countRereads, covers, type PageView } from './page-view.ts';
import {
  placeAfter,
  type Direction,
  type ExpiryReason,
  type FoundBy,
  type Place,
  type ReadReason,
} from './place.ts';
import { fingerprintOf } from './row-key.ts';
import {
  isInside,
  isRead,
  isSameRow,
  isUnread,
  layOut,
  nearestOf,
  pageAt,
  rowAt,
  type SeenRow,
  type Sheet,
} from './sheet.ts';

/** A client's validated arguments; `count` is from 0 to 100. */
export interface Wanted {
  readonly direction: Direction;
  readonly count: number;
  readonly cursor: Cursor | null;
  /** Whether only totalCount is selected, for which one page is enough. */
  readonly totalOnly: boolean;
}

/** The rows of a slice in the direction of the walk, and the rows seen around them. */
export interface PlannedSlice {
  readonly rows: readonly SeenRow[];
  readonly sheet: Sheet;
  readonly total: number;
  /** Whether rows follow the slice (`hasMore`) or precede it (`hasBehind`) in the direction of the walk. */
  readonly hasMore: boolean;
  readonly hasBehind: boolean;
  /** The distance of the place just before the slice. */
  readonly behind: number;
  readonly by: FoundBy;
}

export type Step =
  | { readonly kind: 'read'; readonly pages: readonly number[]; readonly reason: ReadReason }
  | { readonly kind: 'expired'; readonly reason: ExpiryReason }
  | { readonly kind: 'slice'; readonly slice: PlannedSlice }
  /** The pages changed at every read. */
  | { readonly kind: 'unsettled' };

/**
 * Returns the next step for a slice; `reads` are the pages read for it, in the order of the answers. `refused` is the
 * number of calls that were refused because too many were under way.
 */
export function planSlice(wanted: Wanted, reads: readonly PageView[], refused = 0): Step {
  const asked = wanted.totalOnly ? { ...wanted, cursor: null, count: 0 } : wanted;
  if (reads.length === 0) return { kind: 'read', pages: [firstPage(asked)], reason: 'first' };
  const sheet = layOut(reads, asked.cursor?.isReordered === true);
  const place = startOf(asked, sheet);
  if (place.kind === 'expired') return place;
  const { slice, missing, reason } =
    place.kind === 'found'
      ? gather(asked, sheet, place, reads)
      : { slice: undefined, missing: [place.distance], reason: place.reason };
  if (slice !== undefined) return { kind: 'slice', slice };
  const step = worthReading(missing, sheet, reads, reason);
  const calls = reads.reduce((sum, read) => sum + read.calls, refused);
  if (calls + step.pages.length <= mostCalls(wanted, sheet.latest)) return step;
  // A search that met no changes would end so again.
  const isSearch = step.reason === 'search' && countRereads(reads) === 0;
  if (!isSearch) return { kind: 'unsettled' };
  return { kind: 'expired', reason: asked.cursor?.createdAtMs === null ? 'gone' : 'ties' };
}

function startOf({ cursor, direction, count }: Wanted, sheet: Sheet): Place {
  if (cursor !== null) {
    // On a walk to newer rows, the page that was read first may not have the next row.
    const next = cursor.total - 1 - cursor.index - direction;
    if (
      direction === -1 &&
      sheet.pages.length === 1 &&
      sheet.latest.total === cursor.total &&
      isUnread(sheet, next)
    )
      return { kind: 'found', first: next, by: 'position' };
    return placeAfter({ sheet, cursor, direction, count });
  }
  if (direction === -1) return { kind: 'found', first: 0, by: 'position' };
  const head = sheet.pages.find(({ page }) => page === 0);
  if (head === undefined)
    return { kind: 'read', distance: sheet.latest.total - 1, reason: 'again' };
  return { kind: 'found', first: head.newest, by: 'position' };
}

/**
 * The pages with the missing places. Of those that are missing because a later page contradicts theirs, only the last is
 * read again, because the others may be unchanged.
 */
function worthReading(
  missing: readonly number[],
  sheet: Sheet,
  reads: readonly PageView[],
  reason: ReadReason,
): Extract<Step, { kind: 'read' }> {
  const wasRead = (distance: number) => reads.some((view) => covers(view, distance));
  const again = missing.findLast(wasRead);
  const worth = missing.filter((distance) => distance === again || !wasRead(distance));
  const pages = [...new Set(worth.map((distance) => pageAt(sheet, distance)))].sort(
    (a, b) => a - b,
  );
  const isAgain = pages.some((page) => reads.some((view) => view.page === page));
  // Two replicas may answer in turn: reading one page twice in a row reaches the other one.
  const [one, other, third] = reads.slice(-3).map(({ page }) => page);
  const inTurn = other === pages[0] && third === one && other !== one;
  return {
    kind: 'read',
    pages: inTurn && pages.length === 1 ? [third as number] : pages,
    reason: isAgain ? 'again' : reason,
  };
}

/** The largest number of calls for a slice (docs/paging.md). */
function mostCalls({ count }: Wanted, { total, size }: PageView): number {
  const pages = Math.max(Math.ceil(count / size), 1);
  return 2 * pages + Math.ceil(Math.log2(Math.max(total / size, 1))) + 8;
}

/** The page that has the slice's newest row if nothing has changed since the cursor was issued; 0 without a cursor. */
function firstPage({ cursor, direction, count }: Wanted): number {
  if (cursor === null) return 0;
  const newest = cursor.index + (direction === 1 ? 1 : -Math.max(count, 1));
  return Math.floor(Math.min(Math.max(newest, 0), cursor.total - 1) / cursor.size);
}

type Found = Extract<Place, { kind: 'found' }>;

/** The slice that begins at the place, or the pages that are missing. */
function gather(wanted: Wanted, sheet: Sheet, { first, by }: Found, reads: readonly PageView[]) {
  const { direction, count, cursor } = wanted;
  const head = sheet.pages.find(({ page }) => page === 0)?.newest ?? sheet.latest.total - 1;
  const rows: SeenRow[] = [];
  /** The first missing place of each page. */
  const missing: number[] = [];
  const isEnd = (distance: number) => distance < 0 || distance > head;
  let distance = first;
  let [hasMore, hasGiven] = [false, false];
  for (let left = count; !isEnd(distance); distance -= direction) {
    const row = rowAt(sheet, distance);
    if (row !== undefined ? isGiven(row, distance, wanted, sheet, rows) : isRead(sheet, distance)) {
      hasGiven ||= row !== undefined && cursor !== null;
      continue;
    }
    if (left-- === 0) {
      hasMore = true;
      break;
    }
    if (row !== undefined) rows.push({ row, distance });
    else if (pageAt(sheet, distance) !== pageAt(sheet, missing.at(-1) ?? NaN))
      missing.push(distance);
  }
  if (missing.length > 0) return { missing, reason: 'next', slice: undefined } as const;
  const before = first + direction;
  const start = isInside(sheet, before) && isRead(sheet, before) ? before : first;
  const unsure = unsureEnd(sheet, reads, by, start, rows.at(-1)?.distance ?? first);
  if (unsure !== undefined)
    return { missing: [unsure], reason: 'again', slice: undefined } as const;
  // The state of the slice is that of the page with its newest row; after a removal, that of the later page.
  const newest = (direction === 1 ? rows[0] : rows.at(-1))?.distance ?? NaN;
  const shown = sheet.pages.filter((page) => covers(page, newest)).map((page) => page.total);
  const total = shown.length > 0 ? Math.min(...shown) : sheet.latest.total;
  const behind = (rows[0]?.distance ?? first) + direction;
  const hasBehind = hasGiven || (behind >= 0 && behind < total);
  if (direction === -1 && distance >= total) hasMore = false;
  return { slice: { rows, sheet, total, hasMore, hasBehind, behind, by } };
}

/** Whether the walk has returned the row: it is in the slice, or the cursor names it, and it is no other transaction. */
function isGiven(
  row: SeenRow['row'],
  distance: number,
  { cursor, direction }: Wanted,
  sheet: Sheet,
  rows: readonly SeenRow[],
): boolean {
  if (row.key === NO_KEY) return false;
  if (sheet.repeats && rows.some((one) => isSameRow(one.row, row))) return true;
  if (cursor === null) return false;
  const { fingerprints, ties } = direction === 1 ? cursor.newer : cursor.older;
  const nth = row.key === cursor.key ? 0 : 1 + fingerprints.indexOf(fingerprintOf(row.key));
  if (row.key !== cursor.key && nth === 0) return false;
  // Another transaction may have the same id.
  const old = cursor.total - 1 - cursor.index + direction * nth;
  const before = nearestOf(sheet, row.key, old, null);
  if (before === distance && nth > ties && isUnread(sheet, old)) return false;
  const there = before === undefined || before === distance ? row : rowAt(sheet, before);
  return there === undefined || isSameRow(there, row);
}

// Determines the next step for a slice from the pages read so far: read more pages, return its rows, or fail.
import { NO_KEY } from '../upstream/shape/shapes.ts';
import type { Cursor } from './cursor.ts';
import { locate } from './locate.ts';
import type { PageView } from './page-view.ts';
import { found, searchesOf, type FoundPlace, type Place, type Search } from './search.ts';
import { isInside, isSorted, pageAt, rowAt, type SeenRow, type Snapshot } from './snapshot.ts';
import { States } from './states.ts';
import { settleCursorTies, settleTies } from './tie-order.ts';

/** A client's validated arguments; `count` is from 0 to 100. */
export interface Wanted extends Pick<Search, 'direction' | 'count'> {
  readonly cursor: Cursor | null;
  /** Whether only totalCount is selected, for which one page is enough. */
  readonly totalOnly: boolean;
}

/** The rows of a slice in the direction of the walk, and the rows seen around them. */
export interface PlannedSlice {
  /** Each row with its place: where it was seen, or its assigned place among ties whose order had to be settled. */
  readonly rows: readonly SeenRow[];
  /** All rows that were seen in the slice's state, including rows beside the slice. */
  readonly snapshot: Snapshot;
  /** Whether rows follow the slice (`hasMore`) or precede it (`hasBehind`) in the direction of the walk. */
  readonly hasMore: boolean;
  readonly hasBehind: boolean;
  /** The distance of the row just before the slice. */
  readonly behind: number;
  readonly by: FoundPlace['by'];
}

export type Step =
  | Exclude<Place, FoundPlace>
  | { readonly kind: 'slice'; readonly slice: PlannedSlice }
  /** The pages keep contradicting each other. */
  | { readonly kind: 'misfit' };

/**
 * Returns the next step. A slice shows one state: the earliest in which nothing had moved since the cursor was issued,
 * otherwise the latest with enough rows. If rows of the call or of the walk are not in createdAt order (`isTimed` is
 * false), createdAt is ignored. `states` are those of the earlier steps for the slice, for which `reads` had fewer pages.
 * Throws UPSTREAM_CONTRACT_VIOLATION if two page numbers return the same page.
 */
export function planSlice(wanted: Wanted, reads: readonly PageView[], states = new States()): Step {
  let isTimed = wanted.cursor?.createdAtMs !== null;
  let snapshots = states.of(reads, isTimed);
  if (!snapshots.every(isSorted)) [isTimed, snapshots] = [false, states.of(reads, false)];
  const [latest] = snapshots;
  const asked = wanted.totalOnly ? { ...wanted, cursor: null, count: 0 } : wanted;
  if (latest === undefined) return { kind: 'read', pages: [firstPage(asked)] };
  let next: Step = { kind: 'misfit' };
  let slice: Step | undefined;
  const { direction, count } = asked;
  const cursor = isTimed ? asked.cursor : asked.cursor && { ...asked.cursor, createdAtMs: null };
  const searches = cursor === null ? [] : searchesOf(snapshots, cursor, direction, count);
  for (const [nth, snapshot] of snapshots.entries()) {
    const target = searches[nth] ?? { snapshot, direction, count, cursor: null };
    const head = direction === 1 ? snapshot.total - 1 : 0;
    const place = target.cursor === null ? found(head, 'position') : locate(target);
    const step = place.kind === 'found' ? gather(target, place) : place;
    if (step.kind === 'slice') {
      // Neither the cursor's row nor a named one was seen: it may be where an earlier state was not read.
      const isGuess = nth > 0 && step.slice.by === 'createdAt' && next.kind === 'read';
      if (isGuess && snapshot.total >= (cursor?.total ?? 0)) continue;
      const isUnmoved = cursor?.isReordered === false && step.slice.by === 'position';
      if (slice === undefined || isUnmoved) slice = step;
    } else if (nth === 0 || isCheaper(step, next, snapshots.slice(0, nth))) next = step;
  }
  if (slice !== undefined) return slice;
  if (next.kind !== 'read') return next;
  const pages = worthReading(next.pages, reads);
  if (reads.length <= mostReads(wanted, latest)) return { kind: 'read', pages };
  return wanted.cursor === null ? { kind: 'misfit' } : { kind: 'expired', reason: 'unsettled' };
}

/** Whether a step for an earlier state reads no more pages than `next`, and only pages that were not read since. */
function isCheaper(step: Step, next: Step, later: readonly Snapshot[]): boolean {
  if (step.kind !== 'read' || next.kind !== 'read') return false;
  const isNew = (page: number) => later.every(({ own }) => own.every((view) => view.page !== page));
  return step.pages.every(isNew) && step.pages.length <= next.pages.length;
}

/** The pages to read now: of those that were read before, only the last, because the others may be unchanged. */
function worthReading(pages: readonly number[], reads: readonly PageView[]): number[] {
  const isUnread = (page: number) => reads.every((view) => view.page !== page);
  const again = pages.findLast((page) => !isUnread(page));
  return pages.filter((page) => page === again || isUnread(page));
}

/** If more reads than this are not enough for a slice, rows change too fast, or pages contradict totals. */
function mostReads({ count }: Wanted, { total, size }: Snapshot): number {
  return 32 + 6 * Math.ceil(count / size) + 2 * Math.ceil(Math.log2(1 + total / size));
}

/** The page that has the slice's first row if nothing has changed since the cursor was issued; 0 without a cursor. */
function firstPage({ cursor, direction }: Wanted): number {
  if (cursor === null) return 0;
  const index = Math.min(Math.max(cursor.index + direction, 0), cursor.total - 1);
  return Math.floor(index / cursor.size);
}

/** The slice to find in one state. */
type Target =
  Search | (Pick<Search, 'snapshot' | 'direction' | 'count'> & { readonly cursor: null });

/** The slice that begins at the place, or the next step if pages are missing or a row is repeated. */
function gather(target: Target, place: FoundPlace): Step {
  const { direction, count, snapshot } = target;
  const most = Math.min(count, direction === 1 ? place.first + 1 : snapshot.total - place.first);
  const rows: SeenRow[] = [];
  const unread: number[] = [];
  for (let k = 0; k < most; k++) {
    const distance = place.first - direction * k;
    const put = place.settled[k];
    const row = put === undefined ? rowAt(snapshot, distance) : { ...put, distance };
    if (row !== undefined) rows.push(row);
    else if (unread.at(-1) !== pageAt(snapshot, distance)) unread.push(pageAt(snapshot, distance));
  }
  if (unread.length > 0) return { kind: 'read', pages: unread };
  const [next, behind] = [place.first - direction * rows.length, place.first + direction];
  const [hasMore, hasBehind] = [isInside(snapshot, next), isInside(snapshot, behind)];
  const slice: PlannedSlice = { rows, snapshot, hasMore, hasBehind, behind, by: place.by };
  return settleRepeated(target, place, rows) ?? { kind: 'slice', slice };
}

/** A row in two places shows that ties were reordered and one is unseen: reads ties until enough have been seen. */
function settleRepeated(target: Target, place: FoundPlace, rows: SeenRow[]): Step | undefined {
  const { direction, snapshot } = target;
  // Without repeated rows and without settled ties, each row has one place.
  if (!snapshot.repeats && place.settled.length === 0) return undefined;
  const keys = new Set<number>();
  const repeated = rows.find(
    ({ row: { key } }) => key !== NO_KEY && keys.size === keys.add(key).size,
  );
  if (repeated === undefined) return undefined;
  const { key: twice, createdAtMs } = repeated.row;
  // One answer shows one moment, so these are two transactions with one id.
  const hasTwo = (page: PageView) => page.rows.filter(({ key }) => key === twice).length > 1;
  if (snapshot.pages.some(hasTwo)) return { kind: 'misfit' };
  if (target.cursor !== null && target.cursor.createdAtMs === createdAtMs) {
    if (place.by === 'tieOrder') return { kind: 'misfit' };
    const again = settleCursorTies(target);
    return again.kind === 'found' ? gather(target, again) : again;
  }
  const start = rows.findIndex(({ row }) => row.createdAtMs === createdAtMs);
  const ties = rows.slice(start);
  const settled = settleTies({
    ...{ snapshot, direction, createdAtMs, count: ties.length, given: 0, own: NaN },
    isAhead: () => true,
    from: (ties[0] ?? repeated).distance + direction,
  });
  if (settled.kind !== 'found') return settled;
  const settledRows = [...rows.slice(0, start), ...settled.settled];
  return settledRows.length > place.settled.length
    ? gather(target, { ...place, settled: settledRows, by: 'tieOrder' })
    : { kind: 'misfit' };
}

// The state of a statement at one moment, as far as it was read. README.md has the rules for combining reads. Pure.
import { contractViolation } from '../errors.ts';
import { NO_KEY } from '../upstream/shape/row-key.ts';
import type { StatementRow } from '../upstream/shape/shapes.ts';
import { areSamePage, areTied, covers, findKey, oldestOf, type PageView } from './page-view.ts';

/** One state of the statement, and all rows that are known to be in it. */
export interface Snapshot {
  /** Pages or parts of pages, with distances in this state: first its own pages, latest first, then other pages. */
  readonly pages: readonly PageView[];
  readonly total: number;
  readonly size: number;
  /** The numbers of the pages that were read in this state. */
  readonly ownPages: readonly number[];
  /** The growth of the total since this state. `pageAt` assumes that rows have moved by as many places. */
  readonly movedBy: number;
  /** Whether any row with a usable id was read more than once. */
  readonly repeats: boolean;
  /** Whether no later state was read. */
  readonly isLatest: boolean;
  /** The states that were read before this one, the earliest first. */
  readonly earlier: readonly Snapshot[];
}

export interface SeenRow {
  readonly row: StatementRow;
  readonly distance: number;
}

/** The states in `reads`, latest first. Throws UPSTREAM_CONTRACT_VIOLATION if two page numbers return the same page. */
export function snapshotsOf(reads: readonly PageView[]): Snapshot[] {
  const repeats = haveRepeats(reads);
  const states = statesOf(reads, repeats);
  const now = states.at(-1)?.[0];
  if (now === undefined) throw new TypeError('nothing was read yet');
  const { size } = now;
  const snapshots: Snapshot[] = [];
  for (const [nth, own] of states.entries()) {
    const total = own[0]?.total ?? 0;
    const ownPages = own.map(({ page }) => page);
    const pages = states.length === 1 ? own : pagesIn(states, nth);
    const isLatest = nth === states.length - 1;
    const movedBy = isLatest ? 0 : now.total - total;
    const earlier = [...snapshots];
    snapshots.push({ pages, ownPages, total, size, movedBy, repeats, isLatest, earlier });
  }
  return snapshots.reverse();
}

/** Whether any row with a usable id occurs twice on these pages. */
function haveRepeats(reads: readonly PageView[]): boolean {
  const keys = new Set<number>();
  return reads.some(({ rows }) =>
    rows.some(({ key }) => key !== NO_KEY && keys.size === keys.add(key).size),
  );
}

/** Groups successive reads that have the same total and do not contradict each other; in each group, latest first. */
function statesOf(reads: readonly PageView[], repeats: boolean): PageView[][] {
  const states: PageView[][] = [];
  let state: PageView[] = [];
  for (const page of reads) {
    if (state.some((earlier) => areSamePage(page, earlier))) {
      throw contractViolation(
        'two page numbers return the same page; UPSTREAM_PAGE_BASE must be the number of the first page',
      );
    }
    const total = state[0]?.total;
    if (total !== page.total || state.some((earlier) => doContradict(earlier, page, repeats))) {
      state = [];
      states.push(state);
    }
    state.unshift(page);
  }
  return states;
}

/** Whether two pages have different rows at one place, or one row at two; ties and rows without ids are exempt. */
function doContradict(one: PageView, other: PageView, repeats: boolean): boolean {
  const oldest = Math.max(oldestOf(one), oldestOf(other));
  const newest = Math.min(one.newest, other.newest);
  for (let distance = newest; distance >= oldest; distance--) {
    const [row, there] = [one.rows[one.newest - distance], other.rows[other.newest - distance]];
    if (row === undefined || there === undefined || row.key === there.key) continue;
    if (row.key === NO_KEY || there.key === NO_KEY) continue;
    if (!areTied(row, there)) return true;
  }
  // Without repeats, no row is at two places. The comparison below takes longer than all other work for a slice.
  if (!repeats) return false;
  return one.rows.some((row, offset) => {
    const distance = one.newest - offset;
    const isElsewhere = (findKey(other, row.key) ?? distance) !== distance;
    const isTie = (there: StatementRow) => there.key !== row.key && areTied(row, there);
    return isElsewhere && !one.rows.some(isTie) && !other.rows.some(isTie);
  });
}

/** The largest index and distance up to which the rows of two states are known to be the same; -1 for none. */
interface Extent {
  index: number;
  distance: number;
}

const nothing: Extent = { index: -1, distance: -1 };

/** The pages of a state, and rows of other states that were also in this one (README.md). */
function pagesIn(states: readonly PageView[][], nth: number): PageView[] {
  const own = states[nth] ?? [];
  const extents = states.map((): Extent => ({ ...nothing }));
  const total = own[0]?.total ?? 0;
  // A row with the same place before and after a state had that place in that state too.
  for (const [earlier, before] of states.slice(0, nth).entries()) {
    for (const [k, after] of states.slice(nth + 1).entries()) {
      if (!isOneWay(states, earlier, nth + 1 + k)) continue;
      const shared = sharedExtent(before, after);
      widen(extents[earlier], shared);
      widen(extents[nth + 1 + k], shared);
    }
  }
  const isShared = states.map((_, k) => k !== nth && isOneWay(states, k, nth));
  let pages = own;
  // Rows that are shared with other states may reveal further shared rows.
  for (let isGrowing = true; isGrowing;) {
    const parts = states.flatMap((from, k) =>
      isShared[k] === true ? from.flatMap((page) => partsOf(page, extents[k], total)) : [],
    );
    pages = [
      ...own,
      ...parts.filter((part) => !own.some((page) => doContradict(page, part, true))),
    ];
    isGrowing = false;
    for (const [k, from] of states.entries()) {
      if (isShared[k] === true)
        isGrowing = widen(extents[k], sharedExtent(from, pages)) || isGrowing;
    }
  }
  return pages;
}

/** False if the total both rose and fell between two states: then a row at the same place proves nothing. */
function isOneWay(states: readonly PageView[][], one: number, other: number): boolean {
  const between = states.slice(Math.min(one, other), Math.max(one, other) + 1);
  const totals = between.map(([page]) => page?.total ?? 0);
  const steps = totals.map((total, k) => total - (totals[k - 1] ?? total));
  return steps.every((step) => step >= 0) || steps.every((step) => step <= 0);
}

function widen(extent: Extent | undefined, { index, distance }: Extent): boolean {
  if (extent === undefined) return false;
  const isWider = index > extent.index || distance > extent.distance;
  extent.index = Math.max(extent.index, index);
  extent.distance = Math.max(extent.distance, distance);
  return isWider;
}

/** The largest index, and the largest distance, that a row has in both states. */
function sharedExtent(pages: readonly PageView[], others: readonly PageView[]): Extent {
  const shared = { index: -1, distance: -1 };
  for (const page of pages) {
    for (const [offset, { key }] of page.rows.entries()) {
      for (const other of others) {
        const there = findKey(other, key);
        if (there === undefined) continue;
        const distance = page.newest - offset;
        const index = page.total - 1 - distance;
        if (distance === there) shared.distance = Math.max(shared.distance, distance);
        if (index === other.total - 1 - there) shared.index = Math.max(shared.index, index);
      }
    }
  }
  return shared;
}

/** Two parts of a page, placed in a state with this total: the rows up to the extent's index or up to its distance. */
function partsOf(page: PageView, extent: Extent = nothing, total: number): PageView[] {
  const first = page.page * page.size;
  const upToIndex = page.rows.slice(0, Math.max(extent.index - first + 1, 0));
  const upToDistance = page.rows.slice(Math.max(page.newest - extent.distance, 0));
  return [
    { ...page, total, newest: total - 1 - first, rows: upToIndex },
    { ...page, total, newest: Math.min(page.newest, extent.distance), rows: upToDistance },
  ].filter(({ rows }) => rows.length > 0);
}

/** The current zero-based page of the row at this distance. */
export function pageAt({ total, size, movedBy }: Snapshot, distance: number): number {
  return Math.max(Math.floor((total - 1 - distance + movedBy) / size), 0);
}

export function isInside({ total }: Snapshot, distance: number): boolean {
  return distance >= 0 && distance < total;
}

export function isCovered({ pages }: Snapshot, distance: number): boolean {
  return pages.some((page) => covers(page, distance));
}

/** The row at a distance, from the first page that has it. */
export function rowAt({ pages }: Snapshot, distance: number): SeenRow | undefined {
  for (const page of pages) {
    // This check saves time: reading an array out of range takes far longer.
    const row = covers(page, distance) ? page.rows[page.newest - distance] : undefined;
    if (row !== undefined) return { row, distance };
  }
  return undefined;
}

/** The distance of the row with this key, from the first page that has it. */
export function distanceOf({ pages }: Snapshot, key: number): number | undefined {
  for (const page of pages) {
    const distance = findKey(page, key);
    if (distance !== undefined) return distance;
  }
  return undefined;
}

/** All seen rows with their distances, in the order of the pages. A row that is on two pages is repeated. */
export function* seenRows({ pages }: Snapshot): Generator<SeenRow> {
  for (const { rows, newest } of pages) {
    let distance = newest;
    for (const row of rows) yield { row, distance: distance-- };
  }
}

/** Whether the seen rows are in createdAt order, which the service does not promise. */
export function isSorted({ pages }: Snapshot): boolean {
  let [earliest, reached] = [Infinity, Infinity];
  for (const { newest, rows } of pages.toSorted((one, other) => other.newest - one.newest)) {
    for (let offset = Math.max(newest - reached + 1, 0); offset < rows.length; offset++) {
      const at = rows[offset]?.createdAtMs ?? earliest;
      if (at > earliest) return false;
      earliest = at;
    }
    reached = Math.min(reached, newest - rows.length + 1);
  }
  return true;
}

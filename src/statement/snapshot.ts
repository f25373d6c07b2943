// The state of a statement at one moment, as far as it was read. README.md has the rules for combining reads. Pure.
import { contractViolation } from '../errors.ts';
import { hasRepeatedKey, NO_KEY } from '../upstream/shape/row-key.ts';
import type { StatementRow } from '../upstream/shape/shapes.ts';
import {
  areSamePage,
  areTied,
  findKey,
  hasTie,
  oldestOf,
  rowOn,
  type PageView,
} from './page-view.ts';

/** One state of the statement, and all rows that are known to be in it. */
export interface Snapshot {
  /** Pages or parts of pages, with distances in this state: first its own pages, latest first, then other pages. */
  readonly pages: readonly PageView[];
  readonly total: number;
  readonly size: number;
  /** The numbers of the pages that were read in this state; once a later state was read, no more are added. */
  readonly ownPages: readonly number[];
  /** The number of pages that were read in this state and since then. */
  readonly readsSince: number;
  /** The growth of the total since this state. `pageAt` assumes that rows have moved by as many places. */
  readonly movedBy: number;
  /** Whether any row with a usable id was read more than once. */
  readonly repeats: boolean;
  /** Whether no later state was read. */
  readonly isLatest: boolean;
}

export interface SeenRow {
  readonly row: StatementRow;
  readonly distance: number;
}

/** What is known of one state; `pages` and `ownPages` are those of its snapshot. */
interface State {
  readonly pages: PageView[];
  readonly ownPages: number[];
  readonly total: number;
  /** The sum of all changes of the total until then; the fraction stands for changes that the total did not show. */
  readonly changes: number;
  /** By key, the distance on the first page that has the row. */
  readonly places: Map<number, number>;
  /** All its rows, newest first; with `NO_KEY` if the row has no id, or if the first page that has it has it elsewhere. */
  readonly seen: { readonly key: number; readonly distance: number }[];
}

/** The keys that stand for the statement's ends in a state: nothing arrives or vanishes beyond them. */
const [NEWEST_END, OLDEST_END] = [-1, -2];

/** The states in `reads`, latest first. Throws UPSTREAM_CONTRACT_VIOLATION if two page numbers return the same page. */
export function snapshotsOf(reads: readonly PageView[]): Snapshot[] {
  const repeats = hasRepeatedKey(reads);
  const states = statesOf(reads, repeats);
  const latest = reads.at(-1);
  if (latest === undefined) return [];
  if (states.length > 1) share(states);
  let readsSince = 0;
  return states.toReversed().map(({ pages, ownPages, total }, nth) => {
    readsSince += ownPages.length;
    const [isLatest, movedBy] = [nth === 0, latest.total - total];
    return { pages, ownPages, total, size: latest.size, movedBy, isLatest, readsSince, repeats };
  });
}

/** Groups successive reads that have the same total and do not contradict each other; in each group, latest first. */
function statesOf(reads: readonly PageView[], repeats: boolean): State[] {
  const states: State[] = [];
  for (const page of reads) {
    const state = states.at(-1);
    const pages = state?.pages ?? [];
    if (pages.some((earlier) => areSamePage(page, earlier))) {
      throw contractViolation(
        'two page numbers return the same page; UPSTREAM_PAGE_BASE must be the number of the first page',
      );
    }
    const change = Math.abs(page.total - (state?.total ?? page.total));
    const isOther = change > 0 || pages.some((earlier) => doContradict(earlier, page, repeats));
    if (state === undefined || isOther) {
      const changes = (state?.changes ?? 0) + (change || 2 ** -20);
      const [ownPages, places] = [[page.page], new Map<number, number>()];
      states.push({ pages: [page], ownPages, total: page.total, changes, places, seen: [] });
    } else {
      pages.unshift(page);
      state.ownPages.unshift(page.page);
    }
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
    return isElsewhere && !hasTie(one, row) && !hasTie(other, row);
  });
}

/** Adds to each state the rows of other states that were also in it (README.md). */
function share(states: readonly State[]): void {
  for (const state of states) {
    state.places.set(NEWEST_END, state.total).set(OLDEST_END, -1);
    for (const [key, distance] of state.places) state.seen.push({ key, distance });
    for (const page of state.pages) learn(state, page);
  }
  // What a state tells of the next one may in turn tell more of the states before it.
  for (const state of [...states, ...states.toReversed()]) extend(state, states);
}

function learn({ pages, places, seen }: State, page: PageView): void {
  for (const { row, distance } of seenRows({ pages: [page] })) {
    const { key } = row;
    if (places.get(key) === distance) continue;
    const isFirst = rowAt({ pages }, distance)?.row.key === key;
    if (key !== NO_KEY && isFirst && !places.has(key)) places.set(key, distance);
    seen.push({ key: places.get(key) === distance ? key : NO_KEY, distance });
  }
  seen.sort((one, other) => other.distance - one.distance);
}

/** Adds rows of other states until no more are found. */
function extend(state: State, states: readonly State[]): void {
  const { pages, ownPages } = state;
  const own = pages.slice(0, ownPages.length);
  const nth = states.indexOf(state);
  const unmoved = unmovedIn(states[nth - 1] ?? state, state, states.slice(nth + 1));
  // Fewer parts are compared, unless a service reorders rows at each read.
  let left = 10_000 / states.length;
  for (let [k, idle] = [0, 0]; idle < states.length; k = (k + 1) % states.length, idle++) {
    for (const part of partsOf(states[k] ?? state, state, k === nth - 1 ? unmoved : null)) {
      if (--left < 0) return;
      const isKnown = part.rows.every(({ key }, offset) =>
        pages.some((page) => rowOn(page, part.newest - offset)?.key === key),
      );
      if (isKnown || own.some((page) => doContradict(page, part, true))) continue;
      pages.push(part);
      learn(state, part);
      idle = -1;
    }
  }
}

/** Whether the total has only risen or only fallen, with no changes that it does not show, or has stayed the same. */
function isOneWay(from: State, to: State): boolean {
  const changes = Math.abs(to.changes - from.changes);
  return changes < 1 || Math.abs(to.total - from.total) === changes;
}

/** By key, the shifts of rows with the same distance, or the same index, before and after a state, and so in it too. */
function unmovedIn(before: State, { total, places }: State, later: readonly State[]) {
  const shifts = new Map<number, number>();
  const afters = later.filter((after) => isOneWay(before, after));
  for (const { key, distance } of before.seen) {
    if (places.has(key)) continue;
    for (const after of afters) {
      const moved = (after.places.get(key) ?? NaN) - distance;
      if (moved === 0) shifts.set(key, 0);
      else if (moved === after.total - before.total) shifts.set(key, total - before.total);
    }
  }
  return shifts;
}

/** Rows that may be new to a state. They are between rows that moved alike, each with a known shift. */
function partsOf(from: State, to: State, unmoved: ReadonlyMap<number, number> | null): PageView[] {
  const parts: PageView[] = [];
  const growth = to.total - from.total;
  let [newest, last, common, isNew] = [NaN, NaN, 0, false];
  for (const { key, distance: oldest } of isOneWay(from, to) ? from.seen : []) {
    const moved = (to.places.get(key) ?? NaN) - oldest;
    const isInBoth = moved === last || (moved * growth >= 0 && Math.abs(moved) <= Math.abs(growth));
    const known = isInBoth ? moved : unmoved?.get(key);
    if (known !== undefined) common++;
    const shift = known ?? (key === NO_KEY ? undefined : onlyShift(to, oldest, last));
    isNew ||= !isInBoth;
    if (shift === undefined) continue;
    if (isNew && shift === last) {
      for (const page of from.pages) {
        if (page.newest < oldest || oldestOf(page) > newest) continue;
        const start = Math.max(page.newest - newest, 0);
        const rows = page.rows.slice(start, page.newest - oldest + 1);
        parts.push({ ...page, total: to.total, newest: page.newest - start + shift, rows });
      }
    }
    [newest, last, isNew] = [oldest, shift, !isInBoth];
  }
  // The two ends alone prove nothing.
  return common > 2 ? parts : [];
}

/** The shift of a row, from 0 to `most`, if other rows were seen at all of the places that it can have but one. */
function onlyShift(to: State, distance: number, most: number): number | undefined {
  // Pages may be large, so the time for shifts by more places could be seconds.
  if (!(most > 0 && most <= 50)) return undefined;
  let [least, greatest] = [0, most];
  while (least < greatest && rowAt(to, distance + least)) least++;
  while (least < greatest && rowAt(to, distance + greatest)) greatest--;
  return least === greatest ? least : undefined;
}

/** The current zero-based page of the row at this distance. */
export function pageAt({ total, size, movedBy }: Snapshot, distance: number): number {
  return Math.max(Math.floor((total - 1 - distance + movedBy) / size), 0);
}

export const isInside = ({ total }: Snapshot, distance: number) =>
  distance >= 0 && distance < total;

/** The row at a distance, from the first page that has it. */
export function rowAt({ pages }: Pick<Snapshot, 'pages'>, distance: number): SeenRow | undefined {
  for (const page of pages) {
    const row = rowOn(page, distance);
    if (row !== undefined) return { row, distance };
  }
  return undefined;
}

/** The distance of the row with this key, from the first page that has it. */
export function distanceOf({ pages }: Snapshot, key: number): number | undefined {
  for (const { rows, newest } of pages) {
    const offset = rows.findIndex((row) => row.key === key);
    if (offset >= 0) return newest - offset;
  }
  return undefined;
}

/** All seen rows with their distances, in the order of the pages. A row that is on two pages is repeated. */
export function* seenRows({ pages }: Pick<Snapshot, 'pages'>): Generator<SeenRow> {
  for (const { rows, newest } of pages) {
    let distance = newest;
    for (const row of rows) yield { row, distance: distance-- };
  }
}

/** Whether a row (with this createdAt, if given) was seen at two places, or with another row at one: only ties can be. */
export function standsTwice(snapshot: Snapshot, createdAtMs: number | null = null): boolean {
  if (!snapshot.repeats) return false;
  const places = new Map<number, number>();
  return seenRows(snapshot).some(({ row, distance }) => {
    if (row.key === NO_KEY || (createdAtMs ?? row.createdAtMs) !== row.createdAtMs) return false;
    const known = places.get(row.key) ?? distance;
    places.set(row.key, distance);
    return known !== distance || rowAt(snapshot, distance)?.row.key !== row.key;
  });
}

/** Whether the seen rows are in createdAt order, which the service does not promise. */
export function isSorted({ pages }: Pick<Snapshot, 'pages'>): boolean {
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

// The state of a statement at one moment, as far as it was read. README.md has the rules for combining reads. Pure.
import { contractViolation } from '../errors.ts';
import { NO_KEY } from '../upstream/shape/row-key.ts';
import type { StatementRow } from '../upstream/shape/shapes.ts';
import { areSamePage, areTied, findKey, oldestOf, rowOn, type PageView } from './page-view.ts';

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

/** A row that two states have: its distance in one of them, and how much larger its distance is in the other. */
interface Anchor {
  readonly distance: number;
  readonly shift: number;
}

/** What is known of one state. */
interface State {
  /** Its own pages, latest first, and then parts of pages of other states. */
  readonly pages: PageView[];
  /** The numbers of its own pages. */
  readonly ownPages: number[];
  readonly total: number;
  /** The sum of all changes of the total until then. */
  readonly changes: number;
  /** The distance of each row that `learn` has passed, on the first page that has it. */
  readonly places: Map<number, number>;
}

/** The states in `reads`, latest first. Throws UPSTREAM_CONTRACT_VIOLATION if two page numbers return the same page. */
export function snapshotsOf(reads: readonly PageView[]): Snapshot[] {
  const repeats = haveRepeats(reads);
  const states = statesOf(reads, repeats);
  const latest = states.at(-1);
  const size = latest?.pages[0]?.size;
  if (latest === undefined || size === undefined) throw new TypeError('nothing was read yet');
  if (states.length > 1) share(states);
  const snapshots: Snapshot[] = [];
  for (const state of states) {
    const { pages, ownPages, total } = state;
    const since = { movedBy: latest.total - total, isLatest: state === latest };
    snapshots.push({ pages, ownPages, total, size, ...since, repeats, earlier: [...snapshots] });
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
function statesOf(reads: readonly PageView[], repeats: boolean): State[] {
  const states: State[] = [];
  for (const page of reads) {
    const { pages = [], total = page.total, changes = 0 } = states.at(-1) ?? {};
    if (pages.some((earlier) => areSamePage(page, earlier))) {
      throw contractViolation(
        'two page numbers return the same page; UPSTREAM_PAGE_BASE must be the number of the first page',
      );
    }
    const change = Math.abs(page.total - total);
    const isOther = change > 0 || pages.some((earlier) => doContradict(earlier, page, repeats));
    if (isOther || pages.length === 0) {
      const counts = { total: page.total, changes: changes + change };
      states.push({ pages: [], ownPages: [], ...counts, places: new Map() });
    }
    states.at(-1)?.pages.unshift(page);
    states.at(-1)?.ownPages.unshift(page.page);
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

/** Adds to each state the rows of other states that were also in it (README.md). */
function share(states: readonly State[]): void {
  for (const state of states) for (const page of state.pages) learn(state, page);
  // What a state tells of the next one may in turn tell more of the states before it.
  for (const state of [...states, ...states.toReversed()]) extend(state, states);
}

function learn({ places }: State, page: PageView): void {
  for (const { row, distance } of seenRows({ pages: [page] })) {
    if (row.key !== NO_KEY && !places.has(row.key)) places.set(row.key, distance);
  }
}

/** Adds rows of other states until no more are found. */
function extend(state: State, states: readonly State[]): void {
  const { pages, ownPages, total } = state;
  const own = pages.slice(0, ownPages.length);
  const nth = states.indexOf(state);
  const before = states[nth - 1];
  const unmoved = states
    .slice(nth + 1)
    .flatMap((after) => (before === undefined ? [] : unmovedIn(before, after, total)));
  for (let seen = 0; seen < pages.length;) {
    seen = pages.length;
    for (const from of states) {
      const anchors = [...(from === before ? unmoved : []), ...anchorsOf(from, state)];
      for (const part of partsOf(from, anchors, total)) {
        const isKnown = part.rows.every(({ key }, offset) =>
          pages.some((page) => rowOn(page, part.newest - offset)?.key === key),
        );
        if (isKnown || own.some((page) => doContradict(page, part, true))) continue;
        pages.push(part);
        learn(state, part);
      }
    }
  }
}

/** The rows of a state that have a place in another one; none if the total both rose and fell in between. */
function anchorsOf(from: State, to: State): Anchor[] {
  const growth = to.total - from.total;
  const anchors: Anchor[] = [];
  if (Math.abs(growth) !== Math.abs(to.changes - from.changes)) return anchors;
  for (const [key, distance] of from.places) {
    const shift = (to.places.get(key) ?? NaN) - distance;
    if (shift * growth >= 0 && Math.abs(shift) <= Math.abs(growth))
      anchors.push({ distance, shift });
  }
  return anchors;
}

/** The rows with the same distance, or the same index, before and after a state with this total, and so in it too. */
function unmovedIn(before: State, after: State, total: number): Anchor[] {
  const growth = after.total - before.total;
  const ends = anchorsOf(before, after).filter(({ shift }) => shift === 0 || shift === growth);
  return ends.map((one) => (one.shift === 0 ? one : { ...one, shift: total - before.total }));
}

/** The rows between two anchors with the same shift, as parts of pages of a state with this total. */
function partsOf({ pages, total: length }: State, anchors: Anchor[], total: number): PageView[] {
  if (anchors.length === 0) return [];
  anchors.sort((one, other) => other.distance - one.distance);
  // Nothing can have arrived or vanished beyond the ends of the statement.
  const all = [{ distance: length, shift: total - length }, ...anchors, { distance: -1, shift: 0 }];
  const edges = all.filter(
    ({ shift }, k) => all[k - 1]?.shift !== shift || all[k + 1]?.shift !== shift,
  );
  return edges.flatMap((older, k) => {
    const newer = edges[k - 1];
    if (newer?.shift !== older.shift) return [];
    return pages.map((page) => {
      const start = Math.max(page.newest - newer.distance, 0);
      const rows = page.rows.slice(start, Math.max(page.newest - older.distance + 1, 0));
      return { ...page, total, newest: page.newest - start + newer.shift, rows };
    });
  });
}

/** The current zero-based page of the row at this distance. */
export function pageAt({ total, size, movedBy }: Snapshot, distance: number): number {
  return Math.max(Math.floor((total - 1 - distance + movedBy) / size), 0);
}

export function isInside({ total }: Snapshot, distance: number): boolean {
  return distance >= 0 && distance < total;
}

/** The row at a distance, from the first page that has it. */
export function rowAt({ pages }: Snapshot, distance: number): SeenRow | undefined {
  for (const page of pages) {
    const row = rowOn(page, distance);
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
export function* seenRows({ pages }: Pick<Snapshot, 'pages'>): Generator<SeenRow> {
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

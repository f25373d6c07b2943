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
  /** Whether any row was read more than once; false if the statement did not change and each page was read once. */
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

/** What is known of one state. `changes` is the sum of all changes of the total until then. */
interface State {
  readonly pages: readonly PageView[];
  readonly total: number;
  readonly changes: number;
}

/** The states in `reads`, latest first. Throws UPSTREAM_CONTRACT_VIOLATION if two page numbers return the same page. */
export function snapshotsOf(reads: readonly PageView[]): Snapshot[] {
  const repeats = haveRepeats(reads);
  const states = statesOf(reads, repeats);
  const now = reads.at(-1);
  if (now === undefined) throw new TypeError('nothing was read yet');
  const snapshots: Snapshot[] = [];
  for (const [nth, state] of states.entries()) {
    const ownPages = state.pages.map(({ page }) => page);
    const pages = states.length === 1 ? state.pages : pagesIn(states, state);
    states[nth] = { ...state, pages };
    const isLatest = nth === states.length - 1;
    const counts = { total: state.total, size: now.size, movedBy: now.total - state.total };
    snapshots.push({ pages, ownPages, ...counts, repeats, isLatest, earlier: [...snapshots] });
  }
  return snapshots.reverse();
}

/** Whether any row occurs twice on these pages. */
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
    const { pages, total, changes } = states.at(-1) ?? { pages: [], total: page.total, changes: 0 };
    if (pages.some((earlier) => areSamePage(page, earlier))) {
      throw contractViolation(
        'two page numbers return the same page; UPSTREAM_PAGE_BASE must be the number of the first page',
      );
    }
    const growth = page.total - total;
    if (growth !== 0 || pages.some((earlier) => doContradict(earlier, page, repeats))) {
      states.push({ pages: [page], total: page.total, changes: changes + Math.abs(growth) });
    } else states.splice(-1, 1, { pages: [page, ...pages], total, changes });
  }
  return states;
}

/** Whether two pages have different rows at one place, or one row at two places. Ties are exempt (tie-order.ts). */
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

/**
 * The pages of a state, with rows of other states that were also in it (README.md); these may reveal more such rows. A
 * row at the same place before and after a state was at that place in the state too.
 */
function pagesIn(states: readonly State[], state: State): readonly PageView[] {
  const { pages: own, total } = state;
  const nth = states.indexOf(state);
  const others = states.filter((one) => one !== state && isOneWay(one, state));
  const sources = others.map((from) => {
    const after = from === states[nth - 1] ? states.slice(nth + 1) : [];
    return { from, unmoved: after.flatMap((other) => unmovedIn(from, other, total)) };
  });
  const pages = [...own];
  for (let seen = 0; seen < pages.length;) {
    seen = pages.length;
    const places = placesOf(pages);
    for (const { from, unmoved } of sources) {
      const anchors = [...unmoved, ...anchorsOf(from, places, total - from.total)];
      for (const part of partsOf(from, anchors, total)) {
        const isNew = !isKnown(pages, part);
        if (isNew && !own.some((page) => doContradict(page, part, true))) pages.push(part);
      }
    }
  }
  return pages;
}

/** Whether rows only arrived, or only vanished, between two states. Otherwise a row at the same place proves nothing. */
function isOneWay(one: State, other: State): boolean {
  return Math.abs(one.total - other.total) === Math.abs(one.changes - other.changes);
}

function isKnown(pages: readonly PageView[], { rows, newest }: PageView): boolean {
  return rows.every(({ key }, offset) =>
    pages.some((page) => findKey(page, key) === newest - offset),
  );
}

/** The distance of each row, on the first page that has it. */
function placesOf(pages: readonly PageView[]): Map<number, number> {
  const places = new Map<number, number>();
  for (const { row, distance } of seenRows({ pages })) {
    if (row.key !== NO_KEY && !places.has(row.key)) places.set(row.key, distance);
  }
  return places;
}

/** The rows of a state that have a place in another one, if only so many arrived or vanished in between. */
function anchorsOf(from: State, places: ReadonlyMap<number, number>, growth: number): Anchor[] {
  const anchors: Anchor[] = [];
  for (const { row, distance } of seenRows(from)) {
    const shift = (places.get(row.key) ?? NaN) - distance;
    if (shift * growth >= 0 && Math.abs(shift) <= Math.abs(growth))
      anchors.push({ distance, shift });
  }
  return anchors;
}

/** The rows with the same distance, or the same index, in two states, and so in one between them. */
function unmovedIn(from: State, other: State, total: number): Anchor[] {
  if (!isOneWay(from, other)) return [];
  const growth = other.total - from.total;
  const anchors = anchorsOf(from, placesOf(other.pages), growth);
  const ends = anchors.filter(({ shift }) => shift === 0 || shift === growth);
  return ends.map((one) => (one.shift === 0 ? one : { ...one, shift: total - from.total }));
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

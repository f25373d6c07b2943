// The pages that were read for a slice, laid out by distance from the oldest end (README.md). Pure.
import { NO_KEY, type StatementRow } from '../upstream/shape/shapes.ts';
import { covers, isCounted, oldestOf, rowOn, type PageView } from './page-view.ts';
import { hasRepeatedKey } from './row-key.ts';

export interface Sheet {
  /** The pages that no later page contradicts, latest first. */
  readonly pages: readonly PageView[];
  /** The page that was read last, whose totals determine on which page a row is now. */
  readonly latest: PageView;
  /** Whether the service shows the same rows at different places, although the statement stands still. */
  readonly isLoose: boolean;
  /** Whether any row with a usable id was read more than once. */
  readonly repeats: boolean;
  /** Whether a page was left out. */
  readonly isContradicted: boolean;
}

export interface SeenRow {
  readonly row: StatementRow;
  readonly distance: number;
}

/** Lays out the pages of a call, given in the order in which they were read; there must be at least one. */
export function layOut(reads: readonly PageView[], wasLoose: boolean): Sheet {
  const latest = reads.at(-1) as PageView;
  const all = reads.toReversed();
  const repeats = hasRepeatedKey(reads);
  const hasFallen = all.some(({ total }) => total > latest.total);
  const sheet = { pages: all, latest, isLoose: wasLoose, repeats, isContradicted: false };
  if (!repeats && !hasFallen && areApart(all)) return sheet;
  const pages = keepLatest(all, wasLoose);
  const isContradicted = pages.length < all.length;
  if (wasLoose || !isContradicted || !isOwnOrder(reads)) return { ...sheet, pages, isContradicted };
  return { ...sheet, pages: keepLatest(all, true), isLoose: true, isContradicted };
}

/**
 * Leaves out each page that a later one contradicts; if the order is loose, only if the total has changed too. If the
 * total has fallen since a page was read and has not come back, older rows may be gone: the page stays only if a later
 * one shows one of its rows at the same place, or if another page with its total stays.
 */
function keepLatest(pages: readonly PageView[], isLoose: boolean): PageView[] {
  const kept: PageView[] = [];
  // States between which the total has changed, the latest first.
  const states = new Map<PageView, number>();
  const replaced: { readonly state: number; readonly by: PageView }[] = [];
  let [least, state, total] = [Infinity, 0, pages[0]?.total];
  for (const page of pages) {
    if (page.total !== total) state++;
    total = page.total;
    states.set(page, state);
    const by = kept.find(
      (later) => !(isLoose && later.total === total) && contradicts(later, page),
    );
    if (by !== undefined && states.get(by) !== state) replaced.push({ state, by });
    const isKnown =
      total <= least || kept.some((later) => later.total === total || agrees(later, page));
    if (by === undefined && isKnown) kept.push(page);
    least = Math.min(least, total);
  }
  // Where one page was replaced, all pages of that state, and of those before it, may have moved: a page stays if a
  // page of another state shows its newest row at the same place.
  return kept.filter((page, nth) => {
    const later = kept.slice(0, nth);
    const own = states.get(page) as number;
    return (
      !replaced.some((one) => own >= one.state && later.includes(one.by)) ||
      later.some((other) => states.get(other) !== own && shows(other, page, 0))
    );
  });
}

/** Whether both pages show a row at the same place. */
export function agrees(one: PageView, other: PageView): boolean {
  return other.rows.some((_, offset) => shows(one, other, offset));
}

/** Whether a page shows this row of another page at the same place: the rows that are older have not moved either. */
function shows(one: PageView, other: PageView, offset: number): boolean {
  const row = other.rows[offset];
  if (row === undefined || row.key === NO_KEY) return false;
  return rowOn(one, other.newest - offset)?.key === row.key;
}

/** Whether no two pages cover the same place. */
function areApart(pages: readonly PageView[]): boolean {
  const isApart = (one: PageView, other: PageView) =>
    one.newest < oldestOf(other) || other.newest < oldestOf(one);
  return pages.every((one, nth) => pages.slice(nth + 1).every((other) => isApart(one, other)));
}

/** Whether two pages show different rows at one place, or one row at two places. */
export function contradicts(one: PageView, other: PageView): boolean {
  const byKey = new Map(one.rows.map((row) => [row.key, row]));
  return other.rows.some((row, offset) => {
    const there = rowOn(one, other.newest - offset);
    if (row.key === NO_KEY || there?.key === NO_KEY) return false;
    if (there !== undefined) return there.key !== row.key;
    const elsewhere = byKey.get(row.key);
    return elsewhere !== undefined && isSameRow(elsewhere, row);
  });
}

/** Whether two rows with one id are the same transaction; a corrected status or category does not count. */
export function isSameRow(one: StatementRow, other: StatementRow): boolean {
  if (one.key !== other.key) return false;
  if (one.node instanceof Error || other.node instanceof Error) return true;
  return (
    one.createdAtMs === other.createdAtMs &&
    one.node.amount === other.node.amount &&
    one.node.credit === other.node.credit &&
    one.node.type === other.node.type
  );
}

/**
 * Whether the contradictions are the service's order: a page shows the same rows as before, while a page read in between
 * contradicts it; or it shows two rows of one createdAt in another order than before.
 */
function isOwnOrder(reads: readonly PageView[]): boolean {
  return reads.some((later, nth) => {
    const before = reads.findLastIndex((one, at) => at < nth && one.page === later.page);
    const earlier = reads[before];
    if (earlier === undefined) return false;
    if (areInverted(earlier, later)) return true;
    const between = reads.slice(before + 1, nth);
    return (
      isSameAnswer(earlier, later) &&
      between.some((one) => isCounted(one, reads) && contradicts(later, one))
    );
  });
}

function isSameAnswer(one: PageView, other: PageView): boolean {
  return (
    one.total === other.total &&
    one.rows.length === other.rows.length &&
    one.rows.every(({ key }, offset) => key === other.rows[offset]?.key)
  );
}

/** Whether two rows of one createdAt are on both pages, in different orders. */
function areInverted(one: PageView, other: PageView): boolean {
  const places = new Map(other.rows.map(({ key }, offset) => [key, offset]));
  let [last, createdAtMs]: [number, number | null] = [-1, null];
  return one.rows.some((row) => {
    const place = row.key === NO_KEY ? undefined : places.get(row.key);
    if (place === undefined) return false;
    if (row.createdAtMs !== createdAtMs) [last, createdAtMs] = [-1, row.createdAtMs];
    if (createdAtMs !== null && place < last) return true;
    last = place;
    return false;
  });
}

export const isRead = ({ pages }: Sheet, distance: number): boolean =>
  pages.some((page) => covers(page, distance));

export const isInside = ({ latest: { total } }: Sheet, distance: number) =>
  distance >= 0 && distance < total;

export const isUnread = (sheet: Sheet, distance: number) =>
  isInside(sheet, distance) && !isRead(sheet, distance);

export function rowAt({ pages }: Sheet, distance: number): StatementRow | undefined {
  for (const page of pages) {
    const row = rowOn(page, distance);
    if (row !== undefined) return row;
  }
  return undefined;
}

/**
 * The distance of the row with this key that is nearest to `distance`. As two rows may have one key, those with another
 * createdAt come last, unless it is null.
 */
export function nearestOf(
  { pages }: Sheet,
  key: number,
  distance: number,
  createdAtMs: number | null,
): number | undefined {
  let nearest: number | undefined;
  let least = Infinity;
  for (const { rows, newest } of pages) {
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at];
      if (row?.key !== key) continue;
      const isOther = createdAtMs !== null && row.createdAtMs !== createdAtMs;
      const away = Math.abs(newest - at - distance) + (isOther ? 2 ** 31 : 0);
      if (away < least) [least, nearest] = [away, newest - at];
    }
  }
  return nearest;
}

/** The current zero-based number of the page with the row at this distance. */
export function pageAt({ latest: { total, size } }: Sheet, distance: number): number {
  return Math.max(Math.floor((total - 1 - distance) / size), 0);
}

/** All seen rows with their distances, from the newest to the oldest place; of two rows at one place, the latest. */
export function seenRows({ pages }: Sheet): SeenRow[] {
  const seen: SeenRow[] = [];
  let reached = Infinity;
  for (const { rows, newest } of pages.toSorted((one, other) => other.newest - one.newest)) {
    for (let at = Math.max(newest - reached + 1, 0); at < rows.length; at++) {
      const row = rows[at];
      if (row !== undefined) seen.push({ row, distance: newest - at });
    }
    reached = Math.min(reached, newest - rows.length + 1);
  }
  return seen;
}

/** Whether the seen rows are in createdAt order, which the service does not promise. */
export function isSorted(seen: readonly SeenRow[]): boolean {
  let earliest = Infinity;
  return seen.every(({ row: { createdAtMs } }) => {
    if (createdAtMs !== null && createdAtMs > earliest) return false;
    earliest = createdAtMs ?? earliest;
    return true;
  });
}

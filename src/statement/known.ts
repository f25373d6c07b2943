// What is known of a statement in the course of one call: the pages read so far that go together. Pure.
import { contractViolation } from '../errors.ts';
import type { StatementRow } from '../upstream/shapes.ts';
import { haveRepeats } from './repeats.ts';
import { areSamePage, covers, findKey, fitTogether, type RowsRead, type Sight } from './sight.ts';

/** Pages that can all be believed, the latest first. Never empty. */
export interface Known {
  readonly sights: readonly Dated[];
  /** The latest read's total and page size: what page numbers are counted by from here on. */
  readonly total: number;
  readonly size: number;
  /** Whether any row was read more than once, on whatever page; not so where each page of a still statement was read once. */
  readonly repeats: boolean;
}

/** A page with the times it belongs to: both go up from read to read. */
interface Dated extends Sight {
  /** Goes up when the total changes: pages of one state were read while it did not. */
  readonly state: number;
  /** Goes up when the total falls: between pages of one age there were only arrivals, as far as totals tell. */
  readonly age: number;
}

/** A row with the place where it was seen. */
export interface Observed {
  readonly row: StatementRow;
  readonly key: number;
  readonly distance: number;
}

/**
 * Sorts out which pages to believe, given all pages of a call in the order in which they were read. The latest is
 * right; an older one stays where it fits together with all that stay. Throws UPSTREAM_CONTRACT_VIOLATION where two
 * page numbers are one page.
 */
export function know(reads: readonly Sight[]): Known {
  const kept: Dated[] = [];
  const read: RowsRead = { repeats: haveRepeats(reads), isTied: tiesIn(reads) };
  for (const sight of dated(reads).toReversed()) {
    if (kept.some((newer) => areSamePage(sight, newer))) {
      throw contractViolation(
        'two page numbers give the same page; UPSTREAM_PAGE_BASE must be what the service calls its first page',
      );
    }
    if (kept.every((newer) => fitTogether(sight, newer, sight.age === newer.age, read))) {
      kept.push(sight);
    }
  }
  const [latest] = kept;
  if (latest === undefined) {
    throw new TypeError('nothing was read yet');
  }
  return { sights: kept, total: latest.total, size: latest.size, repeats: read.repeats };
}

/** Tells rows that share their createdAt with another row of these pages, once it is asked for. */
function tiesIn(reads: readonly Sight[]): (row: StatementRow) => boolean {
  let tied: ReadonlySet<number | null> | undefined;
  return ({ createdAtMs }) => (tied ??= tiedTimes(reads)).has(createdAtMs);
}

/** Each createdAt that several rows of these pages have. */
function tiedTimes(reads: readonly Sight[]): ReadonlySet<number | null> {
  const keyAt = new Map<number | null, number>();
  const tied = new Set<number | null>();
  for (const { rows } of reads) {
    for (const { key, createdAtMs } of rows) {
      if ((keyAt.get(createdAtMs) ?? key) !== key) {
        tied.add(createdAtMs);
      }
      keyAt.set(createdAtMs, key);
    }
  }
  tied.delete(null);
  return tied;
}

function dated(reads: readonly Sight[]): Dated[] {
  let [state, age] = [0, 0];
  return reads.map((sight, k) => {
    const last = reads[k - 1]?.total ?? sight.total;
    state += sight.total === last ? 0 : 1;
    age += sight.total < last ? 1 : 0;
    return { ...sight, state, age };
  });
}

/**
 * The total of the state that is answered from, for a slice whose newest row has that distance: that of the first page
 * where the slice reaches it, so that nothing newer than its first row is missed or owed, else the latest. The other
 * pages hold that state too, whatever has arrived between the reads.
 */
export function answeredTotal({ sights, total }: Known, newest: number): number {
  const head = sights.find(({ page }) => page === 0);
  return head !== undefined && newest > head.newest - head.rows.length ? head.total : total;
}

/** Whether pages of different totals are believed: the statement grows while it is read. */
export function isChanging({ sights, total }: Known): boolean {
  return sights.some((sight) => sight.total !== total);
}

/** Zero-based number of the page on which a row of that distance stands now. */
export function pageOf({ total, size }: Known, distance: number): number {
  return Math.floor((total - 1 - distance) / size);
}

export function isCovered({ sights }: Known, distance: number): boolean {
  return sights.some((sight) => covers(sight, distance));
}

/** The row at a distance, as the latest page that shows it has it. */
export function rowAt({ sights }: Known, distance: number): Observed | undefined {
  for (const sight of sights) {
    if (covers(sight, distance)) {
      return observe(sight, sight.newest - distance);
    }
  }
  return undefined;
}

function observe({ rows, newest }: Sight, offset: number): Observed | undefined {
  const row = rows[offset];
  return row === undefined ? undefined : { row, key: row.key, distance: newest - offset };
}

/** Distance of the row with that key, by the latest page that shows it. */
export function distanceOf({ sights }: Known, key: number): number | undefined {
  for (const sight of sights) {
    const distance = findKey(sight, key);
    if (distance !== undefined) {
      return distance;
    }
  }
  return undefined;
}

/** Every row seen, with its distance, the latest page first; a row that two pages show comes twice. */
export function* observed({ sights }: Known): Generator<Observed> {
  for (const sight of sights) {
    for (let offset = 0; offset < sight.rows.length; offset++) {
      const one = observe(sight, offset);
      if (one !== undefined) {
        yield one;
      }
    }
  }
}

/** Whether all pages were read while the total stayed the same: so that all their rows were seen side by side. */
export function areOfOneState({ sights }: Known): boolean {
  return sights.every(({ state }) => state === sights[0]?.state);
}

/**
 * Whether two rows next to each other were seen side by side: on one page, or on two pages of one state. Otherwise a row
 * may have come or gone between them unnoticed.
 */
export function areSideBySide({ sights }: Known, one: number, other: number): boolean {
  const states = sights.filter((sight) => covers(sight, one)).map(({ state }) => state);
  return sights.some((sight) => covers(sight, other) && states.includes(sight.state));
}

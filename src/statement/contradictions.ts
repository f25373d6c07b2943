// Where rows that were read one after the other do not go together, as the statement changed in between. Pure.
import { NO_KEY } from '../upstream/row-key.ts';
import {
  areOfOneState,
  areSideBySide,
  isChanging,
  observed,
  type Known,
  type Observed,
} from './known.ts';
import type { FoundPlace } from './search.ts';
import { covers } from './sight.ts';

/** The first place whose neighbour was seen at another total only: something may have come or gone between the two. */
export function findGap(
  known: Known,
  { anchor, settled }: FoundPlace,
  rows: readonly Observed[],
): number | undefined {
  if (areOfOneState(known)) {
    return undefined;
  }
  const places = rows.slice(settled.length).map(({ distance }) => distance);
  const [first, ...others] = anchor === null ? places : [anchor, ...places];
  let last = first ?? 0;
  for (const next of others) {
    if (!areSideBySide(known, last, next)) {
      return lessRecent(known, last, next);
    }
    last = next;
  }
  return undefined;
}

/** Of two places the one that was seen longer ago. */
function lessRecent({ sights }: Known, one: number, other: number): number {
  const latest = sights.find((sight) => covers(sight, one) || covers(sight, other));
  return latest !== undefined && covers(latest, one) ? other : one;
}

/** A row that the service moved among its ties between two reads: it stands at two places, or at that of a missing one. */
export function findMoved(
  known: Known,
  place: FoundPlace,
  rows: readonly Observed[],
): Observed | undefined {
  return findDouble(known, place, rows) ?? findDisplaced(known, place, rows);
}

function findDouble(
  { repeats }: Known,
  { settled }: FoundPlace,
  rows: readonly Observed[],
): Observed | undefined {
  // Rows that were read once, and were not put elsewhere, stand at one place each.
  if (!repeats && settled.length === 0) {
    return undefined;
  }
  const seen = new Set<number>();
  return rows.find(({ key }) => key !== NO_KEY && seen.size === seen.add(key).size);
}

/**
 * The row that has taken the place of one that is missing: of one that was seen there before, and nowhere since. Only
 * pages of different totals show one place twice.
 */
function findDisplaced(
  known: Known,
  { settled }: FoundPlace,
  given: readonly Observed[],
): Observed | undefined {
  if (!isChanging(known)) {
    return undefined;
  }
  const rows = given.slice(settled.length);
  const keys = new Set(rows.map(({ key }) => key));
  const at = new Map(rows.map((row) => [row.distance, row]));
  for (const { key, row, distance } of observed(known)) {
    const there = keys.has(key) ? undefined : at.get(distance);
    keys.add(key);
    if (there !== undefined && key !== NO_KEY && there.row.createdAtMs === row.createdAtMs) {
      return there;
    }
  }
  return undefined;
}

// Rows that share one createdAt are a set: the service may order them anew at each read. Pure.
import type { Cursor } from './cursor.ts';
import { isCovered, observed, pageOf, rowAt, type Known, type Observed } from './known.ts';
import { NO_KEY, printOf } from '../upstream/row-key.ts';
import { found, type Direction, type Place, type Search } from './search.ts';

/** Where the rows of one createdAt stand, in the order of the walk: from `start` to `end`. */
interface Group {
  readonly start: number;
  readonly end: number;
  /** Distinct rows seen, in the order of the walk as last seen. */
  readonly members: readonly Observed[];
  /** Whether what lies before `start` and after `end` is known to be of another createdAt, or nothing. */
  readonly closedBehind: boolean;
  readonly closedAhead: boolean;
}

/** Which rows of one createdAt come next. */
export interface Question {
  readonly known: Known;
  readonly direction: Direction;
  readonly createdAtMs: number | null;
  /** Whether a row of the group is still to be given. */
  readonly isAhead: (key: number) => boolean;
  /** The place just before the first row to be given, if nothing was removed. */
  readonly from: number;
  /** How many rows of the group were given up to there. */
  readonly given: number;
  /** The statement's total when they were. */
  readonly total: number;
  /** How many rows are wanted. */
  readonly count: number;
}

/**
 * Whether a tie of the cursor's row is still to come in that direction. The cursor lists the ties on one side of its
 * row: walking away from them all others are ahead, walking towards them just these.
 */
export function isAheadOf({ ties, key }: Cursor, direction: Direction): (key: number) => boolean {
  const listed = new Set(ties.prints);
  const behind = ties.side === (direction === 1 ? 'newer' : 'older');
  return (other) => other !== key && listed.has(printOf(other)) !== behind;
}

/**
 * Whether the ties of the cursor's row stand on other sides of it than when the cursor was issued. New rows of the same
 * createdAt at the far end of the group are no sign of that while the total has grown by as many.
 */
export function haveTiesMoved({ known, cursor, direction }: Search, own: number): boolean {
  if (cursor.createdAtMs === null) {
    return false;
  }
  const isAhead = isAheadOf(cursor, direction);
  const places = new Map<number, number>();
  let unexpected = 0;
  for (const { row, key, distance } of observed(known)) {
    if (row.createdAtMs !== cursor.createdAtMs || key === NO_KEY) {
      continue;
    }
    const isAtTwoPlaces = (places.get(key) ?? distance) !== distance;
    const standsAhead = direction * (own - distance) > 0;
    if (isAtTwoPlaces || (standsAhead && !isAhead(key))) {
      return true;
    }
    places.set(key, distance);
    unexpected += !standsAhead && isAhead(key) && cursor.ties.complete ? 1 : 0;
  }
  const arrived = own === cursor.total - 1 - cursor.index ? known.total - cursor.total : 0;
  return unexpected > Math.max(arrived, 0);
}

/** The ties of the cursor's row have changed places: what is still to come is a set, not a stretch. */
export function amongTies({ known, cursor, direction, count, expected }: Search): Place {
  if (!cursor.ties.complete) {
    return { kind: 'expired' };
  }
  return settleTies({
    known,
    direction,
    createdAtMs: cursor.createdAtMs,
    isAhead: isAheadOf(cursor, direction),
    from: expected,
    given: cursor.ties.prints.length + 1,
    total: cursor.total,
    count,
  });
}

/** Says which rows of a group come next, once enough of them were seen; else which page to look at (again). */
export function settleTies(question: Question): Place {
  const { known, direction, count, from } = question;
  const group = groupOf(question);
  const ahead = group.members.filter(({ key }) => question.isAhead(key));
  if (!group.closedAhead) {
    return isWhereItWas(group, question) && ahead.length >= count
      ? { ...found(from - direction, null), settled: ahead.slice(0, count) }
      : { kind: 'read', pages: [pageOf(known, group.end - direction)] };
  }
  const expected = expectedAhead(group, ahead.length, question);
  if (expected === ahead.length) {
    return { ...found(group.end + direction * (expected - 1), null), settled: ahead };
  }
  return { kind: 'read', pages: [leastRecent(known, group, direction)] };
}

/** How many rows of the group are still to come; null where not all of it was seen and its place does not tell. */
function expectedAhead(group: Group, seenAhead: number, question: Question): number | null {
  if (group.closedBehind && group.members.length === spanOf(group)) {
    return seenAhead;
  }
  const { direction, from } = question;
  return isWhereItWas(group, question) ? direction * (from - group.end) : null;
}

/**
 * Whether between the group's start and `from` there is room for just the rows that were given: none came or went.
 * Distances are counted from the oldest row, so walking up from it only the total tells.
 */
function isWhereItWas({ closedBehind, start }: Group, question: Question): boolean {
  const { known, direction, from, given, total } = question;
  const isSteady = direction === 1 || given === 0 || known.total === total;
  return isSteady && closedBehind && direction * (start - from) + 1 === given;
}

function groupOf({ known, direction, createdAtMs }: Question): Group {
  const members = new Map<number, Observed>();
  let [newest, oldest] = [-Infinity, Infinity];
  for (const one of observed(known)) {
    if (one.row.createdAtMs === createdAtMs) {
      members.set(one.key, members.get(one.key) ?? one);
      newest = Math.max(newest, one.distance);
      oldest = Math.min(oldest, one.distance);
    }
  }
  const [start, end] = direction === 1 ? [newest, oldest] : [oldest, newest];
  return {
    start,
    end,
    members: direction === 1 ? newestFirst(members) : newestFirst(members).reverse(),
    closedBehind: isEdgeOrOther(known, start + direction, createdAtMs),
    closedAhead: isEdgeOrOther(known, end - direction, createdAtMs),
  };
}

/** Of two at one place, the one that was seen there earlier is the newer: rows are shifted towards the newer end. */
function newestFirst(members: ReadonlyMap<number, Observed>): Observed[] {
  return [...members.values()].reverse().sort((a, b) => b.distance - a.distance);
}

function isEdgeOrOther(known: Known, distance: number, createdAtMs: number | null): boolean {
  if (distance < 0 || distance >= known.total) {
    return true;
  }
  return isCovered(known, distance) && rowAt(known, distance)?.row.createdAtMs !== createdAtMs;
}

/** The page of the group, and of what lies next to it where that is not sure, whose latest read is the oldest. */
function leastRecent(known: Known, group: Group, direction: Direction): number {
  const isSure = group.members.length <= spanOf(group);
  const start = group.closedBehind && isSure ? group.start : group.start + direction;
  const end = isSure ? group.end : group.end - direction;
  const inside = [start, end].map((at) => Math.min(Math.max(at, 0), known.total - 1));
  const [from = 0, to = 0] = inside.map((at) => pageOf(known, at)).sort((a, b) => a - b);
  let chosen = from;
  for (let page = from; page <= to; page++) {
    if (age(known, page) > age(known, chosen)) {
      chosen = page;
    }
  }
  return chosen;
}

/** How many places the group takes. Fewer than it has members: they were shifted, and places from before are not sure. */
function spanOf({ start, end }: Group): number {
  return Math.abs(end - start) + 1;
}

/** How many pages were read after this one; more than any where it was not read at all. */
function age({ sights }: Known, page: number): number {
  const index = sights.findIndex((sight) => sight.page === page);
  return index < 0 ? Infinity : index;
}

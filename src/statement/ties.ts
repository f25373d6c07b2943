// Rows that share one createdAt are a set: the service may order them anew at each read. Pure.
import type { Cursor } from './cursor.ts';
import { isCovered, observed, pageOf, rowAt, type Known, type Observed } from './known.ts';
import { printOf } from './row-key.ts';
import type { Direction } from './place.ts';

/** What settling came to: rows to give from `first` on, or pages to look at (again). */
export type Settled =
  | { readonly kind: 'settled'; readonly first: number; readonly rows: readonly Observed[] }
  | { readonly kind: 'read'; readonly pages: readonly number[] };

/** Where the rows of one createdAt stand, in the order of the walk: from `start` to `end`. */
interface Group {
  readonly start: number;
  readonly end: number;
  /** Distinct rows seen, in the order of the walk. */
  readonly members: readonly Observed[];
  /** Whether what lies before `start` and after `end` is known to be of another createdAt, or nothing. */
  readonly closedBehind: boolean;
  readonly closedAhead: boolean;
}

interface Question {
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
export function haveTiesMoved(
  known: Known,
  cursor: Cursor,
  own: number,
  direction: Direction,
): boolean {
  const isAhead = isAheadOf(cursor, direction);
  const places = new Map<number, number>();
  let unexpected = 0;
  for (const { row, key, distance } of observed(known)) {
    if (row.createdAtMs !== cursor.createdAtMs) {
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

/** Says which rows of a group come next, once enough of them were seen; else which page to look at (again). */
export function settleTies(question: Question): Settled {
  const { known, direction, count, from } = question;
  const group = groupOf(question);
  const ahead = group.members.filter(({ key }) => question.isAhead(key));
  if (!group.closedAhead) {
    return isWhereItWas(group, question) && ahead.length >= count
      ? { kind: 'settled', first: from - direction, rows: ahead.slice(0, count) }
      : { kind: 'read', pages: [pageOf(known, group.end - direction)] };
  }
  const expected = expectedAhead(group, ahead.length, question);
  if (expected === ahead.length) {
    return { kind: 'settled', first: group.end + direction * (expected - 1), rows: ahead };
  }
  return { kind: 'read', pages: [leastRecent(known, group, direction)] };
}

/** How many rows of the group are still to come; null where not all of it was seen and its place does not tell. */
function expectedAhead(group: Group, seenAhead: number, question: Question): number | null {
  const span = Math.abs(group.end - group.start) + 1;
  if (group.closedBehind && group.members.length === span) {
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
  const places: number[] = [];
  for (const { row, key, distance } of observed(known)) {
    if (row.createdAtMs === createdAtMs) {
      members.set(key, members.get(key) ?? { row, key });
      places.push(distance);
    }
  }
  const [newest, oldest] = [Math.max(...places), Math.min(...places)];
  const [start, end] = direction === 1 ? [newest, oldest] : [oldest, newest];
  return {
    start,
    end,
    members: inOrder([...members.values()], direction),
    closedBehind: isEdgeOrOther(known, start + direction, createdAtMs),
    closedAhead: isEdgeOrOther(known, end - direction, createdAtMs),
  };
}

/** `observed` goes from newest to oldest within a page, and pages from the latest read: the walk's order, or its mirror. */
function inOrder(members: Observed[], direction: Direction): Observed[] {
  return direction === 1 ? members : members.reverse();
}

function isEdgeOrOther(known: Known, distance: number, createdAtMs: number | null): boolean {
  if (distance < 0 || distance >= known.total) {
    return true;
  }
  return isCovered(known, distance) && rowAt(known, distance)?.row.createdAtMs !== createdAtMs;
}

/** The page of the group (or next to it, where its beginning is not known) whose latest read is the oldest. */
function leastRecent(known: Known, group: Group, direction: Direction): number {
  const start = group.closedBehind ? group.start : group.start + direction;
  const [from, to] = [pageOf(known, start), pageOf(known, group.end)].sort((a, b) => a - b);
  let chosen = from ?? 0;
  for (let page = chosen; page <= (to ?? chosen); page++) {
    if (age(known, page) > age(known, chosen)) {
      chosen = page;
    }
  }
  return chosen;
}

/** How many pages were read after this one; more than any where it was not read at all. */
function age({ sights }: Known, page: number): number {
  const index = sights.findIndex((sight) => sight.page === page);
  return index < 0 ? Infinity : index;
}

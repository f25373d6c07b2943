// Settles the order of ties if the service returned them in different orders (README.md). Pure.
import { fingerprintOf } from './row-key.ts';
import { found, isBoundReached, rankOf, readAt, sidedRows, sideOf } from './search.ts';
import type { Place, Search } from './search.ts';
import type { NamedRows } from './cursor.ts';
import { isInside, pageAt, rowAt, seenRows, type SeenRow } from './snapshot.ts';

/** The place after a cursor if the ties of its row seem reordered. `own` is the distance of the row, if seen. */
export function settleIfReordered(search: Search, own: number | undefined): Place | undefined {
  if (search.cursor.createdAtMs === null) return undefined;
  const rank = own === undefined ? NaN : rankOf(search, own);
  const sided = own === undefined ? [] : sidedRows(search);
  const hasMoved =
    sided.some((one) => one.isTie && one.side * (one.rank - rank) < 0) ||
    [...search.earlier, search].some((one) => one.isReordered || wasReordered(one, search.named));
  const order = hasMoved ? 'changed' : comparePlaces(search, own);
  if (order === 'kept') return undefined;
  if (order !== 'changed') return order;
  const { snapshot, expected } = search;
  if (seenRows(snapshot).some((seen) => sideOf(search, seen) === 0))
    return settleCursorTies(search);
  // This state has shown no tie yet. If it has none at the row's old place either, they may all be gone.
  const isUnread = isInside(snapshot, expected) && rowAt(snapshot, expected) === undefined;
  return isUnread ? readAt(search, expected) : undefined;
}

/** The place of the ties that follow a cursor. Ties are treated as a set, because their order changes. */
export function settleCursorTies(search: Search): Place {
  const { snapshot, cursor, direction, count, own = NaN, expected, behind, ahead } = search;
  if (!behind.complete && !ahead.complete) return { kind: 'expired', reason: 'tieOrder' };
  const [passed, due] = [tieNames(behind), tieNames(ahead)];
  return settleTies({
    ...{ snapshot, direction, count, own, createdAtMs: cursor.createdAtMs, from: expected },
    isAhead({ row: { key }, distance }) {
      if (key === cursor.key || passed.has(fingerprintOf(key))) return false;
      // If the cursor names all ties after its row, an unknown tie before that row has arrived since.
      const hasArrived = ahead.complete && direction * (distance - own) > 0;
      return due.has(fingerprintOf(key)) || (behind.complete && !hasArrived);
    },
    given: behind.complete && snapshot.total === cursor.total ? behind.ties + 1 : null,
  });
}

function tieNames({ fingerprints, ties }: NamedRows): ReadonlySet<number> {
  return new Set(fingerprints.slice(0, ties));
}

/** Whether a state shows that its ties were reordered, given the named rows that a later state shows. */
function wasReordered(earlier: Search, left: Search['named']): boolean {
  const rank = rankOf(earlier, earlier.own ?? NaN);
  const offsets = [...new Set([...earlier.named, ...left].map(({ offset }) => offset))];
  const before = offsets.filter((offset) => offset < 0).length;
  // The named rows that are left had places beside the cursor's row then, too.
  const isTight = before > rank || offsets.length - before >= earlier.snapshot.total - rank;
  return isTight || comparePlaces(earlier, earlier.own) === 'changed';
}

/** Counts the ties before the cursor's row. If arrivals explain fewer, returns `changed`, or a page to read again. */
function comparePlaces(search: Search, own: number | undefined) {
  const { snapshot, cursor, direction, stood, came, behind, ahead } = search;
  if (!behind.complete || own === undefined) return 'kept';
  // No tie followed the cursor's row, so none can have changed places with it.
  if (ahead.complete && ahead.ties === 0) return 'kept';
  const more = rankOf(search, own) - stood;
  // On a walk to newer rows, arrivals at the head are before the cursor's row only if they are its ties.
  const mayBeTies = more > 0 && direction === -1;
  const cameAhead = mayBeTies && seenRows(snapshot).some((row) => sideOf(search, row) > 0);
  if (more <= (cameAhead ? 0 : came)) return 'kept';
  for (let ties = 0; ties <= behind.ties + more; ties++) {
    const distance = own + direction * (1 + ties);
    const there = rowAt(snapshot, distance);
    if (there === undefined && isInside(snapshot, distance))
      return isBoundReached(search) ? 'kept' : readAt(search, distance);
    if (there?.row.createdAtMs !== cursor.createdAtMs) {
      // If the cursor names all ties that were after its row, any other ties have arrived since.
      const others = more - (ties - behind.ties);
      const isLikely = ties > behind.ties && others <= came && !ahead.complete;
      return isLikely ? readAgain(search, own, more > came) : 'kept';
    }
  }
  return 'kept';
}

/** This many ties in the same order twice are unlikely if each read reorders them. */
const tiesThatTell = 4;

/** Reads a page once more if it has enough ties; `haveTiesMoved` then detects a new order. */
function readAgain(search: Search, own: number, isUnexplained: boolean) {
  const { snapshot, cursor, direction, stood, behind, named } = search;
  const reads = snapshot.pages.filter(({ page }) => page === pageAt(snapshot, own));
  const ties = reads[0]?.rows.filter(({ createdAtMs }) => createdAtMs === cursor.createdAtMs) ?? [];
  // A few ties may have the same order twice by chance.
  const areFew = ties.length < tiesThatTell;
  // One more tie is just before the cursor's row. If it cannot have arrived at the head, the two have changed places.
  const isBeside = named.some((one) => one.offset === -1 && one.distance === own + 2 * direction);
  const isSwap = isBeside && direction === 1 && stood > behind.ties;
  const areKept = !isBeside && named.filter(({ isTie }) => isTie).length >= tiesThatTell;
  if (isUnexplained && (isSwap || (areFew && !areKept))) return 'changed';
  return areFew || reads.length > 1 || isBoundReached(search) ? 'kept' : readAt(search, own);
}

/** The input of `settleTies`, which determines the next rows with `createdAtMs`. */
export interface TieQuestion extends Pick<Search, 'snapshot' | 'direction' | 'count'> {
  readonly createdAtMs: number | null;
  /** Whether a tie has not been returned yet. */
  readonly isAhead: (seen: SeenRow) => boolean;
  /** The distance of the cursor's row; NaN if it was not seen. */
  readonly own: number;
  /** The distance just before the first row to return, if no older row was removed since. */
  readonly from: number;
  /** The number of ties already returned; null if unknown, or if the total has changed since they were counted. */
  readonly given: number | null;
}

/** Returns the place of the next ties once enough were seen; until then, the page to read, even if read before. */
export function settleTies(question: TieQuestion): Place {
  const { direction, count, own, from, given } = question;
  const group = groupOf(question);
  const ahead = group.members.filter(question.isAhead);
  // Ties beyond the cursor's row come first: the others may have arrived since.
  const isBehind = ({ distance }: SeenRow) => direction * (distance - own) > 0;
  ahead.sort((one, other) => Number(isBehind(one)) - Number(isBehind(other)));
  const areAllSeen =
    group.members.length === group.span || ahead.length + (given ?? NaN) === group.span;
  const areAllKnown = group.closedAhead && group.closedBehind && areAllSeen;
  // It has to be certain whether rows follow the slice.
  const isFollowed = group.closedAhead && isInside(question.snapshot, group.end - direction);
  if (ahead.length >= count + (isFollowed ? 0 : 1) || areAllKnown) {
    // The remaining ties are the last of the group. If its end is unknown, they begin just after the cursor's old
    // place, or before that if there is not enough room for them.
    const last = direction === 1 ? 0 : question.snapshot.total - 1;
    const byEnd = (group.closedAhead ? group.end : last) + direction * (ahead.length - 1);
    const isRoom = direction * (byEnd - (from - direction)) <= 0;
    // The rows that were returned are newer still. After removals at the older end, the old place is no longer in there.
    const newest = question.snapshot.total - 1 - (group.members.length - ahead.length);
    const byOld = direction === 1 ? Math.min(from - 1, newest) : from + 1;
    const first = areAllKnown || !isRoom ? byEnd : byOld;
    return { ...found(first, 'tieOrder'), settled: ahead.slice(0, count) };
  }
  if (!group.closedAhead) return readAt(question, group.end - direction);
  if (!group.closedBehind) return readAt(question, group.start + direction);
  return { kind: 'read', pages: [leastRecent(question, group)] };
}

/**
 * The seen ties, from distance `start` to distance `end` in the direction of the walk: distinct `members` in the order
 * of the latest reads, and the number of places (`span`). `closedBehind` and `closedAhead`: whether the rows before
 * `start` and after `end` are known to have another createdAt, or not to exist.
 */
function groupOf({ snapshot, direction, createdAtMs }: TieQuestion) {
  const members = new Map<number, SeenRow>();
  let [newest, oldest] = [-Infinity, Infinity];
  const own = { pages: snapshot.own };
  const others = { pages: snapshot.pages.slice(snapshot.own.length) };
  // A row of another state may be gone if this state shows another row at its place.
  const left = seenRows(others).filter(({ distance }) => !rowAt(own, distance));
  for (const seen of [...seenRows(own), ...left]) {
    if (seen.row.createdAtMs !== createdAtMs) continue;
    if (!members.has(seen.row.key)) members.set(seen.row.key, seen);
    newest = Math.max(newest, seen.distance);
    oldest = Math.min(oldest, seen.distance);
  }
  const [start, end] = direction === 1 ? [newest, oldest] : [oldest, newest];
  const isClosed = (distance: number) => {
    const there = rowAt(snapshot, distance);
    return there ? there.row.createdAtMs !== createdAtMs : !isInside(snapshot, distance);
  };
  return {
    ...{ start, end, span: newest - oldest + 1 },
    closedBehind: isClosed(start + direction),
    closedAhead: isClosed(end - direction),
    members: [...members.values()].sort((a, b) => direction * (b.distance - a.distance)),
  };
}

/** The least recently read page of the group; the pages of a snapshot are in the order of the latest reads. */
function leastRecent({ snapshot }: TieQuestion, { start, end }: ReturnType<typeof groupOf>) {
  const from = pageAt(snapshot, Math.min(Math.max(start, end), snapshot.total - 1));
  const to = pageAt(snapshot, Math.max(Math.min(start, end), 0));
  const isInGroup = (page: number) => page >= from && page <= to;
  const read = new Set(snapshot.pages.map(({ page }) => page).filter(isInGroup));
  for (let page = from; page <= to; page++) if (!read.has(page)) return page;
  return [...read].at(-1) ?? from;
}

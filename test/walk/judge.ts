// Decides whether an answer is right, which means that its slice is right for one of the states that the call has read.
// The judge does not use the planner.
import type { Entry, Statement } from './statement.ts';

/** A walk up to the judged call. */
export interface Walk {
  /** 1 for first/after, -1 for last/before. */
  readonly direction: 1 | -1;
  /** Serial number of the cursor's row; null if the call has no cursor. */
  readonly cursor: number | null;
  readonly count: number;
  /** Serial numbers of the rows that the walk has returned so far. */
  readonly given: ReadonlySet<number>;
  /**
   * Serial numbers of the rows that the walk has to return (the due rows), determined at its first call; null at that
   * call.
   */
  readonly due: ReadonlySet<number> | null;
  /** The state of the slice that gave the cursor; null without a cursor. */
  readonly mark: Statement | null;
}

/** A slice as a client sees it. */
export interface SliceAnswer {
  /** Serial numbers in the service's order. */
  readonly serials: readonly number[];
  readonly hasNext: boolean;
  readonly hasPrevious: boolean;
  readonly total: number;
}

/** The faults of an answer. */
export type Fault =
  /** A due row was left out. */
  | 'lost'
  /** A row had already been returned, or is in the answer twice. */
  | 'twice'
  /** A row is on the wrong side of the cursor. */
  | 'extra'
  | 'order'
  /** More rows than requested, or fewer although due rows are left. */
  | 'count'
  /** No state with these rows has this combination of totalCount, hasNextPage and hasPreviousPage. */
  | 'pageInfo'
  /** No state of the call has all rows of the answer. */
  | 'unknown';

/** The latest state for which the answer is right; if there is none, the fault of the answer. */
export function judge(
  walk: Walk,
  states: readonly Statement[],
  answer: SliceAnswer,
): Statement | Fault {
  let fault: Fault = 'unknown';
  for (const state of states.toReversed()) {
    const found = faultBy(walk, state, answer);
    if (found === null) return state;
    if (fault === 'unknown' || found === 'pageInfo') fault = found;
  }
  return fault;
}

/** A row that may be returned after the cursor. */
export interface Coming {
  readonly entry: Entry;
  /** False if the row may be either returned or omitted. */
  readonly isDue: boolean;
}

/** The rows that may be returned after the cursor in one state, and whether the state has other rows. */
export function comingIn(walk: Walk, state: Statement): { coming: Coming[]; hasOthers: boolean } {
  const { entries } = state;
  const at = walk.cursor === null ? -1 : entries.findIndex((one) => one.serial === walk.cursor);
  const place = walk.cursor === null && walk.direction === -1 ? entries.length : at;
  const loose = looseAround(walk, entries, place);
  const coming: Coming[] = [];
  let hasOthers = false;
  for (let step = 0; step < entries.length; step++) {
    const index = walk.direction === 1 ? step : entries.length - 1 - step;
    const entry = entries[index] as Entry;
    if (entry.isGone) continue;
    const isAhead = walk.direction * (index - place) > 0;
    const side = sideOf(walk, state, entry, isAhead, entries[place]?.at);
    if (loose.has(entry) && !walk.given.has(entry.serial)) coming.push({ entry, isDue: false });
    else if (side === 'not') hasOthers = true;
    else coming.push({ entry, isDue: side === 'due' });
  }
  return { coming, hasOthers };
}

function sideOf(
  { cursor, given, due }: Walk,
  state: Statement,
  { serial, at }: Entry,
  isAhead: boolean,
  cursorAt: number | undefined,
): 'due' | 'may' | 'not' {
  if (serial === cursor || given.has(serial)) return 'not';
  if (state.unordered.has(at)) {
    if (due?.has(serial) === true) return 'due';
    if (due !== null || at === cursorAt) return 'may';
  }
  return isAhead ? 'due' : 'not';
}

/**
 * New rows at the place of the cursor's removed row, with its createdAt. Nothing shows whether they come before or
 * after that row.
 */
function looseAround({ mark }: Walk, entries: readonly Entry[], place: number): ReadonlySet<Entry> {
  const loose = new Set<Entry>();
  const own = entries[place];
  if (own?.isGone !== true || mark === null) return loose;
  const latest = Math.max(...mark.entries.map(({ serial }) => serial));
  for (const step of [-1, 1]) {
    for (let index = place + step; ; index += step) {
      const entry = entries[index];
      if (entry === undefined) break;
      const isNewTie = entry.serial > latest && entry.at === own.at;
      if (!entry.isGone && !isNewTie) break;
      if (!entry.isGone) loose.add(entry);
    }
  }
  return loose;
}

/** Serial numbers of the rows that a walk has to return if it begins with this call. */
export function dueIn(walk: Walk, state: Statement): ReadonlySet<number> {
  const due = comingIn(walk, state).coming.filter(({ isDue }) => isDue);
  return new Set(due.map(({ entry }) => entry.serial));
}

function faultBy(walk: Walk, state: Statement, answer: SliceAnswer): Fault | null {
  const { coming, hasOthers } = comingIn(walk, state);
  const serials = walk.direction === 1 ? answer.serials : answer.serials.toReversed();
  const match = matchRows(coming, serials, state);
  if (match === null) return whyNot(walk, state, coming, serials);
  const { isDueLeft, isMayLeft, isMaySkipped } = match;
  if (serials.length > walk.count || (serials.length < walk.count && isDueLeft)) return 'count';
  const [hasMore, hasBehind] =
    walk.direction === 1
      ? [answer.hasNext, answer.hasPrevious]
      : [answer.hasPrevious, answer.hasNext];
  const isMoreRight = hasMore ? isDueLeft || isMayLeft : !isDueLeft;
  const isBehindRight = hasBehind ? hasOthers || isMaySkipped : !hasOthers;
  return isMoreRight && isBehindRight && answer.total === state.live.length ? null : 'pageInfo';
}

interface Match {
  readonly isDueLeft: boolean;
  readonly isMayLeft: boolean;
  readonly isMaySkipped: boolean;
}

/**
 * Compares an answer with the rows after the cursor. Ties whose order is not promised are compared as a set, all other
 * rows one by one. Returns null if the answer does not match.
 */
function matchRows(
  coming: readonly Coming[],
  serials: readonly number[],
  state: Statement,
): Match | null {
  let taken = 0;
  let [isDueLeft, isMayLeft, isMaySkipped] = [false, false, false];
  for (let from = 0; from < coming.length;) {
    const to = endOfSet(coming, from, state);
    const set = new Map(coming.slice(from, to).map((one) => [one.entry.serial, one]));
    while (taken < serials.length && set.delete(serials[taken] as number)) taken++;
    const isAtEnd = taken === serials.length;
    for (const { isDue } of set.values()) {
      if (isDue && !isAtEnd) return null;
      if (isDue) isDueLeft = true;
      else if (isAtEnd) isMayLeft = true;
      isMaySkipped ||= !isDue;
    }
    from = to;
  }
  return taken === serials.length ? { isDueLeft, isMayLeft, isMaySkipped } : null;
}

function endOfSet(coming: readonly Coming[], from: number, state: Statement): number {
  const at = coming[from]?.entry.at;
  let to = from + 1;
  if (at === undefined || !state.unordered.has(at)) return to;
  while (coming[to]?.entry.at === at) to++;
  return to;
}

function whyNot(
  { given }: Walk,
  { live }: Statement,
  coming: readonly Coming[],
  serials: readonly number[],
): Fault {
  const answered = new Set(serials);
  if (answered.size < serials.length || serials.some((serial) => given.has(serial))) return 'twice';
  const lastGiven = coming.findLastIndex(({ entry }) => answered.has(entry.serial));
  const skipped = coming.slice(0, lastGiven + 1).filter(({ entry }) => !answered.has(entry.serial));
  if (skipped.some(({ isDue }) => isDue)) return 'lost';
  const standing = new Set(live.map(({ serial }) => serial));
  if (serials.some((serial) => !standing.has(serial))) return 'unknown';
  const expected = new Set(coming.map(({ entry }) => entry.serial));
  return serials.every((serial) => expected.has(serial)) ? 'order' : 'extra';
}

// Determines whether a wrong slice of a random walk has a twin: another history in which the call that gave the cursor
// and the call that used it get the same answers, but the slice is right. In the twin, the service sorts by createdAt,
// and rows that neither call has read may be other rows. Ties of the cursor's row, and ties that the reads show in
// different orders, may have changed places.
import { judge, type Walk } from './judge.ts';
import type { GivenSlice } from './service.ts';
import type { Entry, Statement } from './statement.ts';

/** A call of a walk with its reads. */
export interface Call {
  readonly walk: Walk;
  readonly pages: readonly number[];
  /** The statement as each read showed it. */
  readonly reads: readonly Statement[];
  readonly answer: GivenSlice;
}

/** A row of a statement. If the row was not read, the rows that were read limit its createdAt to a range. */
interface Row {
  /** Null if the row was not read. */
  readonly serial: number | null;
  /** The range of createdAt, in epoch milliseconds. */
  readonly least: number;
  readonly most: number;
}

/** A row of the twin, as it is during each of the two calls; null where it is not in the statement. */
interface TwinRow {
  readonly then: Row | null;
  readonly now: Row | null;
}

/** Serial numbers from here on are those of rows that are posted between the two calls and were not read. */
const unreadSerial = 1_000_000_000;

/** Returns the statement of the twin during the later call; null if none was found. */
export function findTwin(earlier: Call, later: Call): Statement | null {
  return findTwinWith(new Set(), earlier, later) ?? findTwinWith(tiesOf(later), earlier, later);
}

function tiesOf({ walk: { cursor, mark } }: Call): Set<number> {
  const row = mark?.entries.find(({ serial }) => serial === cursor);
  return new Set(row === undefined ? [] : [row.at]);
}

/** `unordered` has each createdAt whose rows may have changed places. */
function findTwinWith(unordered: Set<number>, earlier: Call, later: Call): Statement | null {
  const [then, now] = [rowsOf(earlier, unordered), rowsOf(later, unordered)];
  const { walk, answer } = later;
  const own = then.findIndex(({ serial }) => serial === walk.cursor);
  if (own < 0 || now.length !== answer.total) return null;
  const left = now.findIndex(({ serial }) => serial === walk.cursor);
  const place = left < 0 ? placeIn(now, later) : left;
  const nowRead = new Set(now.map(({ serial }) => serial));
  const inBoth = new Set(then.map(({ serial }) => serial).filter((one) => nowRead.has(one)));
  const rows = [
    ...aligned(then.slice(0, own), now.slice(0, place), inBoth),
    { then: then[own] ?? null, now: now[left] ?? null },
    ...aligned(then.slice(own + 1), now.slice(left < 0 ? place : place + 1), inBoth),
  ];
  const entries = entriesOf(rows, unordered);
  if (entries === null) return null;
  const [mark, twin] = entries.map((all) => statementOf(all, later, unordered));
  if (mark === undefined || twin === undefined) return null;
  return typeof judge({ ...walk, mark }, [twin], answer) === 'string' ? null : twin;
}

/**
 * The rows that a call has read, as its last state; an empty list if no sorted statement gives these answers. Adds each
 * createdAt whose rows have changed places to `unordered`.
 */
function rowsOf({ pages, reads }: Call, unordered: Set<number>): Row[] {
  const [first] = reads;
  if (first === undefined) return [];
  const { live, size } = first;
  const known = new Map<number, Entry>();
  for (const [nth, page] of pages.entries()) {
    const read = reads[nth];
    if (read?.live.length !== live.length || read.size !== size) return [];
    for (const [index, row] of read.live.slice(page * size, (page + 1) * size).entries()) {
      const other = known.get(page * size + index) ?? row;
      if (other.at !== row.at) return [];
      if (other.serial !== row.serial) unordered.add(row.at);
      known.set(page * size + index, row);
    }
  }
  const places = [...known.keys()].sort((a, b) => a - b);
  const rows = live.map((_, index): Row => {
    const before = places.findLast((place) => place <= index);
    const after = places.find((place) => place >= index);
    const most = before === undefined ? Infinity : (known.get(before)?.at ?? Infinity);
    const least = after === undefined ? -Infinity : (known.get(after)?.at ?? -Infinity);
    return { serial: known.get(index)?.serial ?? null, least, most };
  });
  return rows.every(({ least, most }) => least <= most) ? rows : [];
}

/** The place of the cursor for which the slice is right, if the row of the cursor is gone or was not read. */
function placeIn(now: readonly Row[], { walk, answer }: Call): number {
  const { serials } = answer;
  const { direction } = walk;
  const nearest = serials.at(direction === 1 ? 0 : -1);
  if (nearest === undefined) return direction === 1 ? now.length : 0;
  return now.findIndex(({ serial }) => serial === nearest) + (direction === 1 ? 0 : 1);
}

/** Aligns the rows of two states, so that as many as possible are in both. `inBoth`: the rows that both calls have read. */
function aligned(
  then: readonly Row[],
  now: readonly Row[],
  inBoth: ReadonlySet<Row['serial']>,
): TwinRow[] {
  /** The maximum number of rows in both states, without the first `i` rows of one and the first `j` of the other. */
  const most = Array.from({ length: then.length + 1 }, () => new Uint16Array(now.length + 1));
  const at = (i: number, j: number) => most[i]?.[j] ?? 0;
  for (let i = then.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      const both = canBeSame(then[i], now[j], inBoth) ? at(i + 1, j + 1) + 1 : 0;
      (most[i] as Uint16Array)[j] = Math.max(both, at(i + 1, j), at(i, j + 1));
    }
  }
  const rows: TwinRow[] = [];
  for (let [i, j] = [0, 0]; i < then.length || j < now.length;) {
    const [one = null, other = null] = [then[i], now[j]];
    const canEnd = one !== null && at(i + 1, j) === at(i, j);
    const canBegin = other !== null && at(i, j + 1) === at(i, j);
    const isEnd = canEnd && !(canBegin && other.least > one.least);
    const isBegin = canBegin && !isEnd;
    rows.push({ then: isBegin ? null : one, now: isEnd ? null : other });
    if (!isBegin) i++;
    if (!isEnd) j++;
  }
  return rows;
}

function canBeSame(
  one: Row | undefined,
  other: Row | undefined,
  inBoth: ReadonlySet<Row['serial']>,
): boolean {
  if (one === undefined || other === undefined) return false;
  const isUnread = one.serial === null || other.serial === null;
  const canBe =
    one.serial === other.serial || (isUnread && !inBoth.has(one.serial ?? other.serial));
  return canBe && one.least <= other.most && other.least <= one.most;
}

/**
 * The entries of the twin during each of the two calls; null if a row would be at two places, unless it is a tie that
 * has changed places, or if the rows are not in createdAt order.
 */
function entriesOf(rows: readonly TwinRow[], unordered: Set<number>): [Entry[], Entry[]] | null {
  const [before, after]: [Entry[], Entry[]] = [[], []];
  let latest = Number.MAX_SAFE_INTEGER;
  for (const [index, { then, now }] of rows.entries()) {
    const at = Math.min(latest, then?.most ?? latest, now?.most ?? latest);
    if (at < Math.max(then?.least ?? at, now?.least ?? at)) return null;
    latest = at;
    const serial =
      then?.serial ?? now?.serial ?? (then === null ? unreadSerial + index : -1 - index);
    if (then !== null) before.push({ serial, at, isGone: false });
    after.push({ serial, at, isGone: now === null });
  }
  const left = new Set(after.filter(({ isGone }) => !isGone).map(({ serial }) => serial));
  const moved = after.filter(({ serial, isGone }) => isGone && left.has(serial));
  for (const { at } of moved) unordered.add(at);
  const now = after.filter((entry) => !moved.includes(entry));
  return areDistinct(before) && areDistinct(now) ? [before, now] : null;
}

function areDistinct(entries: readonly Entry[]): boolean {
  return new Set(entries.map(({ serial }) => serial)).size === entries.length;
}

function statementOf(
  entries: readonly Entry[],
  { reads: [read] }: Call,
  unordered: ReadonlySet<number>,
): Statement {
  const live = entries.filter(({ isGone }) => !isGone);
  const events = { arrivals: 0, otherEvents: 0 };
  return { order: 'byId', entries, live, size: read?.size ?? 0, unordered, ...events };
}

/** The rows of a twin: those that have vanished are in parentheses, and `?n` stands for n rows that were not read. */
export function describeTwin({ entries }: Statement): string {
  const words: string[] = [];
  let unread = 0;
  for (const { serial, isGone } of entries) {
    const isRead = serial > 0 && serial < unreadSerial;
    if (!isRead && !isGone) unread++;
    else if (isRead) {
      if (unread > 0) words.push(`?${unread}`);
      unread = 0;
      words.push(isGone ? `(${serial})` : String(serial));
    }
  }
  return [...words, ...(unread > 0 ? [`?${unread}`] : [])].join(' ');
}

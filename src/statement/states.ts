// The states in the reads of a slice, and the rows that they share with each other. README.md has the rules.
import { contractViolation } from '../errors.ts';
import { hasRepeatedKey } from './row-key.ts';
import { NO_KEY, type StatementRow } from '../upstream/shape/shapes.ts';
import { areSamePage, areTied, hasTie, oldestOf, type PageView } from './page-view.ts';
import { seenRows, type Snapshot } from './snapshot.ts';

/** The states that were read for one slice. They are kept, so that each step for it compares only what is new. */
export class States {
  #reads: readonly PageView[] = [];
  #states: State[] = [];
  #untimed: States | null = null;

  /**
   * The states in `reads`, latest first; without createdAt if `isTimed` is false. Throws UPSTREAM_CONTRACT_VIOLATION if
   * two page numbers return the same page.
   */
  of(reads: readonly PageView[], isTimed = true): Snapshot[] {
    if (!isTimed) return (this.#untimed ??= new States()).of(reads.map(withoutTimes));
    const latest = reads.at(-1);
    if (latest === undefined) return [];
    const repeats = hasRepeatedKey(reads);
    const isContinued = this.#reads.every(({ order }, k) => order === reads[k]?.order);
    if (!isContinued) [this.#reads, this.#states] = [[], []];
    for (const page of reads.slice(this.#reads.length)) addPage(this.#states, page, repeats);
    this.#reads = [...reads];
    if (this.#states.length > 1) share(this.#states);
    let readsSince = 0;
    return this.#states.toReversed().map((state) => {
      const { own, seen, total } = state;
      const learned = seen.filter(({ on }) => on !== undefined && !own.includes(on));
      const pages = [...own, ...runsOf(learned, state, 0)];
      readsSince += own.length;
      const movedBy = latest.total - total;
      return { own, pages, total, size: latest.size, movedBy, readsSince, repeats };
    });
  }
}

function withoutTimes(view: PageView): PageView {
  return { ...view, rows: view.rows.map((row) => ({ ...row, createdAtMs: null })) };
}

/** What is known of one state; `own` and `total` are those of its snapshot. */
class State {
  readonly own: readonly PageView[];
  readonly total: number;
  /** The sum of all changes of the total until then; the fraction stands for changes that the total did not show. */
  readonly changes: number;
  /** By key, the distance on the first page that has the row. */
  readonly places = new Map<number, number>();
  /** By distance, the different rows that were seen there. */
  readonly rows = new Map<number, SeenPlace[]>();
  /** All rows and the ends of the statement, newest first; empty until needed. Rows are added, and never removed. */
  readonly seen: SeenPlace[] = [];
  /** By state, the number of rows that both had when they were last compared. */
  readonly compared = new Map<State, number>();
  /** The number of parts that may still be compared. Without a limit, a slice could take minutes. */
  left = 500;

  constructor(own: readonly PageView[], total: number, changes: number) {
    [this.own, this.total, this.changes] = [own, total, changes];
  }
}

interface SeenPlace {
  /** `NO_KEY` if the row has no id, or if the first page that has it has it elsewhere. */
  readonly key: number;
  readonly distance: number;
  /** The row, and the page that showed it; an end of the statement has none. */
  readonly row?: StatementRow;
  readonly on?: PageView;
}

/** Adds a page to the last state if it has the same total and does not contradict its pages, otherwise a new state. */
function addPage(states: State[], page: PageView, repeats: boolean): void {
  const { own, total, changes } = states.at(-1) ?? { own: [], total: NaN, changes: 0 };
  if (own.some((earlier) => areSamePage(page, earlier))) {
    throw contractViolation(
      'two page numbers return the same page; UPSTREAM_PAGE_BASE must be the number of the first page',
    );
  }
  const isApart = (one: PageView) => one.newest < oldestOf(page) || oldestOf(one) > page.newest;
  let isSame = page.total === total;
  // If no row was read twice, only overlapping pages can contradict each other. The comparison takes longer than all
  // other work for a slice.
  if (repeats || !own.every(isApart))
    isSame &&= !contradicts(learnOwn(new State(own, total, 0)), page);
  const change = Math.abs(page.total - total) || 2 ** -20;
  if (isSame) states.splice(-1, 1, new State([page, ...own], total, changes));
  else states.push(new State([page], page.total, changes + change));
}

/** Whether a page has another row at a known place, or a known row elsewhere; ties and rows without ids are exempt. */
function contradicts({ rows, places }: State, page: PageView): boolean {
  return page.rows.some((row, offset) => {
    const distance = page.newest - offset;
    const there = rows.get(distance)?.[0]?.row ?? row;
    const areKnown = row.key !== NO_KEY && there.key !== NO_KEY;
    if (row.key !== there.key && areKnown && !areTied(row, there)) return true;
    const elsewhere = places.get(row.key) ?? distance;
    const on = rows.get(elsewhere)?.[0]?.on ?? page;
    return elsewhere !== distance && !hasTie(page, row) && !hasTie(on, row);
  });
}

/** Adds to each state the rows of other states that were also in it (README.md). */
function share(states: readonly State[]): void {
  for (const state of states) if (state.seen.length === 0) learnOwn(state);
  // What a state tells of the next one may in turn tell more of the states before it.
  for (const state of [...states, ...states.toReversed()]) extend(state, states);
}

function learnOwn(state: State): State {
  // These keys stand for the ends of the statement: nothing arrives or vanishes beyond them.
  state.places.set(-1, state.total).set(-2, -1);
  for (const [key, distance] of state.places) state.seen.push({ key, distance });
  for (const page of state.own) learn(state, page);
  return state;
}

/** Adds the rows of a page; returns whether any was not known. */
function learn({ places, rows, seen }: State, page: PageView): boolean {
  const { length } = seen;
  for (const { row, distance } of seenRows({ pages: [page] })) {
    const there = rows.get(distance) ?? [];
    if (there.some((one) => one.row?.key === row.key)) continue;
    const key = there.length === 0 && !places.has(row.key) ? row.key : NO_KEY;
    const place = { key, distance, row, on: page };
    if (key !== NO_KEY) places.set(key, distance);
    rows.set(distance, [...there, place]);
    seen.push(place);
  }
  seen.sort((one, other) => other.distance - one.distance);
  return seen.length > length;
}

/** Adds rows of other states until no more are found. */
function extend(state: State, states: readonly State[]): void {
  const nth = states.indexOf(state);
  const before = states[nth - 1] ?? state;
  const later = states.slice(nth + 1).filter((after) => isOneWay(before, after));
  for (let [k, idle] = [0, 0]; idle < states.length; k = (k + 1) % states.length, idle++) {
    const from = states[k] ?? state;
    const count = from.seen.length + state.seen.length;
    // The state before is always compared, because a later state may show more of its rows.
    if (from !== before && state.compared.get(from) === count) continue;
    state.compared.set(from, count);
    for (const part of partsOf(from, state, from === before ? later : [])) {
      if (--state.left < 0) return;
      if (!contradicts(state, part) && learn(state, part)) idle = -1;
    }
  }
}

/** Whether the total has only risen or only fallen, with no changes that it does not show, or has stayed the same. */
function isOneWay(from: State, to: State): boolean {
  const changes = Math.abs(to.changes - from.changes);
  return changes < 1 || Math.abs(to.total - from.total) === changes;
}

/** Rows that may be new to a state. They are between rows that moved alike, each with a known shift. */
function partsOf(from: State, to: State, later: State[]): PageView[] {
  const parts: PageView[] = [];
  const growth = to.total - from.total;
  const seen = isOneWay(from, to) ? from.seen : [];
  let [start, last, common, isNew] = [0, NaN, 0, false];
  for (const [nth, { key, distance }] of seen.entries()) {
    const moved = (to.places.get(key) ?? NaN) - distance;
    const isInBoth = moved === last || (moved * growth >= 0 && Math.abs(moved) <= Math.abs(growth));
    const known = isInBoth ? moved : unmovedShift(key, distance, from, to, later);
    if (known !== undefined) common++;
    const shift = known ?? (key === NO_KEY ? undefined : onlyShift(to, distance, last));
    isNew ||= !isInBoth;
    if (shift === undefined) continue;
    if (isNew && shift === last) parts.push(...runsOf(seen.slice(start, nth + 1), to, shift));
    [start, last, isNew] = [nth, shift, !isInBoth];
  }
  // The two ends alone prove nothing.
  return common > 2 ? parts : [];
}

/** The shift of a row that is not known to be in a state, but has the same distance or index before and after it. */
function unmovedShift(key: number, distance: number, from: State, to: State, later: State[]) {
  if (to.places.has(key)) return undefined;
  for (const { places, total } of later) {
    const moved = (places.get(key) ?? NaN) - distance;
    if (moved === 0) return 0;
    if (moved === total - from.total) return to.total - from.total;
  }
  return undefined;
}

/** Seen rows as parts of the pages on which they were read, at their places in a state. */
function runsOf(seen: readonly SeenPlace[], { total }: State, shift: number): PageView[] {
  const runs: (PageView & { readonly rows: StatementRow[] })[] = [];
  for (const { row, on, distance } of seen) {
    if (row === undefined || on === undefined) continue;
    const [newest, run] = [distance + shift, runs.findLast(({ order }) => order === on.order)];
    if (run !== undefined && oldestOf(run) - 1 === newest) run.rows.push(row);
    else runs.push({ ...on, total, newest, rows: [row] });
  }
  return runs;
}

/** The shift of a row, from 0 to `most`, if other rows were seen at all of the places that it can have but one. */
function onlyShift({ rows }: State, distance: number, most: number): number | undefined {
  // Pages may be large, so the time for shifts by more places could be seconds.
  if (!(most > 0 && most <= 50)) return undefined;
  let [least, greatest] = [0, most];
  while (least < greatest && rows.has(distance + least)) least++;
  while (least < greatest && rows.has(distance + greatest)) greatest--;
  return least === greatest ? least : undefined;
}

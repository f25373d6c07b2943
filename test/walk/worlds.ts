// The worlds in which a service gives the answers that a client has seen. A world is a statement with its past.
import type { StatementPage } from '../../src/upstream/shape/shapes.ts';
import { changeBetween } from './bounds.ts';
import {
  type Entry,
  pageOf,
  post,
  remove,
  statementOf,
  swap,
  type Statement,
} from './statement.ts';

/** A statement with its past, as far as a client or a judge can distinguish it from others. */
export interface World {
  readonly statement: Statement;
  /** The states that the current call has read. */
  readonly states: readonly Statement[];
  /**
   * Serial numbers of the rows that the client has seen, in the order in which it saw them. The label of a row is its
   * index in this list.
   */
  readonly seen: readonly number[];
  /** Each createdAt that the client has seen, ascending, with the value that the answers showed for it. */
  readonly instants: readonly Instant[];
  /** The smallest number of events that leads to this world. */
  readonly events: number;
  /** The state of the slice that gave the current cursor. */
  readonly mark: Statement | null;
  /** Serial numbers of the rows that were due when the current walk began. */
  readonly due: ReadonlySet<number> | null;
  /** The createdAt of the initial rows as multiples of `gap`, in the order of posting. */
  readonly start: readonly number[];
  /** The number of histories that lead to this world, by number of events. */
  readonly weights: readonly number[];
  /** The history with the fewest events. */
  readonly history: History | null;
}

interface Instant {
  readonly at: number;
  readonly shown: number;
}

/** The events of a history, latest first. */
export interface History {
  readonly before: History | null;
  /** The event happened before this read of this call; both count from 0. */
  readonly call: number;
  readonly read: number;
  readonly event: string;
}

/** The distance between two adjacent instants of a new statement, in ms. */
export const gap = 2 ** 20;

/**
 * A world for every pattern of equal, newer and older createdAt that a statement of `rows` rows in this order can have.
 */
export function worldsOf(order: 'byId' | 'posted', rows: number, size: number): World[] {
  const patterns = order === 'posted' ? weakOrders(rows) : descents(rows);
  return patterns.map((pattern) => worldOf(order, pattern, size));
}

/**
 * The world at the beginning of a walk; `ranks` has the createdAt of each row as a multiple of `gap`, in the order of
 * posting.
 */
export function worldOf(order: 'byId' | 'posted', ranks: readonly number[], size: number): World {
  const posted = ranks.map((rank) => rank * gap);
  const statement = statementOf(order === 'byId' ? 'lastFirst' : order, posted, size);
  return {
    statement: { ...statement, order },
    ...{ states: [], seen: [], instants: [], events: 0, mark: null, due: null },
    ...{ start: ranks, weights: [1], history: null },
  };
}

/**
 * The createdAt of rows that are posted in the order of createdAt: every sequence that begins with 1, and stays the
 * same or rises by one at each step.
 */
function descents(rows: number): number[][] {
  let all: number[][] = [[]];
  for (let row = 0; row < rows; row++) {
    all = all.flatMap((one) => {
      const last = one.at(-1);
      return last === undefined
        ? [[1]]
        : [
            [...one, last],
            [...one, last + 1],
          ];
    });
  }
  return all;
}

/**
 * The createdAt of rows in any order, with ties: for each k, every sequence that consists of all numbers from 1 to k.
 */
function weakOrders(rows: number): number[][] {
  let all: number[][] = [[]];
  for (let row = 0; row < rows; row++) {
    all = all.flatMap((one) => Array.from({ length: rows }, (_, rank) => [...one, rank + 1]));
  }
  return all.filter((one) => new Set(one).size === Math.max(0, ...one));
}

/** Every world that can follow from this world by one event. */
export function eventsIn(world: World, call: number, read: number): World[] {
  const { statement } = world;
  const { live, order } = statement;
  const worlds: World[] = [];
  const add = (event: string, after: Statement) => {
    const history = { before: world.history, call, read, event };
    const weights = [0, ...world.weights];
    worlds.push({ ...world, statement: after, events: world.events + 1, weights, history });
  };
  live.forEach(({ serial }, index) => {
    add(`-${index}`, removeIn(world, serial));
    if (order === 'byId' && live[index + 1]?.at === live[index]?.at) {
      add(`~${index}`, swap(statement, index));
    }
  });
  for (const [index, at] of order === 'byId' ? sortedPlaces(world) : postedPlaces(world)) {
    add(`+${index}@${at}`, postIn(world, index, at));
  }
  return worlds;
}

/** Applies one event, as written in a history; null if the event is malformed or removes a row that does not exist. */
export function applyEvent(world: World, event: string): World | null {
  const [, kind, place, at] = /^([-~+])(\d+)(?:@(-?[\d.]+))?$/.exec(event) ?? [];
  const index = Number(place);
  const serial = world.statement.live[index]?.serial;
  const after = (statement: Statement) => ({ ...world, statement, events: world.events + 1 });
  if (kind === '-' && serial !== undefined) return after(remove(world.statement, serial));
  if (kind === '~') return after(swap(world.statement, index));
  if (kind === '+') return after(postIn(world, index, Number(at)));
  return null;
}

/** The serial number of a row that the first event posts. For a later event, the number of earlier events is added. */
const firstPosted = 100;

/** Posts a row before the live row at an index, or at the head in a service that keeps the order of posting. */
function postIn({ statement, events }: World, index: number, at: number): Statement {
  const { entries, live, order } = statement;
  const place = order === 'posted' ? 0 : placeAmong(entries, live[index], at);
  return post(statement, firstPosted + events, at, place);
}

/** The place right before a live row or at the end, but before older removed rows at that place. */
function placeAmong(entries: readonly Entry[], next: Entry | undefined, at: number): number {
  let place = next === undefined ? entries.length : entries.indexOf(next);
  for (let before = entries[place - 1]; before?.isGone === true && before.at < at;) {
    before = entries[--place - 1];
  }
  return place;
}

/** Removes a row. The row keeps its place if the client has seen it, because a cursor may name it. */
function removeIn({ statement, seen }: World, serial: number): Statement {
  const after = remove(statement, serial);
  if (seen.includes(serial)) return after;
  return { ...after, entries: after.entries.filter((entry) => entry.serial !== serial) };
}

/** The places for a new row in a service that sorts by createdAt with ties in any order: newer, tied or late. */
function sortedPlaces(world: World): [number, number][] {
  const { live } = world.statement;
  const instants = instantsIn(world);
  const places: [number, number][] = [];
  for (let index = 0; index <= live.length; index++) {
    const [newest, oldest] = [live[index - 1]?.at ?? Infinity, live[index]?.at ?? -Infinity];
    const around = instants.filter((at) => at <= newest && at >= oldest);
    for (const at of around) places.push([index, at]);
    if (newest === oldest) continue;
    for (const at of gapsIn(around, oldest === -Infinity, newest === Infinity)) {
      places.push([index, at]);
    }
  }
  return places;
}

/** The places for a new row in a service that keeps the order of posting: at the head, with any createdAt. */
function postedPlaces(world: World): [number, number][] {
  const instants = instantsIn(world);
  return [...instants, ...gapsIn(instants, true, true)].map((at) => [0, at]);
}

/** Each instant that a row has or that the client has seen, ascending. */
function instantsIn({ statement, instants }: World): number[] {
  const all = new Set(instants.map(({ at }) => at));
  for (const { at } of statement.entries) all.add(at);
  return [...all].sort((a, b) => a - b);
}

/** An instant between every two adjacent instants, and optionally before the first or after the last. */
function gapsIn(instants: readonly number[], isOpenBelow: boolean, isOpenAbove: boolean): number[] {
  const gaps: number[] = [];
  for (let index = isOpenBelow ? 0 : 1; index <= instants.length; index++) {
    if (index === instants.length && !isOpenAbove) break;
    gaps.push(between(instants[index - 1], instants[index]));
  }
  return gaps;
}

function between(older: number | undefined, newer: number | undefined): number {
  if (older === undefined) return (newer ?? 0) - (newer === undefined ? 0 : gap);
  return newer === undefined ? older + gap : (older + newer) / 2;
}

/** The result of a read: the answer as a string, and the world after the read. Equal answers have equal strings. */
export interface Shown {
  readonly world: World;
  readonly text: string;
}

/** Lets the client read a page. New rows get the next labels, and new instants get values in their order. */
export function showPage(world: World, page: number): Shown {
  const { statement } = world;
  const rows = statement.live.slice(page * statement.size, (page + 1) * statement.size);
  const seen = [...world.seen];
  let { instants } = world;
  let text = `${statement.live.length}`;
  for (const { serial, at } of rows) {
    let label = seen.indexOf(serial);
    if (label < 0) label = seen.push(serial) - 1;
    const shown = shownAt(instants, at) ?? nextShown(instants, at);
    if (shownAt(instants, at) === undefined) {
      instants = [...instants, { at, shown }].sort((a, b) => a.at - b.at);
    }
    text += ` ${label}@${shown}`;
  }
  const { states } = world;
  const isSame = states.at(-1) === statement;
  return {
    text,
    world: { ...world, seen, instants, states: isSame ? states : [...states, statement] },
  };
}

function shownAt(instants: readonly Instant[], at: number): number | undefined {
  return instants.find((one) => one.at === at)?.shown;
}

function nextShown(instants: readonly Instant[], at: number): number {
  const newer = instants.find((one) => one.at > at);
  const older = instants.findLast((one) => one.at < at);
  return between(older?.shown, newer?.shown);
}

/** Converts the text of an answer to a page as src/upstream returns it. */
export function pageOfText(text: string, page: number, size: number): StatementPage {
  const [total, ...words] = text.split(' ');
  const rows = words.map((word) => {
    const [label, at] = word.split('@').map(Number);
    return { serial: (label ?? 0) + 1, at: at ?? 0, isGone: false };
  });
  const totalItems = Number(total);
  const totalPages = Math.ceil(totalItems / size);
  return pageOf({ totalItems, currentPage: page, itemsPerPage: size, totalPages, rows });
}

/**
 * A key of a world. No later event can distinguish two worlds with the same key. The key omits all that a client cannot
 * see: the identity of rows without a name, and the value of an instant, of which only the rank counts.
 */
export function keyOf(
  { statement, states, mark, due }: World,
  named: Iterable<readonly [serial: number, name: number]>,
  rankOf: (at: number) => number,
): string {
  const names = new Map(named);
  const latest = mark === null ? 0 : Math.max(0, ...mark.entries.map(({ serial }) => serial));
  const codes: number[] = [statement.order === 'posted' ? 1 : 2];
  for (const state of states.at(-1) === statement ? states : [...states, statement]) {
    codes.push(60_000 + (state === states.at(-1) ? 1 : 0));
    for (const { serial, at, isGone } of state.entries) {
      let name = names.get(serial);
      if (name === undefined) names.set(serial, (name = 100 + names.size));
      const flags =
        (isGone ? 1 : 0) + (serial > latest ? 2 : 0) + (due === null || due.has(serial) ? 4 : 0);
      codes.push(name, rankOf(at), flags);
    }
    for (const at of state.unordered) codes.push(40_000 + rankOf(at));
    const earlier = mark ?? states[0] ?? state;
    codes.push(50_000 + ['still', 'arrivals', 'other'].indexOf(changeBetween(earlier, state)));
  }
  return String.fromCharCode(...codes);
}

/**
 * Maps each instant of a world to a number that depends only on the order of instants. For an instant that the client
 * has seen, the number follows from the instant's rank among the seen instants. For any other instant, it follows from
 * the number of older seen instants, and from the instant's rank among the unseen ones between the same two seen
 * instants.
 */
function ordersOf({ statement, states, instants }: World): Map<number, number> {
  const all = new Set<number>();
  for (const state of [...states, statement]) for (const { at } of state.entries) all.add(at);
  const orders = new Map<number, number>();
  instants.forEach(({ at }, rank) => orders.set(at, rank * 32 + 31));
  const unseen = [...all].filter((at) => !orders.has(at)).sort((a, b) => a - b);
  let [last, rank] = [-1, 0];
  for (const at of unseen) {
    const older = instants.findLastIndex((one) => one.at < at) + 1;
    rank = older === last ? rank + 1 : 0;
    last = older;
    orders.set(at, older * 32 + rank);
  }
  return orders;
}

/**
 * Merges worlds with the same key into one, which has the weights of all of them and the history with the fewest
 * events.
 */
export function merge(
  worlds: Iterable<World>,
  into = new Map<string, World>(),
): Map<string, World> {
  for (const world of worlds) {
    const orders = ordersOf(world);
    const labels = world.seen.map((serial, label) => [serial, label] as const);
    const key = keyOf(world, labels, (at) => orders.get(at) ?? 0);
    const known = into.get(key);
    into.set(key, known === undefined ? world : joined(known, world));
  }
  return into;
}

function joined(one: World, other: World): World {
  const [long, short] =
    one.weights.length < other.weights.length
      ? [other.weights, one.weights]
      : [one.weights, other.weights];
  const weights = long.map((weight, events) => weight + (short[events] ?? 0));
  return { ...(other.events < one.events ? other : one), weights };
}

// Every history with the answers that a client has seen, also with more events than the exhaustive check
// walks.
import { changeBetween } from './bounds.ts';
import type { Order } from './statement.ts';
import { applyEvent, gap, showPage, worldOf, type World } from './worlds.ts';

/**
 * An answer that a client has seen: to a read, or a slice. `after` is the world at the next call;
 * null if the slice is wrong.
 */
export type Seen =
  | { readonly call: number; readonly read: number; readonly page: number; readonly text: string }
  | { readonly after: (world: World) => World | null };

/** A row that the client sees at some time has its label from the beginning; other rows have none. */
interface Row {
  readonly serial: number;
  readonly label: number | null;
  readonly at: number;
}

/** A row of the next state: a live row, or a new one. */
interface Item {
  readonly row: Row | null;
  readonly label: number | null;
  readonly at: number;
}

interface Node {
  readonly world: World;
  /** Labels by serial number. */
  readonly labels: ReadonlyMap<number, number>;
}

/** The parts of the answer to a read. */
interface Answer {
  readonly first: number;
  readonly total: number;
  readonly labels: readonly number[];
}

/** Everything that follows from all answers together. */
interface Plan {
  readonly size: number;
  readonly answers: readonly Answer[];
  /** For each label, its createdAt, and the first and last answer that shows it. */
  readonly at: readonly number[];
  readonly first: readonly number[];
  readonly last: readonly number[];
  /** Each createdAt that was seen, with one between every two and one beyond each end. */
  readonly instants: readonly number[];
  /** For each answer, the fewest events after it. */
  readonly fewest: readonly number[];
}

/** The worlds at the end of all histories with these answers and at most `most` events. */
export function historiesWith(trail: readonly Seen[], size: number, most: number): World[] {
  const plan = planOf(trail, size);
  return (['byId', 'posted'] as const).flatMap((order) => {
    let nodes: Node[] = [];
    let nth = 0;
    for (const seen of trail) {
      const next = new Map<string, Node>();
      const add = (node: Node) => {
        const key = keyOf(node, plan);
        const known = next.get(key);
        if (known === undefined || known.world.events > node.world.events) next.set(key, node);
      };
      if ('after' in seen) {
        for (const { world, labels } of nodes) {
          const after = seen.after(world);
          if (after !== null) add({ world: after, labels });
        }
      } else {
        const show = (node: Node) => {
          const { world, text } = showPage(node.world, seen.page);
          if (text === seen.text) add({ ...node, world });
        };
        if (nth === 0) begin(plan, order, show);
        else for (const node of nodes) goOn(plan, nth, seen, node, most, show);
        nth++;
      }
      nodes = [...next.values()];
      if (nodes.length === 0) return [];
    }
    return nodes.map(({ world }) => world);
  });
}

function planOf(trail: readonly Seen[], size: number): Plan {
  const answers: Answer[] = [];
  const at: number[] = [];
  const first: number[] = [];
  const last: number[] = [];
  for (const seen of trail) {
    if ('after' in seen) continue;
    const [total, ...words] = seen.text.split(' ');
    const rows = words.map((word) => word.split('@').map(Number) as [number, number]);
    for (const [label, shown] of rows) {
      at[label] = shown;
      first[label] ??= answers.length;
      last[label] = answers.length;
    }
    const labels = rows.map(([label]) => label);
    answers.push({ first: seen.page * size, total: Number(total), labels });
  }
  const fewest = [0];
  for (let nth = answers.length - 1; nth > 0; nth--) {
    const change = Math.abs((answers[nth]?.total ?? 0) - (answers[nth - 1]?.total ?? 0));
    fewest.unshift((fewest[0] ?? 0) + change);
  }
  return { size, answers, at, first, last, instants: instantsOf(at), fewest };
}

function instantsOf(seen: readonly number[]): number[] {
  const sorted = [...new Set(seen)].sort((a, b) => a - b);
  const all = [(sorted[0] ?? 0) - gap];
  for (const [rank, at] of sorted.entries()) {
    const next = sorted[rank + 1];
    all.push(at, next === undefined ? at + gap : (at + next) / 2);
  }
  return all;
}

/** Every statement with this first answer. */
function begin(plan: Plan, order: Order, show: (node: Node) => void): void {
  arrange({ plan, nth: 0, order, rows: [], spare: Infinity, isBorn: () => false }, (items) => {
    const ranks = items.map(({ at }) => at / gap).reverse();
    const world = worldOf(order as 'byId' | 'posted', ranks, plan.size);
    show({ world, labels: labelled(world, items) });
  });
}

/** The labels of the live rows, which are `items`. */
function labelled({ statement: { live } }: World, items: readonly Item[]): Map<number, number> {
  const labels = new Map<number, number>();
  for (const [index, { label }] of items.entries()) {
    const serial = live[index]?.serial;
    if (label !== null && serial !== undefined) labels.set(serial, label);
  }
  return labels;
}

/** Every shortest way from a world to one with the next answer, with at most `most` events in total. */
function goOn(
  plan: Plan,
  nth: number,
  { call, read }: { readonly call: number; readonly read: number },
  { world, labels }: Node,
  most: number,
  show: (node: Node) => void,
): void {
  const spare = most - world.events - (plan.fewest[nth] ?? 0);
  const { live, order } = world.statement;
  const born = new Set(labels.values());
  const rows = live.map(({ serial, at }) => ({ serial, at, label: labels.get(serial) ?? null }));
  const isBorn = (label: number) => born.has(label);
  arrange({ plan, nth, order, rows, spare, isBorn }, (items) => {
    const after = moveTo(world, items, (from, event) => {
      const to = applyEvent(from, event);
      if (to === null) throw new Error(`${event} cannot happen`);
      return { ...to, history: { before: from.history, call, read, event } };
    });
    const all = new Map([...labels, ...labelled(after, items)]);
    // A removed row without a label has no place.
    const entries = after.statement.entries.filter((one) => !one.isGone || all.has(one.serial));
    show({ world: { ...after, statement: { ...after.statement, entries } }, labels: all });
  });
}

/** Rows vanish, ties change places, and then new rows arrive. */
function moveTo(
  start: World,
  items: readonly Item[],
  happen: (from: World, event: string) => World,
): World {
  let world = start;
  const kept = items.flatMap(({ row }) => (row === null ? [] : [row.serial]));
  const indexOf = (serial: number) =>
    world.statement.live.findIndex((entry) => entry.serial === serial);
  for (const { serial } of world.statement.live) {
    if (!kept.includes(serial)) world = happen(world, `-${indexOf(serial)}`);
  }
  for (const [index, serial] of kept.entries()) {
    for (let at = indexOf(serial); at > index; at--) world = happen(world, `~${at - 1}`);
  }
  // New rows are posted from the oldest one on, each before the live row that follows it.
  const all = items.length;
  const standing = items.map(({ row }) => row !== null);
  for (let index = all - 1; index >= 0; index--) {
    if (standing[index] === true) continue;
    const before = standing.slice(0, index).filter(Boolean).length;
    world = happen(world, `+${before}@${items[index]?.at}`);
  }
  return world;
}

interface Question {
  readonly plan: Plan;
  /** The number of the answer. */
  readonly nth: number;
  readonly order: Order;
  /** The live rows. */
  readonly rows: readonly Row[];
  /** The most events. */
  readonly spare: number;
  readonly isBorn: (label: number) => boolean;
}

/** Every state with the answer that these rows can reach. */
function arrange(question: Question, emit: (items: readonly Item[]) => void): void {
  const { plan, nth, order, rows, spare, isBorn } = question;
  const { first, total, labels } = plan.answers[nth] as Answer;
  // Apart from the change of the total, removals and arrivals balance; the remaining events are swaps.
  const shrinks = rows.length - total;
  const isStart = nth === 0;
  const needed = new Set(
    rows
      .map(({ label }) => label)
      .filter((label) => label !== null && (plan.last[label] ?? 0) >= nth),
  );
  const coming = plan.at.flatMap((at, label) =>
    !isBorn(label) && (plan.first[label] ?? 0) > nth ? [{ row: null, label, at }] : [],
  );
  const unnamed = instantsFor(question).map((at) => ({ row: null, label: null, at }));
  const standing = rows.map((row, index) => ({ row, label: row.label, at: row.at, index }));
  const items: Item[] = [];
  const used = new Set<number>();
  const usedLabels = new Set<number>();

  const place = (posted: number, swaps: number, lastOld: number): void => {
    const index = items.length;
    const lastAt = order === 'byId' ? (items.at(-1)?.at ?? Infinity) : Infinity;
    // The number of rows that can no longer follow those already placed.
    let lost = 0;
    let left = total - index;
    for (const one of standing) {
      if (used.has(one.row.serial)) continue;
      const isNeeded = needed.has(one.label);
      const isLost = left === 0 || (order === 'byId' ? one.at > lastAt : one.index < lastOld);
      if (isNeeded && (isLost || --left < 0)) return;
      if (isLost) lost++;
    }
    if (!isStart && 2 * Math.max(posted, lost - shrinks) + shrinks + swaps > spare) return;
    if (index === total) {
      emit(items);
      return;
    }
    const take = (item: Item, old: number): void => {
      if (item.at > lastAt) return;
      if (order === 'posted' && (old < 0 ? lastOld >= 0 : old < lastOld)) return;
      if (old < 0) {
        if (item.label !== null) usedLabels.add(item.label);
        items.push(item);
        place(posted + 1, swaps, lastOld);
        items.pop();
        if (item.label !== null) usedLabels.delete(item.label);
        return;
      }
      let over = 0;
      for (const { row } of items) if (row !== null && rows.indexOf(row) > old) over++;
      const { serial } = item.row as Row;
      used.add(serial);
      items.push(item);
      place(posted, swaps + over, Math.max(old, lastOld));
      items.pop();
      used.delete(serial);
    };
    const shown = labels[index - first];
    if (index >= first && shown !== undefined) {
      const old = standing.find(({ label }) => label === shown);
      if (old !== undefined) take(old, old.index);
      else if (!isBorn(shown)) take({ row: null, label: shown, at: plan.at[shown] ?? 0 }, -1);
      return;
    }
    for (const old of standing) {
      const isElsewhere = old.label !== null && labels.includes(old.label);
      if (!used.has(old.row.serial) && !isElsewhere) take(old, old.index);
    }
    for (const item of coming) if (!usedLabels.has(item.label)) take(item, -1);
    for (const item of unnamed) take(item, -1);
  };
  place(0, 0, -1);
}

/** Each createdAt that makes a difference for a row that is never seen. */
function instantsFor({ plan, nth, order }: Question): readonly number[] {
  if (order !== 'posted') return plan.instants;
  return nth === 0
    ? plan.instants.slice(0, 1)
    : [...new Set(plan.at), ...plan.instants.slice(0, 1)];
}

/** The same for two worlds if no further event distinguishes them. */
function keyOf({ world, labels }: Node, { instants }: Plan): string {
  const { statement, states, mark, due } = world;
  const names = new Map(labels);
  const latest = mark === null ? 0 : Math.max(0, ...mark.entries.map(({ serial }) => serial));
  const codes: number[] = [];
  for (const state of states.at(-1) === statement ? states : [...states, statement]) {
    codes.push(1000 + (state === states.at(-1) ? 1 : 0));
    for (const { serial, at, isGone } of state.entries) {
      let name = names.get(serial);
      if (name === undefined) names.set(serial, (name = 100 + names.size));
      const flags =
        (isGone ? 1 : 0) + (serial > latest ? 2 : 0) + (due === null || due.has(serial) ? 4 : 0);
      codes.push(name, instants.indexOf(at), flags);
    }
    for (const at of state.unordered as ReadonlySet<number>) codes.push(900 + instants.indexOf(at));
    const earlier = mark ?? states[0] ?? state;
    codes.push(800 + ['still', 'arrivals', 'other'].indexOf(changeBetween(earlier, state)));
  }
  return String.fromCharCode(...codes);
}

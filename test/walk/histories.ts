// Searches the histories that give the answers that a client has seen, including histories with more events than the
// exhaustive check walks.
import type { Order } from './statement.ts';
import { applyEvent, gap, keyOf, showPage, worldOf, type World } from './worlds.ts';

/**
 * What a client has seen: the answer to a read, or the slice of a call. `after` returns the world at the next call;
 * null if the slice is wrong in the given world.
 */
export type Seen =
  | { readonly call: number; readonly read: number; readonly page: number; readonly text: string }
  | { readonly after: (world: World) => World | null };

/** A row in the statement. `label` is set even before the client sees the row; null if the client never sees it. */
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
  /** The labels of rows by serial number. */
  readonly labels: ReadonlyMap<number, number>;
  /** The index of the last answer to a read. */
  readonly nth: number;
}

/** The parts of the answer to a read. */
interface Answer {
  readonly first: number;
  readonly total: number;
  readonly labels: readonly number[];
}

/** The index of a row in the statement, according to the answer with the index `nth`. */
interface Sight {
  readonly nth: number;
  readonly index: number;
  readonly total: number;
}

/** The facts that follow from all answers together. */
interface Plan {
  readonly size: number;
  /** The maximum number of events. */
  readonly most: number;
  readonly answers: readonly Answer[];
  /** For each label, its createdAt, and the first and last answer that shows it. */
  readonly at: readonly number[];
  readonly first: readonly number[];
  readonly last: readonly number[];
  /** For each label, the answers that show it. */
  readonly sights: readonly (readonly Sight[])[];
  /** Each createdAt that was seen, an instant between every two adjacent ones, and an instant beyond each end. */
  readonly instants: readonly number[];
  /** For each answer, the minimum number of events after it, according to the totals of the later answers. */
  readonly fewest: readonly number[];
}

/**
 * Calls `stop` with the last worlds of histories that give these answers with at most `most` events, until `stop`
 * returns true. A history is abandoned if an equivalent world was reached before with no more events.
 */
export function searchHistories(
  trail: readonly Seen[],
  size: number,
  most: number,
  stop: (world: World) => boolean,
): void {
  const plan = planOf(trail, size, most);
  for (const order of ['byId', 'posted'] as const) {
    const fewest = trail.map(() => new Map<string, number>());
    const goOnFrom = (step: number, node: Node | null): boolean => {
      const seen = trail[step];
      if (seen === undefined) return node !== null && stop(node.world);
      return nextNodes(plan, order, seen, node).some((next) => {
        const key = keyOf(next.world, next.labels, (at) => plan.instants.indexOf(at));
        const { events } = next.world;
        if ((fewest[step]?.get(key) ?? Infinity) <= events) return false;
        fewest[step]?.set(key, events);
        return goOnFrom(step + 1, next);
      });
    };
    if (goOnFrom(0, null)) return;
  }
}

/**
 * The worlds that give the next answer, or the world after the next slice. Each follows from the world of `node`, or is
 * an initial world if `node` is null. Worlds with the fewest events come first.
 */
function nextNodes(plan: Plan, order: Order, seen: Seen, node: Node | null): Node[] {
  if ('after' in seen) {
    const world = node === null ? null : seen.after(node.world);
    return node === null || world === null ? [] : [{ ...node, world }];
  }
  const nodes: Node[] = [];
  const nth = (node?.nth ?? -1) + 1;
  const show = ({ labels, world: before }: Pick<Node, 'world' | 'labels'>) => {
    const { world, text } = showPage(before, seen.page);
    const next = { world, labels, nth };
    if (text === seen.text && world.events + fewestEvents(plan, next) <= plan.most) {
      nodes.push(next);
    }
  };
  if (node === null) begin(plan, order, show);
  else goOn(plan, seen, node, show);
  return nodes.sort((a, b) => a.world.events - b.world.events);
}

/** A lower bound for the number of events that have to follow to give the later answers. */
function fewestEvents(plan: Plan, { world: { statement }, labels, nth }: Node): number {
  const { live, order } = statement;
  let fewest = plan.fewest[nth] ?? 0;
  const born = new Set(labels.values());
  const unborn = plan.first.filter((first, label) => first > nth && !born.has(label)).length;
  const rise = (plan.answers.at(-1)?.total ?? 0) - live.length;
  fewest = Math.max(fewest, 2 * unborn - rise);
  for (const [index, { serial }] of live.entries()) {
    const label = labels.get(serial);
    const sight = plan.sights[label ?? -1]?.find((one) => one.nth > nth);
    if (sight === undefined) continue;
    const newer = sight.index - index;
    const older = sight.total - live.length - newer;
    // One swap of ties changes both `newer` and `older`. In the order of posting there are no swaps, and each event
    // changes only one of the two.
    const moves =
      order === 'byId'
        ? Math.max(Math.abs(newer), Math.abs(older), Math.abs(newer + older))
        : Math.abs(newer) + Math.abs(older);
    fewest = Math.max(fewest, moves + (plan.fewest[sight.nth] ?? 0));
  }
  return fewest;
}

function planOf(trail: readonly Seen[], size: number, most: number): Plan {
  const answers: Answer[] = [];
  const at: number[] = [];
  const first: number[] = [];
  const last: number[] = [];
  const sights: Sight[][] = [];
  for (const seen of trail) {
    if ('after' in seen) continue;
    const [total, ...words] = seen.text.split(' ');
    const rows = words.map((word) => word.split('@').map(Number) as [number, number]);
    for (const [place, [label, shown]] of rows.entries()) {
      const nth = answers.length;
      at[label] = shown;
      first[label] ??= nth;
      last[label] = nth;
      const index = seen.page * size + place;
      (sights[label] ??= []).push({ nth, index, total: Number(total) });
    }
    const labels = rows.map(([label]) => label);
    answers.push({ first: seen.page * size, total: Number(total), labels });
  }
  const fewest = [0];
  for (let nth = answers.length - 1; nth > 0; nth--) {
    const change = Math.abs((answers[nth]?.total ?? 0) - (answers[nth - 1]?.total ?? 0));
    fewest.unshift((fewest[0] ?? 0) + change);
  }
  return { size, most, answers, at, first, last, sights, instants: instantsOf(at), fewest };
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

type Show = (reached: Pick<Node, 'world' | 'labels'>) => void;

/** Shows every initial statement that gives the first answer. */
function begin(plan: Plan, order: Order, show: Show): void {
  arrange({ plan, nth: 0, order, rows: [], spare: plan.most, isBorn: () => false }, (items) => {
    const ranks = items.map(({ at }) => at / gap).reverse();
    const world = worldOf(order as 'byId' | 'posted', ranks, plan.size);
    show({ world, labels: labelled(world, items) });
  });
}

/** The labels of the live rows by serial number; `items` are these rows. */
function labelled({ statement: { live } }: World, items: readonly Item[]): Map<number, number> {
  const labels = new Map<number, number>();
  for (const [index, { label }] of items.entries()) {
    const serial = live[index]?.serial;
    if (label !== null && serial !== undefined) labels.set(serial, label);
  }
  return labels;
}

/**
 * Shows every world that gives the next answer and follows from the world of the node by the fewest events, if the plan
 * allows that many.
 */
function goOn(
  plan: Plan,
  { call, read }: { readonly call: number; readonly read: number },
  { world, labels, nth: last }: Node,
  show: Show,
): void {
  const nth = last + 1;
  const spare = plan.most - world.events - (plan.fewest[nth] ?? 0);
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
    // Removed rows without a label are dropped, because no cursor can name them.
    const entries = after.statement.entries.filter((one) => !one.isGone || all.has(one.serial));
    show({ world: { ...after, statement: { ...after.statement, entries } }, labels: all });
  });
}

/** Changes the live rows to `items`: first removes rows, then swaps ties, then adds new rows. */
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
  // New rows are posted from the oldest to the newest, each before the live row that follows it.
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
  /** The index of the answer in the plan. */
  readonly nth: number;
  readonly order: Order;
  /** The live rows. */
  readonly rows: readonly Row[];
  /** The maximum number of events before this answer. */
  readonly spare: number;
  readonly isBorn: (label: number) => boolean;
}

/** Emits every state that gives the answer and that can follow from the live rows. */
function arrange(question: Question, emit: (items: readonly Item[]) => void): void {
  const { plan, nth, order, rows, spare, isBorn } = question;
  const { first, total, labels } = plan.answers[nth] as Answer;
  // The number by which removals exceed arrivals. All events beyond these are pairs of a removal and an arrival, or
  // swaps.
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

  // Rows that are first seen in later answers still have to arrive. For each of these arrivals there is also a removal,
  // unless the total rises.
  const rise = (plan.answers.at(-1)?.total ?? 0) - total;
  const mostUnborn = Math.floor((spare + rise) / 2);

  const place = (posted: number, swaps: number, lastOld: number): void => {
    const index = items.length;
    if (isStart && coming.length - usedLabels.size - (total - index) > mostUnborn) return;
    const lastAt = order === 'byId' ? (items.at(-1)?.at ?? Infinity) : Infinity;
    // The number of live rows that have not been placed and can no longer be placed, so they have to be removed.
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

/** The values of createdAt that have to be tried for rows that are never seen. */
function instantsFor({ plan, nth, order }: Question): readonly number[] {
  if (order !== 'posted') return plan.instants;
  return nth === 0
    ? plan.instants.slice(0, 1)
    : [...new Set(plan.at), ...plan.instants.slice(0, 1)];
}

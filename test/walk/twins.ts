// Determines whether one answer can be right in several worlds that a client cannot distinguish.
import { comingIn, judge, type SliceAnswer, type Walk } from './judge.ts';
import type { World } from './worlds.ts';

/** A slice whose row names are valid in all worlds with the same statement. */
interface NamedSlice extends SliceAnswer {
  /**
   * For each row that the client has seen, its label; for any other row, `-1 - index`, with its index in the current
   * statement.
   */
  readonly serials: readonly number[];
}

/**
 * Looks for an answer that is right in all of these worlds, which have the same current statement. Returns nulls if
 * there is one. Otherwise returns the first world and the world that rules out the last possible answer.
 */
export function couldAnswer(
  worlds: readonly World[],
  walkIn: (world: World) => Walk,
): [World, World] | [null, null] {
  const [first, ...others] = worlds.toSorted((a, b) => a.events - b.events);
  if (first === undefined) return [null, null];
  let left = answersIn(first, walkIn(first));
  let last = first;
  for (const other of others) {
    left = left.filter((answer) => isRight(answer, other, walkIn(other)));
    last = other;
    if (left.length === 0) return [first, last];
  }
  return left.length === 0 ? [first, last] : [null, null];
}

/**
 * Whether no answer is right in both worlds. An answer may contain unseen rows only if the current statements are equal
 * (`areSame`).
 */
export function differ(
  one: World,
  other: World,
  walkIn: (world: World) => Walk,
  areSame: boolean,
): boolean {
  const isShared = (from: World, to: World) =>
    answersIn(from, walkIn(from)).some(
      (answer) =>
        (areSame || answer.serials.every((name) => name >= 0)) && isRight(answer, to, walkIn(to)),
    );
  return !isShared(one, other) && !isShared(other, one);
}

/**
 * The answers that are right in a world, for each state that the call has read. If ties may have any order, they are in
 * only one order here.
 */
function answersIn(world: World, walk: Walk): NamedSlice[] {
  return world.states.flatMap((state) => {
    const { coming, hasOthers } = comingIn(walk, state);
    const mays = coming.filter(({ isDue }) => !isDue);
    return subsets(mays).flatMap((left) => {
      const rows = coming.filter((one) => !left.has(one));
      const taken = rows.slice(0, walk.count).map(({ entry }) => nameIn(world, entry.serial));
      if (taken.includes(null)) return [];
      const isBehind = hasOthers || left.size > 0;
      const [more, total] = [rows.length > walk.count, state.live.length];
      const serials = taken as number[];
      const isForward = walk.direction === 1;
      return [
        {
          serials: isForward ? serials : serials.reverse(),
          hasNext: isForward ? more : isBehind,
          hasPrevious: isForward ? isBehind : more,
          total,
        },
      ];
    });
  });
}

function subsets<T>(values: readonly T[]): Set<T>[] {
  return values.reduce<Set<T>[]>(
    (all, value) => [...all, ...all.map((one) => new Set([...one, value]))],
    [new Set()],
  );
}

function nameIn({ seen, statement: { live } }: World, serial: number): number | null {
  const label = seen.indexOf(serial);
  if (label >= 0) return label;
  const index = live.findIndex((entry) => entry.serial === serial);
  return index < 0 ? null : -1 - index;
}

function isRight(answer: NamedSlice, world: World, walk: Walk): boolean {
  const serials = answer.serials.map((name) =>
    name >= 0 ? (world.seen[name] ?? -1) : (world.statement.live[-1 - name]?.serial ?? -1),
  );
  return typeof judge(walk, world.states, { ...answer, serials }) !== 'string';
}

// Walks every history of a small statement along the answers that the client sees. Worlds with the same answers so far
// are kept together. The planner cannot distinguish them, so a wrong answer in one world may be excused by another
// world.
import type { PageSource } from '../../src/statement/pages.ts';
import { PageNumbering } from '../../src/statement/page-numbering.ts';
import { CallBudget, type UpstreamCall } from '../../src/upstream/client.ts';
import { changeBetween, mostCalls } from './bounds.ts';
import { dueIn, judge, type SliceAnswer, type Walk } from './judge.ts';
import {
  answerOf,
  codeOf,
  type StatementsClass,
  type GivenSlice,
  type Refusal,
} from './service.ts';
import type { Statement } from './statement.ts';
import { searchHistories, type Seen } from './histories.ts';
import { couldAnswer, differ } from './twins.ts';
import { eventsIn, merge, pageOfText, showPage, type World } from './worlds.ts';

/** One part of the scope. */
export interface Task {
  readonly rows: number;
  readonly size: number;
  readonly direction: 1 | -1;
  readonly count: number;
  readonly events: number;
  /** The maximum number of events of a twin; 0 if it must be one of the histories that are walked. */
  readonly deeper: number;
}

/**
 * `forward`: to the oldest row. `backward`: to the newest row. `news`: one slice, then all newer rows. `turn`: one or
 * two slices, then back to the newest row with another slice size.
 */
export type Route = 'forward' | 'backward' | 'news' | 'turn';

/** A finding of the search. */
export interface Finding {
  /**
   * All histories here have the same reads and answers.
   * `defect`: a slice that is right in no history; CURSOR_EXPIRED, unless it is a `twin`; or any other error.
   * `needless`: the slice is right in another history, but there is a different slice that is right in both histories.
   * `twin`: the slice is right in another history, and no slice is right in both; or CURSOR_EXPIRED, and no slice is
   * right in all histories with one and the same current statement.
   * `calls`: more calls than the bound. `calls while it moves`: the same, but the statement changed during the call.
   */
  readonly kind: 'defect' | 'needless' | 'calls' | 'calls while it moves' | 'twin';
  readonly what: string;
  readonly task: Task;
  readonly route: Route;
  readonly world: World;
  /** The number of histories with this finding. */
  readonly histories: number;
  readonly twin: World | null;
}

/** The counts of a search. */
export interface Counts {
  histories: number;
  wrong: number;
  expired: number;
  /** The numbers of distinct worlds, and of distinct runs of the planner. */
  worlds: number;
  steps: number;
}

/** The position of a client. */
interface Phase {
  /** `news` and `turn` begin as `forward`. */
  readonly route: Route;
  readonly direction: 1 | -1;
  readonly count: number;
  readonly cursor: { readonly text: string; readonly label: number } | null;
  /** Labels of the rows that the walk has returned. */
  readonly given: readonly number[];
  readonly isFirst: boolean;
  /** Number of slices so far. */
  readonly calls: number;
  readonly trail: Trail | null;
}

/** A read and its answer. */
interface Read {
  readonly page: number;
  readonly text: string;
}

/** All that a client has seen, newest first: reads, and slices with the next call. */
interface Trail {
  readonly before: Trail | null;
  readonly phase: Phase;
  readonly seen: Read | { readonly slice: GivenSlice; readonly next: Phase };
}

/** A world in which an answer is right, and the latest state for which it is right. */
interface Right {
  readonly world: World;
  readonly state: Statement;
}

interface Wrong {
  readonly world: World;
  readonly fault: string;
}

type Step = { readonly pages: readonly number[] } | GivenSlice | Refusal;

/** More reads than any bound allows for so small a statement. */
const maxReads = 14;

export class Search {
  readonly #Statements: StatementsClass;
  readonly #task: Task;
  readonly #report: (finding: Finding) => void;
  readonly #steps = new Map<string, Step>();
  readonly counts: Counts = { histories: 0, wrong: 0, expired: 0, worlds: 0, steps: 0 };

  constructor(Statements: StatementsClass, task: Task, report: (finding: Finding) => void) {
    [this.#Statements, this.#task, this.#report] = [Statements, task, report];
  }

  /** Walks all histories that begin in these worlds. */
  async run(worlds: readonly World[]): Promise<Counts> {
    const { direction, count } = this.#task;
    const phase = { direction, count, cursor: null, given: [], isFirst: true, calls: 0 } as const;
    const route = direction === 1 ? 'forward' : 'backward';
    await this.#goOn({ ...phase, route, trail: null }, [], [...worlds]);
    return this.counts;
  }

  async #goOn(phase: Phase, reads: readonly Read[], worlds: World[]): Promise<void> {
    const step = await this.#step(phase, reads);
    if ('pages' in step) {
      if (reads.length + step.pages.length > maxReads) this.#endless(phase, worlds);
      else await this.#read(phase, reads, step.pages, worlds);
    } else if ('error' in step) this.#refused(phase, reads, step, worlds);
    else await this.#answered(phase, reads, step, worlds);
  }

  /**
   * Reads the first of the pages in every world, with every possible series of events before the read; then the other
   * pages.
   */
  async #read(
    phase: Phase,
    reads: readonly Read[],
    pages: readonly number[],
    worlds: World[],
  ): Promise<void> {
    const [page, ...others] = pages;
    if (page === undefined) {
      await this.#goOn(phase, reads, worlds);
      return;
    }
    const shown = showAll(phase.calls, reads.length, page, worlds, this.#task.events);
    worlds.length = 0;
    for (const [text, after] of shown) {
      shown.delete(text);
      this.counts.worlds += after.size;
      await this.#read(phase, [...reads, { page, text }], others, [...after.values()]);
    }
  }

  async #answered(
    phase: Phase,
    reads: readonly Read[],
    slice: GivenSlice,
    worlds: readonly World[],
  ): Promise<void> {
    const right: Right[] = [];
    const wrong: Wrong[] = [];
    for (const world of worlds) {
      const verdict = judge(walkIn(phase, world), world.states, serialsIn(slice, world));
      if (typeof verdict === 'string') wrong.push({ world, fault: verdict });
      else right.push({ world, state: verdict });
    }
    for (const { world, state } of right) {
      const over = reads.length - this.#mostCalls(phase, world, state, slice);
      if (over <= 0) continue;
      const kind = world.states.length > 1 ? 'calls while it moves' : 'calls';
      this.#found(phase, kind, `${over} beyond the bound`, world, null);
    }
    this.#excuse(phase, reads, slice, wrong, right);
    if (right.length > 0) await this.#next(phase, reads, slice, right);
  }

  /**
   * Looks for a twin that excuses a wrong answer: a history in which the answer is right after the same reads, while no
   * answer is right in both.
   */
  #excuse(
    phase: Phase,
    reads: readonly Read[],
    slice: GivenSlice,
    wrong: readonly Wrong[],
    right: readonly Right[],
  ): void {
    let left = wrong;
    let lenient = null as World | null;
    const isExcusedBy = (twin: World): boolean => {
      lenient ??= twin;
      left = left.filter(({ world, fault }) => {
        const isSame = nowOf(twin) === nowOf(world);
        if (!differ(world, twin, (one) => walkIn(phase, one), isSame)) return true;
        this.#found(phase, 'twin', fault, world, twin);
        return false;
      });
      return left.length === 0;
    };
    for (const { world } of wrong) {
      this.counts.wrong += this.#weightOf(world);
      this.counts.histories += this.#weightOf(world);
    }
    if (left.length === 0) return;
    if (
      right
        .map(({ world }) => world)
        .sort(byEvents)
        .some(isExcusedBy)
    )
      return;
    const isTwin = (world: World): boolean => {
      const verdict = judge(walkIn(phase, world), world.states, serialsIn(slice, world));
      return typeof verdict !== 'string' && isExcusedBy(world);
    };
    for (let most = 1; most <= this.#task.deeper && left.length > 0; most++) {
      this.#searchHistories(phase, reads, most, isTwin);
    }
    const kind = lenient === null ? 'defect' : 'needless';
    for (const { world, fault } of left) {
      this.#found(phase, kind, fault, world, lenient);
    }
  }

  /**
   * CURSOR_EXPIRED is excused only if no slice is right in all worlds with one and the same current statement; any
   * other error is a defect.
   */
  #refused(
    phase: Phase,
    reads: readonly Read[],
    { error }: Refusal,
    worlds: readonly World[],
  ): void {
    for (const world of worlds) {
      this.counts.expired += this.#weightOf(world);
      this.counts.histories += this.#weightOf(world);
    }
    const [first] = worlds.toSorted(byEvents);
    if (first === undefined) return;
    let [one, twin]: [World | null, World | null] = [null, null];
    if (error === 'CURSOR_EXPIRED') {
      [one, twin] = findDisagreement(phase, worlds);
      for (let most = 2; most <= this.#task.deeper && one === null; most++) {
        const all: World[] = [];
        this.#searchHistories(phase, reads, most, (world) => all.push(world) === 0);
        [one, twin] = findDisagreement(phase, all);
      }
    }
    this.#found(phase, one === null ? 'defect' : 'twin', error, one ?? first, twin);
  }

  /** Calls `stop` with worlds that give the same answers with at most `most` events, until `stop` returns true. */
  #searchHistories(
    phase: Phase,
    reads: readonly Read[],
    most: number,
    stop: (world: World) => boolean,
  ): void {
    const trail: Trail[] = [];
    for (let one = phase.trail; one !== null; one = one.before) trail.unshift(one);
    for (const seen of reads) trail.push({ before: null, phase, seen });
    let read = 0;
    const all = trail.map(({ phase: at, seen }): Seen => {
      if ('page' in seen) return { ...seen, call: at.calls, read: read++ };
      read = 0;
      return {
        after(world) {
          const state = judge(walkIn(at, world), world.states, serialsIn(seen.slice, world));
          return typeof state === 'string' ? null : afterSlice(at, seen.next, world, state);
        },
      };
    });
    searchHistories(all, this.#task.size, most, stop);
  }

  #endless(phase: Phase, worlds: readonly World[]): void {
    const [first] = worlds.toSorted(byEvents);
    for (const world of worlds) this.counts.histories += this.#weightOf(world);
    if (first !== undefined) this.#found(phase, 'calls', 'endless', first, null);
  }

  #found(
    { route }: Phase,
    kind: Finding['kind'],
    what: string,
    world: World,
    twin: World | null,
  ): void {
    const histories = this.#weightOf(world);
    this.#report({ kind, what, task: this.#task, route, world, histories, twin });
  }

  /** Number of histories within the scope that lead to a world. */
  #weightOf({ weights }: World): number {
    const inScope = weights.slice(0, this.#task.events + 1);
    return inScope.reduce((sum, weight) => sum + weight, 0);
  }

  #mostCalls(phase: Phase, world: World, state: Statement, slice: SliceAnswer): number {
    const earlier = world.mark ?? world.states[0] ?? state;
    const answer = serialsIn(slice, world);
    const walk = walkIn(phase, world);
    const now = world.states.at(-1) ?? state;
    const change = changeBetween(earlier, now);
    return Math.max(...world.states.map((one) => mostCalls(walk, one, answer, change)));
  }

  /** Makes the next call on each route. */
  async #next(
    phase: Phase,
    reads: readonly Read[],
    slice: GivenSlice,
    right: readonly Right[],
  ): Promise<void> {
    let { trail } = phase;
    for (const seen of reads) trail = { before: trail, phase, seen };
    for (const on of this.#routesOn(phase, slice)) {
      if (on === null) {
        for (const { world } of right) this.counts.histories += this.#weightOf(world);
        continue;
      }
      const next = { ...on, trail: { before: trail, phase, seen: { slice, next: on } } };
      const after = right.map(({ world, state }) => afterSlice(phase, next, world, state));
      await this.#goOn(next, [], [...merge(after).values()]);
    }
  }

  /** The next phase on each route that begins like this one; null for a route that has ended. */
  #routesOn(phase: Phase, slice: GivenSlice): (Phase | null)[] {
    const { count } = this.#task;
    const { direction, route } = phase;
    const calls = phase.calls + 1;
    const start = markOf(slice.startCursor, slice.serials[0]);
    const end = markOf(slice.endCursor, slice.serials.at(-1));
    const given = [...phase.given, ...slice.serials.map((serial) => serial - 1)];
    const on = { ...phase, calls, given, isFirst: false };
    const more = direction === 1 ? slice.hasNext : slice.hasPrevious;
    const cursor = (direction === 1 ? end : start) ?? phase.cursor;
    const routes: (Phase | null)[] = [more && calls < 12 ? { ...on, cursor } : null];
    if (route !== 'forward' || start === null) return routes;
    const back = { ...on, direction: -1, given: [], isFirst: true, cursor: start } as const;
    const turned = (count % 4) + 1;
    if (calls === 1) routes.push({ ...back, route: 'news', count: 4 });
    // After one slice, a turn with slices of 4 would be the same route as `news`, which also has slices of 4.
    if (calls === 2 || (calls === 1 && !slice.hasNext && turned !== 4)) {
      routes.push({ ...back, route: 'turn', count: turned });
    }
    return routes;
  }

  /** The next step of the planner, cached by the arguments of the call and the answers to its reads. */
  async #step(phase: Phase, reads: readonly Read[]): Promise<Step> {
    const { direction, count, cursor } = phase;
    const text = cursor?.text ?? null;
    const key = `${direction}|${count}|${text ?? ''}|${reads.map((read) => `${read.page}:${read.text}`).join('|')}`;
    const known = this.#steps.get(key);
    if (known !== undefined) return known;
    this.counts.steps++;
    const step = await ask(
      this.#Statements,
      direction === 1 ? { first: count, after: text } : { last: count, before: text },
      reads.map(({ text: answer, page }) => pageOfText(answer, page, this.#task.size)),
    );
    if (this.#steps.size > 200_000) this.#steps.clear();
    this.#steps.set(key, step);
    return step;
  }
}

/**
 * Reads a page in every world, with every possible series of events before the read. Groups the resulting worlds by
 * their answer.
 */
function showAll(
  call: number,
  read: number,
  page: number,
  worlds: readonly World[],
  most: number,
): Map<string, Map<string, World>> {
  const shown = new Map<string, Map<string, World>>();
  const show = (one: World) => {
    const { text, world } = showPage(one, page);
    let group = shown.get(text);
    if (group === undefined) shown.set(text, (group = new Map<string, World>()));
    merge([world], group);
  };
  // Events before the very first read would only change the initial statement.
  const isStart = call === 0 && read === 0;
  for (let present: Iterable<World> = worlds; ;) {
    const next = new Map<string, World>();
    for (const world of present) {
      show(world);
      if (isStart || world.events >= most) continue;
      for (const after of eventsIn(world, call, read)) {
        if (after.events >= most) show(after);
        else merge([after], next);
      }
    }
    if (next.size === 0) return shown;
    present = next.values();
  }
}

const accountId = '5f6c1a52-7f57-4d39-9f2c-6a1f9d0c7e11';

/**
 * Runs a planner with answers to its first reads. Returns the pages that it reads next, or the slice or error with
 * which it ends.
 */
async function ask(
  Statements: StatementsClass,
  args: Parameters<InstanceType<StatementsClass>['slice']>[1],
  answers: readonly Awaited<ReturnType<PageSource['upstream']['read']>>[],
): Promise<Step> {
  const pages: number[] = [];
  const { promise: asked, resolve } = Promise.withResolvers<'asked'>();
  const call = { budget: new CallBudget(50) } as UpstreamCall;
  let nth = 0;
  const upstream: PageSource['upstream'] = {
    read(_call, _route, parameters) {
      const page = Number(parameters.page);
      const answer = answers[nth++];
      if (answer !== undefined) return Promise.resolve(answer);
      pages.push(page);
      resolve('asked');
      return new Promise(() => undefined);
    },
  };
  const source = { upstream, call, numbering: new PageNumbering(0) };
  try {
    const slice = await Promise.race([new Statements(source).slice(accountId, args, false), asked]);
    return slice === 'asked' ? { pages } : answerOf(slice);
  } catch (error) {
    return { error: codeOf(error) };
  }
}

/** The walk as the judge of one world sees it. */
function walkIn({ direction, count, cursor, given }: Phase, { seen, due, mark }: World): Walk {
  const serial = (label: number) => seen[label] ?? -1;
  return {
    ...{ direction, count, due, mark },
    cursor: cursor === null ? null : serial(cursor.label),
    given: new Set(given.map(serial)),
  };
}

/** Translates an answer into the serial numbers of a world; the planner gets only labels, increased by one. */
function serialsIn(slice: SliceAnswer, { seen }: World): SliceAnswer {
  return { ...slice, serials: slice.serials.map((label) => seen[label - 1] ?? -1) };
}

/**
 * Looks for worlds that have the same current statement, but no right answer in common. Returns the two worlds that
 * `couldAnswer` finds, or two nulls.
 */
function findDisagreement(phase: Phase, worlds: readonly World[]): ReturnType<typeof couldAnswer> {
  for (const group of Map.groupBy(worlds, nowOf).values()) {
    const pair = couldAnswer(group, (world) => walkIn(phase, world));
    if (pair[0] !== null) return pair;
  }
  return [null, null];
}

function byEvents(one: World, other: World): number {
  return one.events - other.events;
}

/** A world at the start of the client's next request, after a slice of `state`. */
function afterSlice(phase: Phase, next: Phase, world: World, state: Statement): World {
  const due = next.isFirst ? null : (world.due ?? dueIn(walkIn(phase, world), state));
  return prune({ ...world, states: [], due, mark: state }, next);
}

function markOf(text: string | null, serial: number | undefined): Phase['cursor'] {
  return text === null || serial === undefined ? null : { text, label: serial - 1 };
}

/** Omits removed rows, except for the row of the next cursor. */
function prune(world: World, { cursor }: Phase): World {
  const { statement, seen } = world;
  const kept = cursor === null ? null : seen[cursor.label];
  const isKept = ({ isGone, serial }: Statement['entries'][number]) => !isGone || serial === kept;
  if (statement.entries.every(isKept)) return world;
  return { ...world, statement: { ...statement, entries: statement.entries.filter(isKept) } };
}

/** The parts of a world that later reads can show, as text. */
function nowOf({ statement: { live, size }, seen, instants }: World): string {
  const rows = live.map(({ serial, at }) => {
    const label = seen.indexOf(serial);
    const rank = instants.findLastIndex((one) => one.at <= at);
    return `${label}@${rank}${instants[rank]?.at === at ? '=' : '+'}`;
  });
  return `${size} ${rows.join(' ')}`;
}

// Runs and judges one random walk over a service whose statement changes during the walk.
import { changeBetween, mostCalls, mostSearched, type Change } from './bounds.ts';
import { dueIn, judge, type SliceAnswer, type Walk } from './judge.ts';
import type { Random } from './random.ts';
import type { GivenSlice, Refusal, Service } from './service.ts';
import { type Plan, Site, type Trace } from './site.ts';
import type { Statement } from './statement.ts';

/** The result of a walk. */
export interface Outcome {
  readonly slices: number;
  /**
   * A `Fault`, `endless` or the code of an error other than CURSOR_EXPIRED; null if there was none. The first wrong
   * slice ends a walk.
   */
  readonly fault: string | null;
  /**
   * The first fault of a slice of news: `last, before` with the startCursor of the first slice. Null if there was no
   * fault.
   */
  readonly news: string | null;
  /**
   * Whether a call ended with CURSOR_EXPIRED where that is not allowed, for example although the cursor's row is left.
   */
  readonly expired: boolean;
  /** Whether a call ended with CURSOR_EXPIRED where that is allowed. */
  readonly ended: boolean;
  /**
   * The largest number of calls of a slice beyond its bound, separately for slices during which the statement did not
   * change and for those during which it changed.
   */
  readonly callsOver: number;
  readonly callsOverMoving: number;
}

/** A walk with more slices counts as an endless loop. */
const maxSlices = 2000;

/** A cursor, with the data that the judge needs. */
interface Mark {
  readonly text: string;
  readonly serial: number;
  /** The state of the slice that gave the cursor. */
  readonly state: Statement;
}

export async function runWalk(
  service: Service,
  plan: Plan,
  random: Random,
  trace: Trace = () => undefined,
): Promise<Outcome> {
  const run = new Run(service, plan, random, trace);
  await run.go();
  return run.outcome;
}

class Run {
  readonly #service: Service;
  readonly #plan: Plan;
  readonly #random: Random;
  readonly #trace: Trace;
  readonly #site: Site;
  outcome = {
    ...{ slices: 0, fault: null, news: null, expired: false, ended: false },
    ...{ callsOver: 0, callsOverMoving: 0 },
  } as { -readonly [K in keyof Outcome]: Outcome[K] };

  constructor(service: Service, plan: Plan, random: Random, trace: Trace) {
    [this.#service, this.#plan, this.#random, this.#trace] = [service, plan, random, trace];
    this.#site = new Site(service, plan, random, trace);
  }

  async go(): Promise<void> {
    const { route } = this.#plan;
    if (route === 'forward' || route === 'backward') {
      await this.#walk(route === 'forward' ? 1 : -1, null, Infinity);
      return;
    }
    const most = route === 'turn' ? this.#random.integer(1, 4) : Infinity;
    const marks = await this.#walk(1, null, most);
    const last = marks?.at(-1);
    if (last !== undefined) await this.#walk(-1, last.start, Infinity);
  }

  /**
   * Begins a walk, or continues one from a mark; returns the marks of the slices that have rows, or null if a slice is
   * wrong or the walk cannot continue.
   */
  async #walk(
    direction: 1 | -1,
    from: Mark | null,
    most: number,
  ): Promise<{ start: Mark; end: Mark }[] | null> {
    const marks: { start: Mark; end: Mark }[] = [];
    const given = new Set<number>();
    let due: ReadonlySet<number> | null = null;
    let mark = from;
    for (let nth = 0; nth < most; nth++) {
      if (++this.outcome.slices > maxSlices) {
        this.outcome.fault = 'endless';
        return null;
      }
      const walk: Walk = {
        direction,
        cursor: mark?.serial ?? null,
        count: this.#plan.count(),
        given,
        due,
        mark: mark?.state ?? null,
      };
      const slice = await this.#slice(walk, mark, 'fault');
      if (slice === null) return null;
      const [answer, state] = slice;
      due ??= dueIn(walk, state);
      for (const serial of answer.serials) given.add(serial);
      const both = marksOf(answer, state);
      if (both !== null) marks.push(both);
      mark = (direction === 1 ? both?.end : both?.start) ?? mark;
      if (!(direction === 1 ? answer.hasNext : answer.hasPrevious)) break;
      this.#site.pass(mark?.serial ?? null);
      if (direction === 1 && marks[0] !== undefined && this.#random.happens(0.25)) {
        await this.#news(marks[0].start);
      }
    }
    if (direction === 1 && marks[0] !== undefined) await this.#news(marks[0].start);
    return marks;
  }

  /** Requests all rows that are newer than the first slice. */
  async #news(first: Mark): Promise<void> {
    const given = new Set<number>();
    let due: ReadonlySet<number> | null = null;
    for (let mark = first; this.outcome.news === null;) {
      const walk: Walk = {
        direction: -1,
        cursor: mark.serial,
        count: this.#random.pick([20, 100]),
        given,
        due,
        mark: mark.state,
      };
      const slice = await this.#slice(walk, mark, 'news');
      if (slice === null) return;
      const [answer, state] = slice;
      due ??= dueIn(walk, state);
      for (const serial of answer.serials) given.add(serial);
      const start = marksOf(answer, state)?.start;
      if (!answer.hasPrevious || start === undefined) return;
      mark = start;
    }
  }

  /** Requests and judges a slice; null if the walk cannot continue. */
  async #slice(
    walk: Walk,
    mark: Mark | null,
    part: 'fault' | 'news',
  ): Promise<[GivenSlice, Statement] | null> {
    const { direction, count } = walk;
    const cursor = mark?.text ?? null;
    const args =
      direction === 1 ? { first: count, after: cursor } : { last: count, before: cursor };
    const ask = async () => {
      const answer = await this.#service.slice(args);
      this.#trace(this.#describeCall(walk, answer));
      return answer;
    };
    let answer = await ask();
    if ('error' in answer && answer.error === 'STATEMENT_UNSETTLED') answer = await ask();
    const { states } = this.#service;
    const last = states.at(-1) ?? this.#service.statement;
    const since = changeBetween(mark?.state ?? states[0] ?? last, last);
    if ('error' in answer) {
      this.#refused(answer.error, mark, part, since);
      return null;
    }
    const verdict = judge(walk, states, answer);
    if (typeof verdict === 'string') {
      this.outcome[part] = verdict;
      this.#trace(`  WRONG: ${verdict}`);
      return null;
    }
    this.#count(Math.max(...states.map((state) => mostCalls(walk, state, answer, since))));
    return [answer, verdict];
  }

  #refused(code: string, mark: Mark | null, part: 'fault' | 'news', since: Change): void {
    if (code !== 'CURSOR_EXPIRED') this.outcome[part] = code;
    else if (isLost(mark, this.#service.statement)) {
      this.outcome.ended = true;
    } else this.outcome.expired = true;
    const pages = Math.ceil(
      (mark === null ? 0 : this.#plan.count()) / this.#service.statement.size,
    );
    if (since !== 'still') this.#count(pages + mostSearched(this.#service.statement));
  }

  #count(most: number): void {
    const over = this.#service.pages.length - most;
    if (over > 0) this.#trace(`  ${over} calls beyond the bound of ${most}`);
    const kind = this.#service.states.length > 1 ? 'callsOverMoving' : 'callsOver';
    this.outcome[kind] = Math.max(this.outcome[kind], over);
  }

  #describeCall({ direction, cursor, count }: Walk, answer: GivenSlice | Refusal): string {
    const asked = direction === 1 ? `first ${count} after` : `last ${count} before`;
    const got = 'error' in answer ? answer.error : describeSlice(answer);
    return `${asked} ${cursor ?? '-'}: pages ${this.#service.pages.join(' ')}: ${got}`;
  }
}

function describeSlice({ serials, total, hasNext, hasPrevious }: SliceAnswer): string {
  return `${serials.join(' ')} of ${total}${hasPrevious ? ', previous' : ''}${hasNext ? ', next' : ''}`;
}

function marksOf(answer: GivenSlice, state: Statement): { start: Mark; end: Mark } | null {
  const { startCursor, endCursor } = answer;
  const [first, last] = [answer.serials[0], answer.serials.at(-1)];
  if (startCursor === null || endCursor === null) return null;
  if (first === undefined || last === undefined) return null;
  return {
    start: { text: startCursor, serial: first, state },
    end: { text: endCursor, serial: last, state },
  };
}

/** Whether the cursor's row and both of its neighbours are gone; false if the row had only one neighbour. */
function isLost(mark: Mark | null, { entries }: Statement): boolean {
  if (mark === null) return false;
  const { live } = mark.state;
  const index = live.findIndex(({ serial }) => serial === mark.serial);
  const gone = new Set(entries.filter(({ isGone }) => isGone).map(({ serial }) => serial));
  return [-1, 0, 1].every((away) => {
    const beside = live[index + away];
    return beside !== undefined && gone.has(beside.serial);
  });
}

// The site of a walk: the statement of its service, and the events that change it.
import type { Random } from './random.ts';
import type { Manner, Service } from './service.ts';
import { alter, lift, post, remove, resize, type Statement, swap } from './statement.ts';

/** The plan of a walk. */
export interface Plan {
  readonly statement: Statement;
  /** `thereAndBack` walks to an end and back; `turn` changes direction after some slices. */
  readonly route: 'forward' | 'backward' | 'thereAndBack' | 'turn';
  /** The size of the next slice. */
  readonly count: () => number;
  /** Changes between two calls, and before a read. */
  readonly between?: ((site: Site) => void) | undefined;
  readonly during?: ((site: Site) => void) | undefined;
  readonly manner?: Manner;
  /** Whether nothing happens, and a page that is read again has the same answer. */
  readonly isSteady?: boolean;
}

/** Called at each step of a replayed walk. */
export type Trace = (line: string) => void;

/**
 * Events between calls stop after this many moments, and events during calls after four times as many, so that a walk
 * to newer rows can reach the head.
 */
const maxMoments = 30;

export class Site {
  readonly random: Random;
  /** The serial number of the cursor's row; null without a cursor. */
  own: number | null = null;
  /** The latest createdAt so far. */
  latest: number;
  /** Serial numbers of the rows that have moved to the head. */
  readonly lifted = new Set<number>();
  readonly #service: Service;
  readonly #plan: Plan;
  readonly #trace: Trace;
  #serials: number;
  #moments = 0;

  /** Puts the plan's statement into the service, whose reads then cause the plan's events. */
  constructor(service: Service, plan: Plan, random: Random, trace: Trace) {
    [this.#service, this.#plan, this.random, this.#trace] = [service, plan, random, trace];
    const { entries } = plan.statement;
    this.#serials = entries.length;
    this.latest = Math.max(...entries.map(({ at }) => at), 0);
    service.statement = plan.statement;
    service.past = [plan.statement];
    service.manner = plan.manner ?? {};
    service.onRead = () => this.#happen(plan.during, 4 * maxMoments);
    trace(describe(plan.statement));
  }

  get statement(): Statement {
    return this.#service.statement;
  }

  /** Causes the events between two calls; `own` is the row of the next cursor. */
  pass(own: number | null): void {
    this.own = own;
    this.#happen(this.#plan.between, maxMoments);
  }

  /** Posts a row, by default with a new latest createdAt. */
  post(at = this.latest + this.random.integer(1, 60_000)): void {
    this.latest = Math.max(this.latest, at);
    const serial = ++this.#serials;
    this.#change(`posted: ${serial}@${at}`, post(this.statement, serial, at));
  }

  remove(serial: number | undefined): void {
    if (serial !== undefined) this.#change(`removed: ${serial}`, remove(this.statement, serial));
  }

  /** Swaps the live row at an index with the next one if they are ties. */
  swap(index: number): void {
    this.#change(`swapped: ${index} and ${index + 1}`, swap(this.statement, index));
  }

  resize(size: number): void {
    this.#change(`itemsPerPage: ${size}`, resize(this.statement, size));
  }

  /** Changes the createdAt or the id of a row, which keeps its place. */
  alter(serial: number, changes: Parameters<typeof alter>[2]): void {
    const what = `altered: ${serial} ${JSON.stringify(changes)}`;
    this.#change(what, alter(this.statement, serial, changes));
  }

  /** Moves a row to the head. */
  lift(serial: number): void {
    this.lifted.add(serial);
    this.#change(`to the head: ${serial}`, lift(this.statement, serial));
  }

  #happen(event: ((site: Site) => void) | undefined, most: number): void {
    if (event === undefined || this.#moments >= most) return;
    this.#moments++;
    event(this);
  }

  #change(what: string, statement: Statement): void {
    if (statement === this.statement) return;
    this.#trace(`    ${what}`);
    this.#service.statement = statement;
    this.#service.past.push(statement);
  }
}

function describe({ live, size, order }: Statement): string {
  const rows = live.map(({ serial, at }) => `${serial}@${at}`);
  return `${order}, pages of ${size}: ${rows.join(' ')}`;
}

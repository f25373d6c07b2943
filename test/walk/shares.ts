// Counts which share of the rows a walk delivers over a service of any manner, and which share a client gets that only
// reads the pages.
import type { Category } from './categories.ts';
import { createRandom, type Random } from './random.ts';
import {
  answer,
  createVirtualService,
  type GivenSlice,
  keyOf,
  type Read,
  type Refusal,
  type Service,
  type StatementsClass,
} from './service.ts';
import { type Plan, Site, type Trace } from './site.ts';
import type { Entry, Sent, Statement } from './statement.ts';

/** The result of one walk, or of reading the pages once. */
export interface Share {
  /** The number of rows that existed from the first read to the end, and how many of them were delivered. */
  readonly due: number;
  readonly given: number;
  /** The number of rows that were delivered again. */
  readonly twice: number;
  /** For a steady plan: the number of rows that the pages show, but the walk did not deliver. */
  readonly missed: number;
  /** The largest number of calls of a slice beyond the limit of docs/paging.md. */
  readonly callsOver: number;
  /** The number of slices that were requested again after STATEMENT_UNSETTLED. */
  readonly retries: number;
  /** The code of the error with which the walk ended, or `endless`; null at an end of the statement. */
  readonly error: string | null;
}

/** The walks of a category, counted. */
export interface Comparison {
  /** The share of all rows, and the number of walks in which a row was delivered again. */
  readonly walk: { share: number; twice: number };
  readonly naive: { share: number; twice: number };
  /** The numbers of walks that missed a row of the pages, or needed more calls than the limit, and by how many. */
  missed: number;
  over: number;
  most: number;
  retried: number;
  /** The numbers of walks that ended with CURSOR_EXPIRED, with STATEMENT_UNSETTLED or with any other error. */
  expired: number;
  unsettled: number;
  otherErrors: number;
  /** For each kind of fault, the number of the first walk. */
  readonly examples: Map<string, number>;
}

/** Runs walks of a category in memory, and reads the same statements as a client that only reads the pages. */
export async function compare(
  planner: StatementsClass,
  category: Category,
  runs: number,
  seed: string,
): Promise<Comparison> {
  const result: Comparison = {
    ...{ walk: { share: 1, twice: 0 }, naive: { share: 1, twice: 0 }, examples: new Map() },
    ...{ missed: 0, over: 0, most: 0, retried: 0, expired: 0, unsettled: 0, otherErrors: 0 },
  };
  const sums = { walk: { due: 0, given: 0 }, naive: { due: 0, given: 0 } };
  for (let run = 0; run < runs; run++) {
    const share = await shareOf(planner, category, `${seed} ${run}`);
    const random = createRandom(`${category.name} ${seed} ${run}`);
    const plan = category.plan(random);
    const naive = naiveShare(createVirtualService(planner, plan.statement), plan, random);
    for (const [who, { due, given, twice }] of [
      ['walk', share],
      ['naive', naive],
    ] as const) {
      sums[who].due += due;
      sums[who].given += given;
      result[who].share = sums[who].due === 0 ? 1 : sums[who].given / sums[who].due;
      result[who].twice += Number(twice > 0);
    }
    const note = (isSo: boolean, what: string) => {
      if (isSo && !result.examples.has(what)) result.examples.set(what, run);
      return Number(isSo);
    };
    const { error } = share;
    const isKnown = error === null || error === 'CURSOR_EXPIRED' || error === 'STATEMENT_UNSETTLED';
    note(share.twice > 0, 'twice');
    note(share.given < share.due && error === null, 'lost');
    note(error !== null, error ?? '');
    result.missed += note(share.missed > 0, 'missed');
    result.over += note(share.callsOver > 0, 'over');
    result.most = Math.max(result.most, share.callsOver);
    result.retried += note(share.retries > 0, 'asked again');
    result.expired += Number(error === 'CURSOR_EXPIRED');
    result.unsettled += Number(error === 'STATEMENT_UNSETTLED');
    result.otherErrors += Number(!isKnown);
  }
  return result;
}

/** The share of one walk of a category. */
export function shareOf(
  planner: StatementsClass,
  category: Category,
  seed: string,
  trace?: Trace,
): Promise<Share> {
  const random = createRandom(`${category.name} ${seed}`);
  const plan = category.plan(random);
  return walkShare(createVirtualService(planner, plan.statement), plan, random, trace);
}

/** The bounds for every service of behaviours.ts, and for every category: a walk is never worse than reading the pages. */
const bounds = { behind: 0.02, twice: 0, missed: 0, over: 0, unsettled: 0.03, otherErrors: 0 };

/** The bounds that a comparison of so many walks does not keep. */
export function breaches(
  { walk, naive, ...counts }: Comparison,
  runs: number,
  mostUnsettled = bounds.unsettled,
): string[] {
  const behind = naive.share - walk.share;
  const reached = { ...counts, behind, twice: walk.twice, unsettled: counts.unsettled / runs };
  // One of a few walks may end so.
  const most = { ...bounds, unsettled: Math.max(mostUnsettled, 1 / runs) };
  return Object.entries(most).flatMap(([name, bound]) => {
    const value = reached[name as keyof typeof bounds];
    return value > bound ? [`${name}: ${value.toFixed(3)}`] : [];
  });
}

/** Walks with the planner; after STATEMENT_UNSETTLED, a slice is requested once again with the same cursor. */
async function walkShare(
  service: Service,
  plan: Plan,
  random: Random,
  trace: Trace = () => undefined,
): Promise<Share> {
  const tally = new Tally(service, new Site(service, plan, random, trace), plan);
  const isForward = plan.route !== 'backward';
  let [cursor, error]: [string | null, string | null] = [null, null];
  let [callsOver, retries, slices] = [0, 0, 0];
  for (let isMore = true; isMore && error === null;) {
    const count = plan.count();
    const args = isForward ? { first: count, after: cursor } : { last: count, before: cursor };
    let slice: GivenSlice | Refusal = await service.slice(args);
    const note = () => {
      trace(describe(args, service.pages, slice));
      callsOver = Math.max(callsOver, service.pages.length - mostReads(count, service.statement));
    };
    note();
    if ('error' in slice && slice.error === 'STATEMENT_UNSETTLED') {
      retries++;
      slice = await service.slice(args);
      note();
    }
    if ('error' in slice) error = slice.error;
    else {
      const given = tally.give(isForward ? slice.keys : slice.keys.toReversed());
      cursor = (isForward ? slice.endCursor : slice.startCursor) ?? cursor;
      isMore = isForward ? slice.hasNext : slice.hasPrevious;
      if (isMore && ++slices > 500) error = 'endless';
      else if (isMore) tally.site.pass(given ?? null);
    }
  }
  return { ...tally.result(isForward), callsOver, retries, error };
}

/** Reads page 0, 1, 2 … once, up to the first that has no rows or repeats the page before, and skips known ids. */
function naiveShare(service: Service, plan: Plan, random: Random): Share {
  const tally = new Tally(service, new Site(service, plan, random, () => undefined), plan);
  const names = new Set<string>();
  let before = '';
  for (let page = 0; page < 500; page++) {
    const sent = answer(service, page);
    const keys = typeof sent === 'number' ? [] : (sent.rows ?? []).map(keyOf);
    if (keys.length === 0 || keys.join() === before) break;
    before = keys.join();
    tally.give(keys.filter((key) => names.size !== names.add(key.split(' ')[0] ?? '').size));
    tally.site.pass(null);
  }
  return { ...tally.result(true), callsOver: 0, retries: 0, error: null };
}

/** The rows that a client has got. */
class Tally {
  readonly site: Site;
  readonly #service: Service;
  readonly #plan: Plan;
  readonly #given = new Set<number>();
  #first: Statement | undefined;
  /** The serial number of each key that the service has sent. */
  readonly #serials = new Map<string, number>();
  #twice: number[] = [];

  constructor(service: Service, site: Site, plan: Plan) {
    [this.#service, this.site, this.#plan] = [service, site, plan];
    const { manner } = service;
    const sends = (sent: Sent, read: Read) => {
      this.#first ??= read.statement;
      const answered = manner.sends?.(sent, read) ?? sent;
      const rows = typeof answered === 'number' ? null : answered.rows;
      for (const entry of rows ?? []) this.#serialOf(entry);
      return answered;
    };
    service.manner = { ...manner, sends };
    service.answered = 0;
  }

  /** Returns the serial number of the last row. */
  give(keys: readonly string[]): number | undefined {
    const serials = keys.map((key) => this.#serials.get(key) ?? -1);
    for (const serial of serials) {
      if (this.#given.has(serial)) this.#twice.push(serial);
      this.#given.add(serial);
    }
    return serials.at(-1);
  }

  result(isForward: boolean): Pick<Share, 'due' | 'given' | 'twice' | 'missed'> {
    const { lifted } = this.site;
    this.#service.onRead = () => undefined;
    const shown = this.#plan.isSteady === true ? this.#shown() : [];
    const left = new Set(this.#service.statement.live.map(({ serial }) => serial));
    const { isHidden = () => false, reorders = false } = this.#plan.manner ?? {};
    const due = new Set<number>();
    for (const entry of (this.#first ?? this.#plan.statement).live) {
      const { serial } = entry;
      if (left.has(serial) && !lifted.has(serial) && !isHidden(entry)) {
        due.add(this.#serialOf(entry));
      }
    }
    // If ties change places, one of them may be on two pages.
    const isTied = tiesIn(reorders ? this.#service.statement.entries : []);
    return {
      due: due.size,
      given: [...due].filter((serial) => this.#given.has(serial)).length,
      // On a walk to newer rows, a row that moves to the head comes again.
      twice: this.#twice.filter(
        (serial) => (isForward || !lifted.has(serial)) && !isTied.has(serial),
      ).length,
      missed: shown.filter((serial) => !this.#given.has(serial)).length,
    };
  }

  /** The rows that the pages show. */
  #shown(): number[] {
    const { live, size } = this.#service.statement;
    return Array.from({ length: Math.ceil(live.length / size) }, (_, page) => {
      const sent = answer(this.#service, page);
      const rows = typeof sent === 'number' ? [] : (sent.rows ?? []);
      return rows.map((row) => this.#serialOf(row));
    }).flat();
  }

  #serialOf(entry: Entry): number {
    const key = keyOf(entry);
    const serial = this.#serials.get(key) ?? entry.serial;
    this.#serials.set(key, serial);
    return serial;
  }
}

/** The serial numbers of the rows whose createdAt other rows have too. */
function tiesIn(entries: readonly Entry[]): Set<number> {
  const groups = [...Map.groupBy(entries, ({ at }) => at).values()];
  return new Set(groups.flatMap((ties) => (ties.length < 2 ? [] : ties.map((one) => one.serial))));
}

/** The largest number of reads of a slice (docs/paging.md). */
function mostReads(count: number, { live, size }: Statement): number {
  const pages = Math.ceil(Math.max(count - 1, 0) / size) + 1;
  return 2 * pages + Math.ceil(Math.log2(Math.max(live.length / size, 1))) + 8;
}

function describe(args: object, pages: readonly number[], slice: GivenSlice | Refusal): string {
  const got = 'error' in slice ? slice.error : `${slice.serials.join(' ')} of ${slice.total}`;
  const [[name, count] = []] = Object.entries(args) as [string, number][];
  return `${name} ${count}: pages ${pages.join(' ')}: ${got}`;
}

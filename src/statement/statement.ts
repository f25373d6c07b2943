// Reads a statement as a Relay connection: slices with cursors, pageInfo and totalCount.
import { badUserInput, GatewayError } from '../errors.ts';
import { decodeCursor, isGiven, MAX_LENGTH, scopeOf, type StatementScope } from './cursor.ts';
import { Pages, type PageSource } from './pages.ts';
import { ParallelReads } from './parallel-reads.ts';
import { planSlice, type Wanted } from './plan.ts';
import { countRereads, countShort, type PageView } from './page-view.ts';
import { CursorExpiredError, outcomeOfError, shiftOf } from './shift.ts';
import type { StatementObserver } from './shift.ts';
import { Slice } from './slice.ts';

export type { Slice, SliceEdge } from './slice.ts';

/** The arguments of a `transactions` field (docs/paging.md); null and undefined mean the same. */
export interface SliceArguments extends Omit<StatementScope, 'accountId'> {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly last?: number | null | undefined;
  readonly before?: string | null | undefined;
}

/** The number of transactions if a client gives neither `first` nor `last`. */
export const DEFAULT_COUNT = 20;

/** The largest value of `first` and `last`. */
export const MAX_COUNT = 100;

export interface StatementSource extends PageSource {
  /** MAX_PARALLEL_READS: the largest number of reads that are under way at the same time; unlimited by default. */
  readonly maxParallelReads?: number;
  readonly observer?: StatementObserver | undefined;
  /** Whether CURSOR_EXPIRED errors have the reason in their `extensions`. */
  readonly showsReasons?: boolean;
  /** Called with the number of rows before the edges of a slice are created; throws if they take too much memory. */
  readonly onRows?: (count: number) => void;
}

/** Reads statements for one request. Fields that need the same page share a call; equal arguments share a slice. */
export class Statements {
  readonly #source: StatementSource;
  readonly #parallel: ParallelReads;
  readonly #pages = new Map<string, Pages>();
  readonly #slices = new Map<string, Promise<Slice>>();

  constructor(source: StatementSource) {
    this.#source = source;
    this.#parallel = new ParallelReads(source.maxParallelReads ?? Infinity);
  }

  /** Rejects with BAD_USER_INPUT before any call, with CURSOR_EXPIRED, or with the error of a call or of `onRows`. */
  slice(accountId: string, args: SliceArguments, totalOnly: boolean): Promise<Slice> {
    // All other arguments select the statement.
    const { first, after, last, before, ...bounds } = args;
    const scope = { accountId, ...bounds };
    const scopeText = scopeOf(scope);
    // Many fields may share a long cursor, which is malformed and must not be copied for each of them.
    const cursors = [after?.slice(0, MAX_LENGTH + 1), before?.slice(0, MAX_LENGTH + 1)];
    const key = JSON.stringify([scopeText, first, last, ...cursors, totalOnly]);
    const slice = this.#slices.get(key) ?? this.#read(scope, scopeText, args, totalOnly);
    this.#slices.set(key, slice);
    return slice;
  }

  async #read(
    scope: StatementScope,
    scopeText: string,
    args: SliceArguments,
    totalOnly: boolean,
  ): Promise<Slice> {
    const wanted = checkWanted(args, scopeText, totalOnly);
    const pages = this.#pages.get(scopeText) ?? new Pages(this.#source, scope, this.#parallel);
    this.#pages.set(scopeText, pages);
    const { observer, showsReasons = false, onRows } = this.#source;
    const reads: PageView[] = [];
    try {
      let step = planSlice(wanted, reads);
      let atOnce = Infinity;
      let refused = 0;
      while (step.kind === 'read') {
        const used = reads.map(({ page }) => page);
        const asked = step.pages.slice(0, atOnce);
        const views = pages.read(asked, used, step.reason);
        const [only] = views;
        let came: readonly PageView[];
        try {
          // Promise.all keeps several more objects alive.
          came = only && views.length === 1 ? [await only] : await Promise.all(views);
        } catch (error) {
          came = await answeredOf(views, error);
        }
        // The service allows no more reads at a time.
        if (came.length < asked.length) atOnce = came.length;
        refused += asked.length - came.length;
        reads.push(...came);
        // Sorted by the order of the answers, because another field may have requested a page earlier.
        reads.sort((one, other) => one.order - other.order);
        step = planSlice(wanted, reads, refused);
      }
      if (step.kind === 'unsettled') throw new GatewayError('STATEMENT_UNSETTLED');
      if (step.kind === 'expired') throw new CursorExpiredError(step.reason, showsReasons);
      onRows?.(step.slice.rows.length);
      const shift = shiftOf(wanted, step.slice, reads);
      observer?.slice(
        shift === '' ? 'still' : 'shifted',
        shift,
        countRereads(reads),
        countShort(reads),
      );
      return new Slice(wanted, step.slice, scopeText);
    } catch (error) {
      const reason = error instanceof CursorExpiredError ? error.reason : '';
      observer?.slice(outcomeOfError(error), reason, countRereads(reads), countShort(reads));
      throw error;
    }
  }
}

/** The reads that were answered, if `error` says that the service allows fewer of them at a time; throws otherwise. */
async function answeredOf(
  views: readonly Promise<PageView>[],
  error: unknown,
): Promise<readonly PageView[]> {
  if (!isRateLimit(error)) throw error;
  const settled = await Promise.allSettled(views);
  const failed = settled.filter((one) => one.status === 'rejected');
  const other = failed.find(({ reason }) => !isRateLimit(reason));
  if (other !== undefined) throw other.reason;
  if (failed.length === views.length) throw error;
  return settled.filter((one) => one.status === 'fulfilled').map(({ value }) => value);
}

const isRateLimit = (error: unknown) =>
  error instanceof GatewayError && error.code === 'RATE_LIMITED';

function checkWanted(args: SliceArguments, scope: string, totalOnly: boolean): Wanted {
  const { from, to, after, before } = args;
  if (isGiven(from) && isGiven(to) && from > to) throw badUserInput('from is later than to.');
  const direction = checkDirection(args);
  const name = direction === 1 ? 'first' : 'last';
  const count = args[name] ?? DEFAULT_COUNT;
  if (!Number.isInteger(count) || count < 0 || count > MAX_COUNT) {
    throw badUserInput(`${name} must be from 0 to ${MAX_COUNT}.`);
  }
  const text = direction === 1 ? after : before;
  const cursor = isGiven(text) ? decodeCursor(text, scope) : null;
  return { direction, count, cursor, totalOnly };
}

function checkDirection({ first, after, last, before }: SliceArguments): Wanted['direction'] {
  const [forward, backward] = [isGiven(first) || isGiven(after), isGiven(last) || isGiven(before)];
  if (forward && backward) throw badUserInput('Use first with after, or last with before.');
  if (isGiven(before) && !isGiven(last)) throw badUserInput('before needs last.');
  return backward ? -1 : 1;
}

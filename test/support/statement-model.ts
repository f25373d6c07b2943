// A statement in memory and the service that answers with its pages, for tests of src/statement.
import { contractViolation } from '../../src/errors.ts';
import { PageNumbering } from '../../src/statement/page-numbering.ts';
import type { PageSource } from '../../src/statement/pages.ts';
import { Statements, type Slice, type SliceArguments } from '../../src/statement/statement.ts';
import { CallBudget, type UpstreamCall, type UpstreamReader } from '../../src/upstream/client.ts';
import { UpstreamStatusError } from '../../src/upstream/exchange/failure.ts';
import { hashOf } from '../../src/json/text-hash.ts';
import {
  NO_KEY,
  type StatementPage,
  type StatementRow,
  type Transaction,
  transactionFields,
} from '../../src/upstream/shape/shapes.ts';

/** A transaction of the statement; a row without an id is invalid. */
export interface ModelRow {
  readonly id: string | null;
  readonly createdAtMs: number | null;
}

/** The behaviour that the API description of the service leaves open. */
export interface ModelBehaviour {
  /** The number of rows of a page (itemsPerPage). */
  size: number;
  /** The number of the first page. */
  base: 0 | 1;
  /**
   * The value of currentPage: the zero-based index of the page, the page's number counted from `base`, or the requested
   * number.
   */
  reports: 'index' | 'number' | 'asked';
  /**
   * The answer to a request for a page beyond the last: no rows, the last page, or 404. The 404 also applies below the
   * first page.
   */
  beyond: 'empty' | 'clamp' | 'refuse';
  /** Whether rows with the same createdAt change their order at each read. */
  shufflesTies: boolean;
}

/** The createdAt of the newest row of a new statement, and the time between two rows. */
const NEWEST_MS = Date.UTC(2026, 5, 30, 15);
const GAP_MS = 60_000;

export class StatementModel implements ModelBehaviour, UpstreamReader<'transactions'> {
  size = 20;
  base: 0 | 1 = 0;
  reports: ModelBehaviour['reports'] = 'index';
  beyond: ModelBehaviour['beyond'] = 'empty';
  shufflesTies = false;

  /** The rows of the statement, newest first. */
  rows: ModelRow[] = [];
  /** The requested page numbers; those of concurrent requests are in one list. */
  rounds: number[][] = [];
  /** Called at each read, just before its page is taken, with the number of earlier reads. */
  onRead: ((earlier: number) => void) | undefined;

  #latestMs = NEWEST_MS;
  #ids = 0;
  #reads = 0;
  #underWay = 0;

  /** Creates a statement in which groups of `tieSize` rows share a createdAt. */
  constructor(length: number, behaviour: Partial<ModelBehaviour> = {}, tieSize = 1) {
    Object.assign(this, behaviour);
    this.rows = Array.from({ length }, (_, index) =>
      this.#newRow(NEWEST_MS - Math.floor(index / tieSize) * GAP_MS),
    );
  }

  get ids(): (string | null)[] {
    return this.rows.map(({ id }) => id);
  }

  /** The requested page numbers, in order. */
  get asked(): number[] {
    return this.rounds.flat();
  }

  /** Adds rows at the head, each newer than all others or, if `areTied`, with the createdAt of the newest row. */
  arrive(count = 1, areTied = false): void {
    for (let k = 0; k < count; k++) {
      this.#latestMs += areTied ? 0 : GAP_MS;
      this.rows.unshift(this.#newRow(this.#latestMs));
    }
  }

  /** Adds a late posting with a createdAt just before that of the row at `index`, below this row and its ties. */
  postLate(index: number): void {
    const createdAtMs = (this.rows[index]?.createdAtMs ?? NEWEST_MS) - 1;
    const older = this.rows.findIndex((row) => (row.createdAtMs ?? 0) < createdAtMs);
    this.rows.splice(older < 0 ? this.rows.length : older, 0, this.#newRow(createdAtMs));
  }

  remove(index: number, count = 1): void {
    this.rows.splice(index, count);
  }

  /** Sets the createdAt of `count` rows from `index` on to that of the first of these rows. */
  tie(index: number, count: number): void {
    const createdAtMs = this.rows[index]?.createdAtMs ?? null;
    this.#change(index, count, (row) => ({ ...row, createdAtMs }));
  }

  /** Removes the ids of rows, which makes the rows invalid. */
  spoil(index: number, count = 1): void {
    this.#change(index, count, (row) => ({ ...row, id: null }));
  }

  async read(_call: UpstreamCall, _route: string, ask: { page?: unknown }): Promise<StatementPage> {
    const page = Number(ask.page);
    this.#record(page);
    this.onRead?.(this.#reads);
    this.#reads++;
    const answer = this.#answer(page);
    this.#underWay++;
    await Promise.resolve();
    this.#underWay--;
    return answer;
  }

  #answer(page: number): StatementPage {
    const last = Math.max(Math.ceil(this.rows.length / this.size) - 1, 0);
    const asked = page - this.base;
    if ((asked < 0 || asked > last) && this.beyond === 'refuse') {
      throw new UpstreamStatusError(404, undefined, 'NOT_FOUND', 0);
    }
    const index = Math.max(this.beyond === 'clamp' ? Math.min(asked, last) : asked, 0);
    const currentPage = { index, number: index + this.base, asked: page }[this.reports];
    return {
      totalItems: this.rows.length,
      currentPage,
      itemsPerPage: this.size,
      totalPages: last + 1,
      rows: this.#inOrder()
        .slice(index * this.size, (index + 1) * this.size)
        .map(rowOf),
    };
  }

  #inOrder(): ModelRow[] {
    if (!this.shufflesTies) {
      return this.rows;
    }
    const keyed = this.rows.map((row, index) => ({ row, key: scramble(index, this.#reads) }));
    const sorted = keyed.toSorted(
      (a, b) => (b.row.createdAtMs ?? 0) - (a.row.createdAtMs ?? 0) || a.key - b.key,
    );
    return sorted.map(({ row }) => row);
  }

  #record(page: number): void {
    const round = this.rounds.at(-1);
    if (round === undefined || this.#underWay === 0) {
      this.rounds.push([page]);
    } else {
      round.push(page);
    }
  }

  #newRow(createdAtMs: number): ModelRow {
    const id = `0b1f7c1e-53a5-4f4e-8d9b-${(this.#ids++).toString(16).padStart(12, '0')}`;
    return { id, createdAtMs };
  }

  #change(index: number, count: number, change: (row: ModelRow) => ModelRow): void {
    this.rows = this.rows.map((row, at) => (at >= index && at < index + count ? change(row) : row));
  }
}

/** A pseudorandom number, the same in every run. */
function scramble(one: number, other: number): number {
  const mixed = Math.imul(one + 1, 0x9e3779b1) ^ Math.imul(other + 1, 0x85ebca6b);
  return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> 0;
}

/**
 * A row as src/upstream returns it. Its node has only an id. If the row has no id, the node is the error of the
 * violation.
 */
export function rowOf({ id, createdAtMs }: ModelRow): StatementRow {
  const node = id === null ? contractViolation('/data/0/id is no usable id') : transactionOf(id);
  return { key: id === null ? NO_KEY : hashOf(id), createdAtMs, node };
}

const names = [...Object.keys(transactionFields), 'signedAmount'];
const blank = Object.fromEntries(names.map((name) => [name, null]));

function transactionOf(id: string): Transaction {
  return { ...blank, id } as Transaction;
}

/** The account that readers request; the model accepts any id. */
export const accountId = '5f6c1a52-7f57-4d39-9f2c-6a1f9d0c7e11';

/** The source of pages in a gateway whose UPSTREAM_PAGE_BASE is `base`. */
export function sourceOf(
  upstream: PageSource['upstream'],
  base: 0 | 1 = upstream instanceof StatementModel ? upstream.base : 0,
): PageSource {
  // The model does not use the call.
  const call = { budget: new CallBudget(Infinity) } as UpstreamCall;
  return { upstream, call, numbering: new PageNumbering(base) };
}

/** Reads a slice as a separate request. `model.rounds` lists its reads. */
export type Reader = (args: SliceArguments, totalOnly?: boolean) => Promise<Slice>;

/**
 * Creates a reader of slices. Its requests share the page numbering that earlier answers have shown, as in one gateway.
 */
export function readerOf(model: StatementModel, base: 0 | 1 = model.base): Reader {
  const source = sourceOf(model, base);
  return (args, totalOnly = false) => {
    model.rounds = [];
    return new Statements(source).slice(accountId, args, totalOnly);
  };
}

export function idsOf({ edges }: Slice): (string | null)[] {
  return edges.map(rowId);
}

export function rowId({ node }: Pick<StatementRow, 'node'>): string | null {
  return node instanceof Error ? null : node.id;
}

interface WalkOptions {
  /** Whether to walk from the oldest row on, with last and before. */
  readonly backward?: boolean;
  /** Called between two slices. */
  readonly between?: () => void;
}

/** Walks to an end in slices of `count` and returns the ids in the statement's order. */
export async function walk(
  read: Reader,
  count: number,
  { backward = false, between = () => {} }: WalkOptions = {},
): Promise<(string | null)[]> {
  const ids: (string | null)[] = [];
  let cursor: string | null = null;
  for (;;) {
    const args = backward ? { last: count, before: cursor } : { first: count, after: cursor };
    const slice: Slice = await read(args);
    ids.splice(backward ? 0 : ids.length, 0, ...idsOf(slice));
    const { startCursor, endCursor, hasPreviousPage, hasNextPage } = slice.pageInfo;
    cursor = backward ? startCursor : endCursor;
    if (!(backward ? hasPreviousPage : hasNextPage)) {
      return ids;
    }
    between();
  }
}

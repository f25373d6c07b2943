// The statement of one account: its transactions, newest first, and all changes that scripts can make to them.
import type { Random } from '../random.ts';
import { buildStatement, type NewStatement, type StatementShape } from './statement-builder.ts';
import { createRow, moveRow, type NewTransaction, type Row } from './transactions.ts';

/** The place of a new transaction among those with the same createdAt. Default 'before': as the newest of them. */
export type AmongTies = 'before' | 'after' | 'random';

/**
 * The transactions to remove: those with these ids, `count` (default 1) from an index on, or a number of random ones.
 */
export type Removal =
  | { readonly ids: readonly string[] }
  | { readonly index: number; readonly count?: number }
  | { readonly random: number };

/**
 * A range of the statement whose transactions get the same createdAt, by default the createdAt of the first transaction
 * in the range.
 */
export interface TiedRange {
  readonly from: number;
  readonly count: number;
  readonly createdAt?: string;
}

/** The statement of an account. Every change returns the ids of the changed transactions. */
export class Ledger {
  readonly #random: Random;
  /**
   * The account's clock (epoch ms): the initial time or, if later, the latest createdAt among the heads of statements
   * that were set and the transactions that were added. The clock does not go back if the head is removed.
   */
  #latestMs: number;
  #rows: Row[] = [];
  #initial: NewStatement | null;
  readonly #shape: StatementShape;

  /**
   * Creates the ledger; `epochMs` is the initial time of its clock. The statement is built on first use, because most
   * statements are never read, except if building it may fail: this throws here, not at a read.
   */
  constructor(random: Random, epochMs: number, initial: NewStatement, shape: StatementShape = {}) {
    this.#random = random;
    this.#latestMs = epochMs;
    this.#initial = initial;
    this.#shape = shape;
    const isGiven = typeof initial !== 'number';
    if (isGiven || shape.newest !== undefined || shape.gapMs !== undefined) this.rows();
  }

  /** The rows, newest first. Callers must not keep the list, because the next change may modify it. */
  rows(): readonly Row[] {
    if (this.#initial !== null) this.set(this.#initial, this.#shape);
    return this.#rows;
  }

  /** Replaces the whole statement; it is unchanged if a new transaction is invalid. */
  set(statement: NewStatement, shape: StatementShape = {}): string[] {
    this.#rows = buildStatement(this.#random, this.#latestMs, statement, shape);
    this.#initial = null;
    this.#latestMs = Math.max(this.#latestMs, ...this.#rows.slice(0, 1).map(createdAtMs));
    return this.#rows.map(id);
  }

  /**
   * Adds transactions at the head, each later than the account's clock. A transaction with its own createdAt is
   * inserted at its place in time.
   */
  arrive(count: number, given?: NewTransaction, amongTies?: AmongTies): string[] {
    this.rows();
    const arrivals = Array.from({ length: count }, () =>
      createRow(this.#random, this.#latestMs + this.#random.integer(1, 60_000), given),
    );
    return arrivals.map((row) => this.#insert(row, amongTies));
  }

  /**
   * Adds late postings: transactions that are inserted at their place in time, which is by default a random place below
   * the head.
   */
  postLate(count: number, given?: NewTransaction, amongTies?: AmongTies): string[] {
    return Array.from({ length: count }, () =>
      this.#insert(createRow(this.#random, this.#earlierMs(), given), amongTies),
    );
  }

  /** Removes transactions; unknown ids are ignored. */
  remove(removal: Removal): string[] {
    const gone = new Set(this.#chosen(removal));
    this.#rows = this.rows().filter((row) => !gone.has(row));
    return [...gone].map(id);
  }

  /** Gives the transactions of a range the same createdAt; they keep their places. */
  tie({ from, count, createdAt }: TiedRange): string[] {
    const tied = new Set(this.rows().slice(from, from + count));
    const [first] = tied;
    const atMs = createdAt === undefined ? first?.createdAtMs : Date.parse(createdAt);
    const moved = (row: Row) => moveRow(row, atMs ?? row.createdAtMs);
    this.#rows = this.#rows.map((row) => (tied.has(row) ? moved(row) : row));
    return Array.from(tied, id);
  }

  #insert(row: Row, amongTies: AmongTies = 'before'): string {
    const first = indexWhere(this.rows(), (other) => other.createdAtMs <= row.createdAtMs);
    const end = indexWhere(this.#rows, (other) => other.createdAtMs < row.createdAtMs);
    const places = { before: first, after: end, random: this.#random.integer(first, end) };
    this.#rows.splice(places[amongTies], 0, row);
    this.#latestMs = Math.max(this.#latestMs, row.createdAtMs);
    return row.fields.id;
  }

  /**
   * Returns a random instant between two adjacent rows. With one row, the instant is in the day before this row;
   * without rows, it is in the day before the time of the account's clock. If there is no instant between the two rows,
   * returns the instant of the older row.
   */
  #earlierMs(): number {
    const index = this.#random.integer(1, Math.max(1, this.rows().length - 1));
    const newer = this.#rows[index - 1]?.createdAtMs ?? this.#latestMs;
    const older = this.#rows[index]?.createdAtMs ?? newer - 86_400_000;
    return newer - older < 2 ? older : this.#random.integer(older + 1, newer - 1);
  }

  #chosen(removal: Removal): readonly Row[] {
    const rows = this.rows();
    if ('index' in removal) return rows.slice(removal.index, removal.index + (removal.count ?? 1));
    if ('random' in removal) return this.#random.shuffled(rows).slice(0, removal.random);
    const ids = new Set(removal.ids);
    return rows.filter((row) => ids.has(row.fields.id));
  }
}

const id = (row: Row) => row.fields.id;
const createdAtMs = (row: Row) => row.createdAtMs;

/** The index of the first row that fits, or the length of the list if none does. */
function indexWhere(rows: readonly Row[], fits: (row: Row) => boolean): number {
  const index = rows.findIndex(fits);
  return index === -1 ? rows.length : index;
}

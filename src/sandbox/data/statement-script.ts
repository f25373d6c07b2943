// The interface for scripts that read and change the statements of a bank.
import type { Directory } from './directory.ts';
import type { AmongTies, Removal, TiedRange } from './ledger.ts';
import type { NewStatement, StatementShape } from './statement-builder.ts';
import type { NewTransaction, TransactionFields } from './transactions.ts';

/** Arrivals at regular intervals. */
interface ArrivalStream {
  readonly everyMs: number;
  /** The number of arrivals each time; default 1. */
  readonly count?: number;
  /** How many times transactions arrive; by default until the arrivals are stopped. */
  readonly times?: number;
}

/**
 * Reads and changes statements. Changes return the ids of the changed transactions, except for arrivals at intervals.
 * An unknown account causes a NotInBankError, except in `stopArrivals`.
 */
export interface StatementScript {
  /** The whole current statement, newest first. */
  statement(accountId: string): TransactionFields[];
  /**
   * Replaces the statement by a number of generated transactions, or by the given ones. `shape` distributes
   * transactions without a createdAt over time.
   */
  setStatement(accountId: string, transactions: NewStatement, shape?: StatementShape): string[];
  /**
   * Adds transactions (default 1) at the head. A transaction with an older createdAt is inserted at its place in time.
   */
  arrive(
    accountId: string,
    count?: number,
    given?: NewTransaction,
    amongTies?: AmongTies,
  ): string[];
  /**
   * Adds arrivals at intervals, until `times` is reached, the result is disposed of, `stopArrivals` is called, or the
   * bank is reset or closed.
   */
  arriveEvery(accountId: string, stream: ArrivalStream): Disposable;
  /** Stops the regular arrivals of one account, or of all accounts. */
  stopArrivals(accountId?: string): void;
  /** Adds late postings (default 1): with the given createdAt, or with a random one below the head. */
  postLate(
    accountId: string,
    count?: number,
    given?: NewTransaction,
    amongTies?: AmongTies,
  ): string[];
  /** Removes transactions; unknown ids are ignored. */
  remove(accountId: string, removal: Removal): string[];
  /** Gives a range of transactions the same createdAt, without moving them. */
  tie(accountId: string, range: TiedRange): string[];
}

/** Creates the script interface for the ledgers of a directory. */
export function createStatementScript(directory: Directory): StatementScript {
  const streams = new Map<NodeJS.Timeout, string>();
  const stop = (timer: NodeJS.Timeout) => {
    clearInterval(timer);
    streams.delete(timer);
  };
  const stopArrivals = (accountId?: string) => {
    const isMeant = (id: string) => accountId === undefined || accountId.toLowerCase() === id;
    for (const [timer, id] of streams) if (isMeant(id)) stop(timer);
  };
  const ledger = (accountId: string) => directory.ledger(accountId);
  return {
    statement: (accountId) =>
      ledger(accountId)
        .rows()
        .map(({ fields }) => fields),
    setStatement: (accountId, transactions, shape) => ledger(accountId).set(transactions, shape),
    arrive: (accountId, count = 1, given, amongTies) =>
      ledger(accountId).arrive(count, given, amongTies),
    arriveEvery(accountId, { everyMs, count = 1, times = Infinity }) {
      const account = ledger(accountId);
      let left = times;
      const timer = setInterval(() => {
        if (left > 0) account.arrive(count);
        left -= 1;
        if (left <= 0) stop(timer);
      }, everyMs).unref();
      streams.set(timer, accountId.toLowerCase());
      return { [Symbol.dispose]: () => stop(timer) };
    },
    stopArrivals,
    postLate: (accountId, count = 1, given, amongTies) =>
      ledger(accountId).postLate(count, given, amongTies),
    remove: (accountId, removal) => ledger(accountId).remove(removal),
    tie: (accountId, range) => ledger(accountId).tie(range),
  };
}

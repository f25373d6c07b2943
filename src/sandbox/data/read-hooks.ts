// Hooks that change a statement each time it is read. With them, tests move rows during a walk and need no timers.
import type { Directory } from './directory.ts';
import type { Ledger } from './ledger.ts';
import { createTurns, type Turns } from '../faults/turns.ts';

/** Changes to make when a statement is read. Removals are made first, so that they do not remove new arrivals. */
export interface ReadHook extends Turns {
  /** The account whose reads run the hook; default all accounts. */
  readonly accountId?: string;
  /** Whether the current answer shows the change ('before', the default) or only the next one ('after'). */
  readonly timing?: 'before' | 'after';
  readonly removals?: number;
  /** The index of the first row to remove; by default, random rows are removed. */
  readonly removeAt?: number;
  readonly latePostings?: number;
  readonly arrivals?: number;
  /** Called at each read to which the hook applies, for any other change, such as another page size. */
  readonly run?: (read: StatementRead) => void;
}

/** One read of a statement. */
interface StatementRead {
  /** The account's id in lower case. */
  readonly accountId: string;
  /** The requested page; null if it is absent or not an integer. */
  readonly page: number | null;
}

/** The hooks of one bank. */
export interface ReadHooks {
  /** Adds a hook; disposing of the result removes it. */
  add(hook: ReadHook): Disposable;
  /** Removes the hooks for one account, or all hooks. */
  clear(accountId?: string): void;
  /**
   * Runs the due hooks with timing 'before', computes the answer, runs the due hooks with timing 'after', and returns
   * the answer.
   */
  around<T>(accountId: string, page: number | null, answer: () => T): T;
}

interface Registered extends ReadHook {
  readonly isDue: () => boolean;
}

export function createReadHooks(directory: Directory): ReadHooks {
  const hooks = new Set<Registered>();

  const runDue = (due: readonly Registered[], timing: ReadHook['timing'], read: StatementRead) => {
    const ledger = directory.ledger(read.accountId);
    const now = due.filter((hook) => (hook.timing ?? 'before') === timing);
    now.forEach((hook) => {
      change(ledger, hook);
      hook.run?.(read);
    });
  };
  return {
    add(hook) {
      if (hook.accountId !== undefined) directory.ledger(hook.accountId);
      const registered = { ...hook, isDue: createTurns(hook) };
      hooks.add(registered);
      return { [Symbol.dispose]: () => void hooks.delete(registered) };
    },
    clear(accountId) {
      const isMeant = (hook: ReadHook) => accountId === undefined || isFor(hook, accountId);
      for (const hook of hooks) if (isMeant(hook)) hooks.delete(hook);
    },
    around(accountId, page, answer) {
      if (hooks.size === 0) return answer();
      const read = { accountId, page };
      const due = [...hooks].filter((hook) => isForOrAny(hook, accountId) && hook.isDue());
      runDue(due, 'before', read);
      const result = answer();
      runDue(due, 'after', read);
      return result;
    },
  };
}

function isFor({ accountId }: ReadHook, id: string): boolean {
  return accountId?.toLowerCase() === id.toLowerCase();
}

function isForOrAny(hook: ReadHook, id: string): boolean {
  return hook.accountId === undefined || isFor(hook, id);
}

function change(ledger: Ledger, hook: ReadHook): void {
  const { removals = 0, removeAt, latePostings = 0, arrivals = 0 } = hook;
  if (removals > 0) {
    ledger.remove(
      removeAt === undefined ? { random: removals } : { index: removeAt, count: removals },
    );
  }
  if (latePostings > 0) ledger.postLate(latePostings);
  if (arrivals > 0) ledger.arrive(arrivals);
}

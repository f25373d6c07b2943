// The faults that scripts add: their kinds, and the requests that they affect.
import type { Ask } from '../service/ask.ts';
import type { Route } from '../service/service-routes.ts';
import type { Random } from '../random.ts';
import { createTurns, type Turns } from './turns.ts';

/** The kinds of faults. "The answer" below means the answer without the fault. */
export type FaultKind =
  /**
   * Any status. If no body is given, 204 and 304 have none, any other 2xx has the answer's body, and other statuses
   * have a refusal's body.
   */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly retryAfter?: number | string;
      readonly body?: string;
      readonly contentType?: string;
    }
  /** The socket is reset before any answer. */
  | { readonly kind: 'reset' }
  /** The bank sends nothing, or stops after the headers and half of the body. */
  | { readonly kind: 'hang'; readonly afterHalf?: boolean }
  /** The headers and half of the body; then the socket is closed or reset. */
  | { readonly kind: 'cutBody'; readonly reset?: boolean }
  /** The answer, `bytes` (default 1) at a time, every `everyMs` (default 50) milliseconds. */
  | { readonly kind: 'drip'; readonly bytes?: number; readonly everyMs?: number }
  /** The answer after a delay. */
  | { readonly kind: 'delay'; readonly delayMs: number }
  /** Status 200 with an HTML page. */
  | { readonly kind: 'html'; readonly body?: string }
  /** Half of the answer's body, sent as if it were complete. */
  | { readonly kind: 'brokenJson' }
  /** The answer with the value at a JSON pointer replaced or removed. `raw` is inserted unchanged, e.g. `1e999`. */
  | { readonly kind: 'wrongShape'; readonly pointer: string; readonly value: unknown }
  | { readonly kind: 'wrongShape'; readonly pointer: string; readonly raw: string }
  | { readonly kind: 'wrongShape'; readonly pointer: string; readonly remove: true }
  /** Valid JSON of `bytes` bytes, chunked or with its length declared. */
  | { readonly kind: 'hugeBody'; readonly bytes: number; readonly declared?: boolean }
  /**
   * A redirect; by default 302 to the same path with `redirected=1`, so that the journal shows whether the client
   * follows it.
   */
  | { readonly kind: 'redirect'; readonly status?: number; readonly location?: string }
  /** The answer, compressed whether or not the request allows it; default gzip. */
  | { readonly kind: 'encoding'; readonly encoding?: 'gzip' | 'deflate' | 'br' }
  /**
   * The answer with the value at a pointer (default: the whole answer) replaced by arrays nested `depth` levels deep.
   */
  | { readonly kind: 'nested'; readonly depth: number; readonly pointer?: string }
  /** An informational response (102 or 103), then the answer. */
  | { readonly kind: 'informational'; readonly status?: 102 | 103 };

/** The requests that a fault affects: those that match every given field. */
interface FaultMatch {
  readonly route?: Route;
  readonly accountId?: string;
  /** The requested page; a request without a page does not match. */
  readonly page?: number;
  readonly tenant?: string;
  readonly holderId?: string;
}

/** A fault as a script defines it. */
export type Fault = FaultKind &
  Turns & {
    readonly match?: FaultMatch;
    /**
     * The probability that a matching request is affected; default 1. The seed determines which requests are affected.
     */
    readonly probability?: number;
  };

/** An active fault. Disposing of the fault removes it. */
export interface ActiveFault extends Disposable {
  readonly id: number;
  readonly fault: Fault;
  /** Requests affected so far. */
  readonly hits: number;
}

/** The faults of one bank. */
export interface Faults {
  add(fault: Fault): ActiveFault;
  /** Removes the fault with this id, or all faults. */
  clear(id?: number): void;
  list(): readonly ActiveFault[];
  /**
   * Returns the fault for a request, which is the first added fault that matches and, by its `probability`, `skip` and
   * `times`, applies; null if there is none.
   */
  strike(ask: Ask): FaultKind | null;
}

interface Entry extends ActiveFault {
  hits: number;
  strikes(ask: Ask): boolean;
}

/** Creates the list of faults; `random` decides whether a fault with a probability applies. */
export function createFaults(random: Random): Faults {
  const active = new Map<number, Entry>();
  let lastId = 0;
  return {
    add(fault) {
      const id = (lastId += 1);
      const isDue = createTurns(fault);
      const isDrawn = () => random.next() < (fault.probability ?? 1);
      const entry: Entry = {
        id,
        fault,
        hits: 0,
        strikes: (ask: Ask) => matches(ask, fault.match ?? {}) && isDrawn() && isDue(),
        [Symbol.dispose]: () => void active.delete(id),
      };
      active.set(id, entry);
      return entry;
    },
    clear(id) {
      if (id === undefined) active.clear();
      else active.delete(id);
    },
    list: () => [...active.values()],
    strike(ask) {
      for (const entry of active.values()) {
        if (!entry.strikes(ask)) continue;
        entry.hits += 1;
        return entry.fault;
      }
      return null;
    },
  };
}

function matches(ask: Ask, { accountId, ...match }: FaultMatch): boolean {
  if (accountId !== undefined && accountId.toLowerCase() !== ask.accountId) return false;
  const given = Object.entries(match) as [keyof typeof match, unknown][];
  return given.every(([name, value]) => value === undefined || ask[name] === value);
}

// The faults that a script requests: their kinds, the requests that they affect, and for how long.
import type { Ask } from '../service/ask.ts';
import type { Route } from '../service/service-routes.ts';
import type { Random } from '../random.ts';
import { createTurns, type Turns } from './turns.ts';

/** The kinds of faults. "The answer" below is the answer without a fault. */
export type FaultKind =
  /** Any status. Without a given body: the answer for a 2xx, a refusal otherwise, nothing for 204 and 304. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly retryAfter?: number | string;
      readonly body?: string;
      readonly contentType?: string;
    }
  /** The socket is reset before any answer. */
  | { readonly kind: 'reset' }
  /** Nothing more is sent: from the start, or after the headers and half of the body. */
  | { readonly kind: 'hang'; readonly afterHalf?: boolean }
  /** Headers and half of the body; then the socket is closed or reset. */
  | { readonly kind: 'cutBody'; readonly reset?: boolean }
  /** The body, `bytes` (default 1) every `everyMs` (default 50). */
  | { readonly kind: 'drip'; readonly bytes?: number; readonly everyMs?: number }
  /** The answer after a delay. */
  | { readonly kind: 'delay'; readonly delayMs: number }
  /** Status 200 with an HTML page. */
  | { readonly kind: 'html'; readonly body?: string }
  /** Half of the answer, sent as if it were complete. */
  | { readonly kind: 'brokenJson' }
  /** The answer with the value at a JSON pointer replaced or removed. `raw` is inserted unchanged, e.g. `1e999`. */
  | { readonly kind: 'wrongShape'; readonly pointer: string; readonly value: unknown }
  | { readonly kind: 'wrongShape'; readonly pointer: string; readonly raw: string }
  | { readonly kind: 'wrongShape'; readonly pointer: string; readonly remove: true }
  /** JSON of this many bytes, chunked, or with its length declared. */
  | { readonly kind: 'hugeBody'; readonly bytes: number; readonly declared?: boolean }
  /** Default: 302 to the same path with `redirected=1`, by which the journal shows whether it was followed. */
  | { readonly kind: 'redirect'; readonly status?: number; readonly location?: string }
  /** The answer compressed, although the request did not allow that; default gzip. */
  | { readonly kind: 'encoding'; readonly encoding?: 'gzip' | 'deflate' | 'br' }
  /** Arrays nested this deep in place of the value at a pointer (default: of the whole answer). */
  | { readonly kind: 'nested'; readonly depth: number; readonly pointer?: string }
  /** An informational response (102 or 103), then the answer. */
  | { readonly kind: 'informational'; readonly status?: 102 | 103 };

/** Which requests a fault affects: those that match every given field. */
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
    /** Chance that a matching request is affected, by seed; default 1. */
    readonly probability?: number;
  };

/** An active fault. Disposing of it removes it. */
export interface ActiveFault extends Disposable {
  readonly id: number;
  readonly fault: Fault;
  /** Requests affected so far. */
  readonly hits: number;
}

/** The faults of one bank. */
export interface Faults {
  add(fault: Fault): ActiveFault;
  /** Removes one fault, or all. */
  clear(id?: number): void;
  list(): readonly ActiveFault[];
  /** The fault for a request: the first added of those that match and still apply. */
  strike(ask: Ask): FaultKind | null;
}

interface Entry extends ActiveFault {
  hits: number;
  strikes(ask: Ask): boolean;
}

/** Keeps the faults; `random` decides whether a fault with a probability applies. */
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

// The faults that a script asks for: of which kind, which requests they strike, and for how long.
import type { Ask, Route } from '../service/ask.ts';
import type { Random } from '../random.ts';
import { createTurns, type Turns } from './turns.ts';

/** What goes wrong. `answer` below is what the service would have answered. */
export type FaultKind =
  /** Any status. Without a body: the answer for a 2xx, a refusal otherwise, nothing for 204 and 304. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly retryAfter?: number | string;
      readonly body?: string;
      readonly contentType?: string;
    }
  /** The socket is reset before anything is answered. */
  | { readonly kind: 'reset' }
  /** Nothing more comes: at once, or after the headers and half of the body. */
  | { readonly kind: 'hang'; readonly afterHalf?: boolean }
  /** Headers and half of the body; then the socket is closed, or reset. */
  | { readonly kind: 'cutBody'; readonly reset?: boolean }
  /** The body, `bytes` (default 1) each `everyMs` (default 50). */
  | { readonly kind: 'drip'; readonly bytes?: number; readonly everyMs?: number }
  /** The answer after this time. */
  | { readonly kind: 'delay'; readonly delayMs: number }
  /** Status 200 with a page for people. */
  | { readonly kind: 'html'; readonly body?: string }
  /** Half of the answer, as if it were all. */
  | { readonly kind: 'brokenJson' }
  /** The answer with another value at a JSON pointer, or without it. `raw` is put in as it stands, e.g. `1e999`. */
  | { readonly kind: 'wrongShape'; readonly pointer: string; readonly value: unknown }
  | { readonly kind: 'wrongShape'; readonly pointer: string; readonly raw: string }
  | { readonly kind: 'wrongShape'; readonly pointer: string; readonly remove: true }
  /** JSON of this many bytes, chunked, or with its length declared beforehand. */
  | { readonly kind: 'hugeBody'; readonly bytes: number; readonly declared?: boolean }
  /** Default: 302 to the same path with `redirected=1`, which the journal then shows if it is followed. */
  | { readonly kind: 'redirect'; readonly status?: number; readonly location?: string }
  /** The answer compressed, though nobody asked for it; default gzip. */
  | { readonly kind: 'encoding'; readonly encoding?: 'gzip' | 'deflate' | 'br' }
  /** Arrays in arrays, this deep, in place of the value at a pointer (default: of everything). */
  | { readonly kind: 'nested'; readonly depth: number; readonly pointer?: string }
  /** An informational response (102 or 103), then the answer. */
  | { readonly kind: 'informational'; readonly status?: 102 | 103 };

/** Which requests a fault strikes: those that agree in all that is given. */
interface FaultMatch {
  readonly route?: Route;
  readonly accountId?: string;
  /** The page as asked; a request without one has none. */
  readonly page?: number;
  readonly tenant?: string;
  readonly holderId?: string;
}

/** A fault as a script gives it. */
export type Fault = FaultKind &
  Turns & {
    readonly match?: FaultMatch;
    /** Chance that a request that matches is struck, by seed; default 1. */
    readonly probability?: number;
  };

/** A fault that is set. Disposing of it takes it off. */
export interface ActiveFault extends Disposable {
  readonly id: number;
  readonly fault: Fault;
  /** Requests that it has struck. */
  readonly hits: number;
}

/** The faults of one bank. */
export interface Faults {
  add(fault: Fault): ActiveFault;
  /** Takes off one fault, or all. */
  clear(id?: number): void;
  list(): readonly ActiveFault[];
  /** The fault for a request: the first set of those that match and still last. */
  strike(ask: Ask): FaultKind | null;
}

interface Entry extends ActiveFault {
  hits: number;
  strikes(ask: Ask): boolean;
}

/** Keeps the faults; `random` decides where a fault strikes by chance. */
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

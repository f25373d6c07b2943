// A bounded journal of the requests that the service received, each with its outcome. Tests can wait for a request.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Ask } from './ask.ts';
import type { Route } from './service-routes.ts';
import type { FaultKind } from '../faults/faults.ts';

/** A request to the service; fields are filled in while it is served. */
export interface Call {
  /** The number of the request since the start of the bank, from 1. */
  readonly id: number;
  readonly method: string;
  /** Path and query as received. */
  readonly target: string;
  readonly path: string;
  readonly route: Route;
  readonly query: Readonly<Record<string, string>>;
  readonly accountId: string | null;
  readonly page: number | null;
  readonly tenant: string | null;
  readonly holderId: string | null;
  /** Headers as in node:http; `rawHeaders` has every header as received, with names and values alternating. */
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  /** The fault that affected the request; null if there was none. */
  readonly fault: FaultKind['kind'] | null;
  /** The start and the end in epoch ms; the end is null until the request has ended. */
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
  /** The status that was sent; null until then. */
  readonly status: number | null;
  /**
   * 'aborted': the connection closed before the whole answer was sent, usually because the client disconnected.
   * 'reset': the bank closed the connection, due to a fault.
   */
  readonly outcome: 'open' | 'answered' | 'aborted' | 'reset';
}

/** The part of the journal that tests use. */
export interface CallLog {
  /** The requests since the last `resetCalls`, oldest first; at most the latest 10,000. */
  calls(): readonly Call[];
  resetCalls(): void;
  /**
   * The first request that fits, whether it is already in the journal or comes later. Requests are checked again when
   * they end, so `(call) => call.outcome === 'aborted'` waits for a client to disconnect. Rejects after `timeoutMs`
   * (default 10,000).
   */
  waitForCall(fits: (call: Call) => boolean, timeoutMs?: number): Promise<Call>;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
/** A call that is still being filled in. */
export type OpenCall = Writable<Call>;

const limit = 10_000;

/** The journal of one bank. `now` returns epoch ms. */
export class Journal implements CallLog {
  readonly #now: () => number;
  readonly #waiting = new Set<(call: Call) => void>();
  #calls: Call[] = [];
  #lastId = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Adds a request, which ends when its response closes. The server updates the returned entry. */
  begin(request: IncomingMessage, response: ServerResponse, ask: Ask): OpenCall {
    const call: OpenCall = {
      id: (this.#lastId += 1),
      method: ask.method,
      target: ask.target,
      path: ask.path,
      route: ask.route,
      query: ask.query,
      accountId: ask.accountId,
      page: ask.page,
      tenant: ask.tenant,
      holderId: ask.holderId,
      headers: request.headers,
      rawHeaders: request.rawHeaders,
      fault: null,
      startedAtMs: this.#now(),
      endedAtMs: null,
      status: null,
      outcome: 'open',
    };
    this.#enter(call);
    response.once('close', () => this.#end(call, response));
    return call;
  }

  calls(): readonly Call[] {
    return this.#calls.slice(-limit);
  }

  resetCalls(): void {
    this.#calls = [];
  }

  waitForCall(fits: (call: Call) => boolean, timeoutMs = 10_000): Promise<Call> {
    const present = this.#calls.find(fits);
    if (present !== undefined) return Promise.resolve(present);
    const { promise, resolve, reject } = Promise.withResolvers<Call>();
    const look = (call: Call) => {
      if (fits(call)) resolve(call);
    };
    const late = () => reject(new Error(`No such call came within ${timeoutMs} ms.`));
    const timer = setTimeout(late, timeoutMs);
    this.#waiting.add(look);
    return promise.finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(look);
    });
  }

  #enter(call: Call): void {
    this.#calls.push(call);
    // The journal is trimmed only at twice the limit, because removing the first element of a long array moves all
    // others.
    if (this.#calls.length >= 2 * limit) this.#calls = this.#calls.slice(-limit);
    this.#tell(call);
  }

  #end(call: OpenCall, response: ServerResponse): void {
    if (call.outcome === 'open') call.outcome = response.writableFinished ? 'answered' : 'aborted';
    if (response.headersSent) call.status = response.statusCode;
    call.endedAtMs = this.#now();
    this.#tell(call);
  }

  #tell(call: Call): void {
    for (const look of this.#waiting) look(call);
  }
}

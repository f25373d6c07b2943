// One call that waits for a read, until the read ends, the call's deadline passes, or its operation ends.
import type { GatewayError } from '../../errors.ts';
import type { EndListener, EndSignal } from '../call.ts';
import { abortFailure, timeoutFailure } from '../exchange/failure.ts';

/** The read that a waiter waits for. */
export interface Awaited<T> {
  /** The waiter leaves; called before its call fails. */
  leave(waiter: Waiter<T>, isLate: boolean): void;
}

/** A call's promise. The waiter itself listens to the signal, which saves a closure per call. */
export class Waiter<T> implements EndListener {
  readonly promise: Promise<T>;
  readonly #resolve: (value: T) => void;
  readonly #reject: (error: unknown) => void;
  readonly #awaited: Awaited<T>;
  readonly #signal: EndSignal;
  readonly #timer: NodeJS.Timeout;

  /** `signal` must not be aborted yet. */
  constructor(awaited: Awaited<T>, signal: EndSignal, timeoutMs: number) {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.promise = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#awaited = awaited;
    this.#signal = signal;
    this.#timer = setTimeout(() => this.leave(timeoutFailure(), true), timeoutMs);
    signal.addEventListener('abort', this);
  }

  succeed(value: T): void {
    this.#end();
    this.#resolve(value);
  }

  fail(error: unknown): void {
    this.#end();
    this.#reject(error);
  }

  /** Restarts the deadline: each exchange has its own. */
  restart(): void {
    this.#timer.refresh();
  }

  /** The operation has ended: its deadline has passed, or its client has gone. */
  handleEvent(): void {
    const error = abortFailure(this.#signal);
    this.leave(error, error === this.#signal.reason && error.code === 'UPSTREAM_TIMEOUT');
  }

  leave(error: GatewayError, isLate: boolean): void {
    this.#awaited.leave(this, isLate);
    this.fail(error);
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this);
  }
}

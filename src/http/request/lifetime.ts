// The lifetime of an operation: it ends at the deadline, when the client disconnects, or when its answer is complete.
import type { ServerResponse } from 'node:http';
import { causeOf, GatewayError } from '../../errors.ts';

const late = causeOf('the time of the operation was over', 'OPERATION_TIMEOUT_MS');

/** The client closed the connection before its answer was sent. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}

/** The reason for ending work that the answer no longer needs, such as reads of further pages after one failed. */
const answered = new Error('the answer is complete');

interface EndListener {
  handleEvent(): void;
}

/** Implements the members of AbortSignal that the gateway uses, at half the cost. */
export class Lifetime {
  readonly #timer: NodeJS.Timeout;
  readonly #listeners = new Set<EndListener>();
  /** The deadline in milliseconds, on the clock of performance.now(). */
  readonly endsAtMs: number;
  reason: Error | undefined;

  constructor(response: ServerResponse, timeoutMs: number) {
    this.endsAtMs = performance.now() + timeoutMs;
    this.#timer = setTimeout(
      () => this.end(new GatewayError('UPSTREAM_TIMEOUT', { cause: late })),
      timeoutMs,
    );
    const onClose = () => {
      if (this.aborted) return;
      this.end(
        response.writableFinished ? answered : new ClientGoneError('gone before the answer'),
      );
    };
    // The client may have gone while the text of its operation was looked up.
    if (response.destroyed) onClose();
    else response.on('close', onClose);
  }

  get aborted(): boolean {
    return this.reason !== undefined;
  }

  addEventListener(_type: 'abort', listener: EndListener): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: EndListener): void {
    this.#listeners.delete(listener);
  }

  /** Ends the lifetime, by default because the answer is complete; only the first call has an effect. */
  end(reason: Error = answered): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    clearTimeout(this.#timer);
    for (const listener of this.#listeners) listener.handleEvent();
  }
}

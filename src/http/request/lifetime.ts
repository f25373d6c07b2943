// How long an operation may take: until its deadline, or until its client is gone.
import type { ServerResponse } from 'node:http';
import { GatewayError } from '../../errors.ts';

/** The client went away before it had its answer: there is nobody to tell. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}

/** Ends what an answer went out without, such as the other pages of a slice of which one failed; nobody sees it. */
const answered = new Error('the answer is out');

/** Who is told of the end, once, unless removed before. */
interface Listener {
  handleEvent(): void;
}

/**
 * What ends all that is done for an answer: with UPSTREAM_TIMEOUT after `timeoutMs`, with a ClientGoneError where the
 * connection closes before the answer is out, and when it is out, so that nothing outlives it.
 *
 * It has what the gateway uses of an AbortSignal, at half the cost, as an EventTarget does more than this: it has events,
 * and for each listener and each type of event objects of its own.
 */
export class Lifetime {
  readonly #response: ServerResponse;
  readonly #timer: NodeJS.Timeout;
  readonly #listeners: Listener[] = [];
  #reason: Error | undefined;

  constructor(response: ServerResponse, timeoutMs: number) {
    this.#response = response;
    this.#timer = setTimeout(onDeadline, timeoutMs, this);
    response.on('close', () => this.#onClose());
  }

  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  get reason(): Error | undefined {
    return this.#reason;
  }

  addEventListener(_type: 'abort', listener: Listener): void {
    this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: Listener): void {
    const place = this.#listeners.indexOf(listener);
    const last = this.#listeners.at(-1);
    if (place === -1 || last === undefined) return;
    // The order is of no interest, and a splice would make a list of what it takes out.
    this.#listeners[place] = last;
    this.#listeners.pop();
  }

  /** Only the first end counts. */
  end(reason: Error): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    // One by one, as a listener that is told may remove others.
    for (;;) {
      const listener = this.#listeners.pop();
      if (listener === undefined) return;
      listener.handleEvent();
    }
  }

  #onClose(): void {
    clearTimeout(this.#timer);
    const isOut = this.#response.writableFinished;
    this.end(isOut ? answered : new ClientGoneError('gone before the answer'));
  }
}

function onDeadline(lifetime: Lifetime): void {
  lifetime.end(new GatewayError('UPSTREAM_TIMEOUT'));
}

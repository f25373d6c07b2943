// How long an operation may take: until its deadline, or until its client is gone.
import type { ServerResponse } from 'node:http';
import { GatewayError } from '../errors.ts';

/** The client went away before it had its answer: there is nobody to tell. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}

/** Ends what an answer went out without, such as the other pages of a slice of which one failed; nobody sees it. */
const answered = new Error('the answer is out');

/**
 * A signal that ends what is done for an answer: with UPSTREAM_TIMEOUT after `timeoutMs`, with a ClientGoneError where
 * the connection closes before the answer is out, and when it is out, so that nothing outlives it.
 */
export function createLifetime(response: ServerResponse, timeoutMs: number): AbortSignal {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new GatewayError('UPSTREAM_TIMEOUT')), timeoutMs);
  response.once('close', () => {
    clearTimeout(timer);
    const isOut = response.writableFinished;
    controller.abort(isOut ? answered : new ClientGoneError('gone before the answer'));
  });
  return controller.signal;
}

// Calls of one caller for the same path share a read whose request is not sent yet (docs/reliability.md).
import type { GatewayError } from '../../errors.ts';
import { abortFailure } from '../exchange/failure.ts';
import type { CallFollower, UpstreamCall } from '../exchange/call.ts';
import { Read, type ReadParts, type Subject } from './read.ts';

/** Reads a path; rejects with a GatewayError. `page` is the number of the statement's page, for observers. */
export type Reads<T> = (call: UpstreamCall, path: string, page?: number) => Promise<T>;

/** Creates the reads of an endpoint. Calls join only unsent reads: a client that has paid must see the new balance. */
export function createReads<T>(
  parts: ReadParts,
  { route, notFound, parse }: Pick<Subject<T>, 'route' | 'notFound' | 'parse'>,
): Reads<T> {
  let unsent = new Map<string, Read<T>>();

  function ask(call: UpstreamCall, path: string, follower?: CallFollower): Promise<T> {
    const key = `${call.callerKey} ${path}`;
    const shared = unsent.get(key);
    // A token can be sent as `bearer` or `Bearer`; each request forwards its own header byte for byte.
    if (shared?.authorization === call.headers.authorization) {
      parts.settings.observer.shared(route);
      if (shared.requestId !== call.headers.requestId) call.observer?.joined(shared.requestId);
      return shared.join(call, follower);
    }
    const { headers, budget } = call;
    const { hasAnswers } = budget;
    const traceparent = follower?.traceparent;
    const subject = { route, path, headers, traceparent, notFound, hasAnswers, parse };
    const read = new Read<T>(parts, subject, (closed) => {
      if (unsent.get(key) !== closed) return;
      unsent.delete(key);
      // A map that is kept would be promoted to V8's old space, and entries added later would survive scavenges.
      if (unsent.size === 0) unsent = new Map();
    });
    unsent.set(key, read);
    const value = read.join(call, follower);
    read.start();
    return value;
  }

  // The function is not async, because that would cost two more promises per call.
  return (call, path, page) => {
    try {
      call.budget.take();
      if (call.signal.aborted) throw abortFailure(call.signal);
      return ask(call, path, call.observer?.begin(route, page));
    } catch (error) {
      const refusal = error as GatewayError;
      return Promise.reject(refusal);
    }
  };
}

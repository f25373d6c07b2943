// Calls of one caller for the same path share a read whose request is not sent yet (docs/reliability.md).
import type { GatewayError } from '../../errors.ts';
import { abortFailure } from '../exchange/failure.ts';
import { outgoingHeaders, type UpstreamCall } from '../call.ts';
import type { CallFollower } from '../observer.ts';
import { Read, type ReadParts, type Subject } from './read.ts';

/** An endpoint: its name, the code for a 404, and the parser of its answers. */
export type Endpoint<T> = Pick<Subject<T>, 'route' | 'notFound' | 'parse'>;

/** Reads a path; rejects with a GatewayError. `page` is the number of the statement's page, for observers. */
export type Reads<T> = (call: UpstreamCall, path: string, page?: number) => Promise<T>;

/** Creates the reads of an endpoint. Calls join only unsent reads: a client that has paid must see the new balance. */
export function createReads<T>(parts: ReadParts, endpoint: Endpoint<T>): Reads<T> {
  let unsent = new Map<string, Read<T>>();

  function open(key: string, call: UpstreamCall, path: string, follower?: CallFollower): Read<T> {
    const headers = outgoingHeaders(call.headers, follower?.traceparent);
    const { requestId } = call.headers;
    const subject = { ...endpoint, path, headers, requestId, hasAnswers: call.budget.hasAnswers };
    const read = new Read<T>(parts, subject, (closed) => {
      if (unsent.get(key) !== closed) return;
      unsent.delete(key);
      // A map that is kept would be promoted to V8's old space, and entries added later would survive scavenges.
      if (unsent.size === 0) unsent = new Map();
    });
    unsent.set(key, read);
    return read;
  }

  function ask(call: UpstreamCall, path: string, follower?: CallFollower): Promise<T> {
    const key = `${call.callerKey} ${path}`;
    const shared = unsent.get(key);
    const read = shared ?? open(key, call, path, follower);
    const value = read.join(call, follower);
    if (shared === undefined) read.start();
    else {
      parts.settings.observer.shared(endpoint.route);
      if (read.requestId !== call.headers.requestId) call.observer?.joined(read.requestId);
    }
    return value;
  }

  // The function is not async, because that would cost two more promises per call.
  return (call, path, page) => {
    try {
      call.budget.take();
      if (call.signal.aborted) throw abortFailure(call.signal);
      return ask(call, path, call.observer?.begin(endpoint.route, page));
    } catch (error) {
      const refusal = error as GatewayError;
      return Promise.reject(refusal);
    }
  };
}

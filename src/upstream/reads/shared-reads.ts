// Calls of one caller that ask for the same at the same time share one read (docs/reliability.md).
import { GatewayError } from '../../errors.ts';
import { abortFailure, UpstreamStatusError } from '../exchange/failure.ts';
import { outgoingHeaders, type UpstreamCall } from '../call.ts';
import type { CallEnd, CallFollower } from '../observer.ts';
import { Read, type ReadParts, type Subject } from './read.ts';

/** An endpoint: how it is called, what a 404 of it means, and how its answer is read. */
export type Endpoint<T> = Pick<Subject<T>, 'route' | 'notFound' | 'parse'>;

/** Asks for a path; rejects with a GatewayError. `page` is the statement's page that is at it, for those who follow. */
export type Reads<T> = (call: UpstreamCall, path: string, page?: number) => Promise<T>;

/**
 * Reads of one endpoint. A call may join a read as long as its request was not sent: what it gets is then the service's
 * state of a moment after it asked. An answer under way may be older, which would show somebody who has just paid the
 * balance of before.
 */
export function createReads<T>(parts: ReadParts, endpoint: Endpoint<T>): Reads<T> {
  let unsent = new Map<string, Read<T>>();

  function close(key: string, read: Read<T>): void {
    if (unsent.get(key) !== read) return;
    unsent.delete(key);
    // It is empty many times a second. One map for ever would be an old object, which keeps young ones from being
    // collected for as long as its outgrown tables are.
    if (unsent.size === 0) unsent = new Map();
  }

  function open(key: string, call: UpstreamCall, path: string, follower?: CallFollower): Read<T> {
    const headers = outgoingHeaders(call.headers, follower?.traceparent);
    const subject = { ...endpoint, path, headers, requestId: call.headers.requestId };
    const read = new Read<T>(parts, subject, (closed) => close(key, closed));
    unsent.set(key, read);
    return read;
  }

  function ask(call: UpstreamCall, path: string, follower?: CallFollower): Promise<T> {
    const key = `${call.callerKey} ${path}`;
    const shared = unsent.get(key);
    const read = shared ?? open(key, call, path, follower);
    const value = read.join(call.signal);
    if (shared === undefined) read.start();
    else noteJoin(call, read);
    if (follower !== undefined) void follow(value, follower, read, shared !== undefined);
    return value;
  }

  function noteJoin({ headers, observer }: UpstreamCall, { requestId }: Read<T>): void {
    parts.observer.shared(endpoint.route);
    if (requestId !== headers.requestId) observer?.joined(requestId);
  }

  // Not async: that would be two more promises a call.
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

/** Tells a follower of the end of its call. */
async function follow<T>(
  value: Promise<T>,
  follower: CallFollower,
  read: Read<T>,
  isShared: boolean,
): Promise<void> {
  const ended = await value.then(() => succeeded, failed);
  follower.end({ ...ended, tries: isShared ? 0 : read.requests, isShared });
}

const succeeded: Pick<CallEnd, 'outcome' | 'status'> = { outcome: 'ok', status: 200 };

function failed(error: unknown): Pick<CallEnd, 'outcome' | 'status'> {
  const outcome = error instanceof GatewayError ? error.code : 'INTERNAL_SERVER_ERROR';
  return error instanceof UpstreamStatusError ? { outcome, status: error.status } : { outcome };
}

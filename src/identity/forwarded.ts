// What of a request goes upstream: the caller's two headers, the request's id and its trace, and nothing else.
import type { Caller } from './caller.ts';

/** The headers that go to the service: docs/http.md. */
export interface Forwarded {
  readonly authorization: string;
  /** x-tenant-id */
  readonly tenant: string;
  /** x-request-id */
  readonly requestId: string;
  readonly traceparent?: string;
  readonly tracestate?: string;
}

/** Headers by their lower-case names, as `IncomingMessage.headers` has them. */
export type TraceHeaders = Readonly<NodeJS.Dict<string | string[]>>;

/** What goes out for this caller. A trace goes on only where it is well formed; two of them are none. */
export function forwarded(caller: Caller, requestId: string, trace: TraceHeaders): Forwarded {
  const { authorization, tenant } = caller;
  const { traceparent, tracestate } = trace;
  if (!isMatch(traceparent, traceparentPattern)) return { authorization, tenant, requestId };
  return isMatch(tracestate, tracestatePattern)
    ? { authorization, tenant, requestId, traceparent, tracestate }
    : { authorization, tenant, requestId, traceparent };
}

/** W3C Trace Context 3.2; later versions may add to it behind a dash. */
const traceparentPattern =
  /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}(?:-[\x21-\x7e]{1,256})?$/;

/** W3C Trace Context 3.3: it is passed on unread, within the length that everyone has to pass on. */
const tracestatePattern = /^[\x20-\x7e]{1,512}$/;

function isMatch(value: string | string[] | undefined, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value);
}

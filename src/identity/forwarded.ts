// The headers that are forwarded to the service: token, tenant, request id and trace headers, and no others.
import type { IncomingHttpHeaders } from 'node:http';
import type { ForwardedHeaders } from '../upstream/call.ts';
import type { Caller } from './caller.ts';

/** Trace headers are forwarded only if valid; a repeated traceparent is invalid. */
export function forwarded(
  { authorization, tenant }: Caller,
  requestId: string,
  { traceparent, tracestate }: IncomingHttpHeaders,
): ForwardedHeaders {
  if (!isMatch(traceparent, traceparentPattern)) return { authorization, tenant, requestId };
  return isMatch(tracestate, tracestatePattern)
    ? { authorization, tenant, requestId, traceparent, tracestate }
    : { authorization, tenant, requestId, traceparent };
}

/** W3C Trace Context 3.2.2: a trace id and a parent id, neither all zeros, and flags. */
const traceFields = String.raw`(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}`;

/** Versions after 00 may append fields after a dash; ff is invalid. */
const traceparentPattern = new RegExp(
  String.raw`^(?:00-${traceFields}|(?!00|ff)[\da-f]{2}-${traceFields}(?:-[\x21-\x7e]{1,256})?)$`,
);

/** W3C Trace Context 3.3: forwarded unparsed, up to the length that all systems should support. */
const tracestatePattern = /^[\x20-\x7e]{1,512}$/;

function isMatch(value: string | string[] | undefined, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value);
}

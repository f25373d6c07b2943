// Schemas for the faults that the control routes accept.
import * as v from 'valibot';
import { durationFrom } from './control-bodies.ts';
import type { Fault } from '../faults/faults.ts';
import { routeNames } from '../service/service-routes.ts';

const text = v.exactOptional(v.string());
const flag = v.exactOptional(v.boolean());
const whole = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max));
/** A JSON pointer (RFC 6901). Without the first `/`, it would match nothing. */
const pointer = v.pipe(v.string(), v.regex(/^(\/|$)/, 'Invalid JSON pointer'));
/** Node.js throws an error for other header values, which would be only when the fault is used. */
const header = v.pipe(v.string(), v.regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'Invalid header value'));
const maybeHeader = v.exactOptional(header);

const scope = {
  match: v.exactOptional(
    v.strictObject({
      route: v.exactOptional(v.picklist(routeNames)),
      accountId: text,
      page: v.exactOptional(whole(-1_000_000)),
      tenant: text,
      holderId: text,
    }),
  ),
  probability: v.exactOptional(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
  skip: v.exactOptional(whole(0)),
  times: v.exactOptional(whole(0)),
};

const of = <const Kind extends string, Entries extends v.ObjectEntries>(
  kind: Kind,
  entries: Entries,
) => v.strictObject({ kind: v.literal(kind), ...scope, ...entries });

/** A fault of any kind. */
export const fault: v.GenericSchema<unknown, Fault> = v.variant('kind', [
  of('status', {
    status: whole(200, 599),
    retryAfter: v.exactOptional(v.union([whole(0), header])),
    body: text,
    contentType: maybeHeader,
  }),
  of('reset', {}),
  of('hang', { afterHalf: flag }),
  of('cutBody', { reset: flag }),
  of('drip', { bytes: v.exactOptional(whole(1)), everyMs: v.exactOptional(durationFrom(1)) }),
  of('delay', { delayMs: durationFrom(0) }),
  of('html', { body: text }),
  of('brokenJson', {}),
  of('wrongShape', { pointer, raw: v.string() }),
  of('wrongShape', { pointer, remove: v.literal(true) }),
  of('wrongShape', { pointer, value: v.unknown() }),
  of('hugeBody', { bytes: whole(14), declared: flag }),
  of('redirect', { status: v.exactOptional(whole(300, 399)), location: maybeHeader }),
  of('encoding', { encoding: v.exactOptional(v.picklist(['gzip', 'deflate', 'br'])) }),
  of('nested', { depth: whole(1, 10_000_000), pointer: v.exactOptional(pointer) }),
  of('informational', { status: v.exactOptional(v.picklist([102, 103])) }),
]);

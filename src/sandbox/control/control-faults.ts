// Schemas for the faults that the control routes accept.
import * as v from 'valibot';
import type { Fault } from '../faults/faults.ts';
import { routeNames } from '../service/service-routes.ts';

const text = v.exactOptional(v.string());
const flag = v.exactOptional(v.boolean());
const whole = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max));
const number = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  v.pipe(v.number(), v.minValue(min), v.maxValue(max));

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
  probability: v.exactOptional(number(0, 1)),
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
    retryAfter: v.exactOptional(v.union([v.string(), whole(0)])),
    body: text,
    contentType: text,
  }),
  of('reset', {}),
  of('hang', { afterHalf: flag }),
  of('cutBody', { reset: flag }),
  of('drip', { bytes: v.exactOptional(whole(1)), everyMs: v.exactOptional(number(1)) }),
  of('delay', { delayMs: number(0) }),
  of('html', { body: text }),
  of('brokenJson', {}),
  of('wrongShape', { pointer: v.string(), raw: v.string() }),
  of('wrongShape', { pointer: v.string(), remove: v.literal(true) }),
  of('wrongShape', { pointer: v.string(), value: v.unknown() }),
  of('hugeBody', { bytes: whole(14), declared: flag }),
  of('redirect', { status: v.exactOptional(whole(300, 399)), location: text }),
  of('encoding', { encoding: v.exactOptional(v.picklist(['gzip', 'deflate', 'br'])) }),
  of('nested', { depth: whole(1, 10_000_000), pointer: text }),
  of('informational', { status: v.exactOptional(v.picklist([102, 103])) }),
]);

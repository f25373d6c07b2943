// The faults that the control routes take, field by field.
import * as read from './control-input.ts';
import type { FaultOf } from './fault-transfers.ts';
import type { Fault, FaultKind } from './faults.ts';

type Fields = Readonly<Record<string, read.Reader<unknown>>>;

const count = read.integer(0);
const status = read.integer(200, 599);

const faultScope = {
  match: read.record(
    {},
    {
      route: read.oneOf('persons', 'companies', 'transactions', 'unknown'),
      accountId: read.text,
      page: read.integer(-1_000_000),
      tenant: read.text,
      holderId: read.text,
    },
  ),
  probability: read.number(0, 1),
  skip: count,
  times: count,
};

const of = <K extends FaultKind['kind'], R extends Fields, O extends Fields>(
  kind: K,
  required: R,
  optional: O,
) => read.record({ kind: read.oneOf(kind), ...required }, { ...faultScope, ...optional });

const place = { pointer: read.text };

const kinds = {
  status: of(
    'status',
    { status },
    { retryAfter: read.either(read.text, count), body: read.text, contentType: read.text },
  ),
  reset: of('reset', {}, {}),
  hang: of('hang', {}, { afterHalf: read.flag }),
  cutBody: of('cutBody', {}, { reset: read.flag }),
  drip: of('drip', {}, { bytes: read.integer(1), everyMs: read.number(1) }),
  delay: of('delay', { delayMs: read.number(0) }, {}),
  html: of('html', {}, { body: read.text }),
  brokenJson: of('brokenJson', {}, {}),
  wrongShape: read.either(
    read.either(
      of('wrongShape', { ...place, raw: read.text }, {}),
      of('wrongShape', { ...place, remove: read.oneOf(true) }, {}),
    ),
    of('wrongShape', { ...place, value: read.anything }, {}),
  ),
  hugeBody: of('hugeBody', { bytes: read.integer(14) }, { declared: read.flag }),
  redirect: of('redirect', {}, { status: read.integer(300, 399), location: read.text }),
  encoding: of('encoding', {}, { encoding: read.oneOf('gzip', 'deflate', 'br') }),
  nested: of('nested', { depth: read.integer(1, 10_000_000) }, place),
  informational: of('informational', {}, { status: read.oneOf(102, 103) }),
} satisfies { [K in FaultKind['kind']]: read.Reader<FaultOf<K>> };

/** A fault of any kind. */
export const fault: read.Reader<Fault> = (value, at) => {
  const names = Object.keys(kinds) as FaultKind['kind'][];
  const kind = read.oneOf(...names)(read.plainObject(value, at)['kind'], `${at}.kind`);
  return kinds[kind](value, at);
};

// Schemas for the bodies of the control routes, except for faults (control-faults.ts).
import * as v from 'valibot';
import { transactionFields } from '../data/transactions.ts';

const text = v.exactOptional(v.string());
const flag = v.exactOptional(v.boolean());
const wholeFrom = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max));
const numberFrom = (min: number) => v.pipe(v.number(), v.minValue(min));
/**
 * Milliseconds for a timer. Node.js would treat 2^31 or more as 1; the limit is lower, because the two latencies are
 * added.
 */
export const durationFrom = (min: number) =>
  v.pipe(v.number(), v.minValue(min), v.maxValue(1_000_000_000));
const count = wholeFrom(0, 1_000_000);
const maybeCount = v.exactOptional(count);

/** Instants are checked here, because an invalid Date would cause an error only much later. */
const instant = v.pipe(
  v.string(),
  v.check((value) => !Number.isNaN(Date.parse(value)), 'Invalid instant'),
);

/** A given number is a string, because a JSON number would lose digits. */
const given = { text, number: text, flag, instant: v.exactOptional(instant) };
type Given = {
  [Name in keyof typeof transactionFields]: (typeof given)[(typeof transactionFields)[Name]];
};
const fields = Object.fromEntries(
  Object.entries(transactionFields).map(([name, kind]) => [name, given[kind]]),
) as Given;
const transaction = v.strictObject({ ...fields, json: text });
const shape = {
  tieSizes: v.exactOptional(v.array(wholeFrom(1))),
  newest: v.exactOptional(instant),
  gapMs: v.exactOptional(numberFrom(0)),
};
const transactions = v.union([v.array(transaction), count]);
const account = {
  id: text,
  balance: text,
  investmentAccount: text,
  transactions: v.exactOptional(transactions),
  ...shape,
};

export const holder = v.strictObject({
  id: text,
  kind: v.exactOptional(v.picklist(['PERSON', 'COMPANY'])),
  tenant: text,
  name: text,
  document: text,
  email: text,
  phone: text,
  accounts: v.exactOptional(v.array(v.strictObject(account))),
});
export const newAccount = v.strictObject({ tenant: text, ...account });
export const statement = v.strictObject({ transactions, ...shape });
export const arrivals = v.pipe(
  v.strictObject({
    count: maybeCount,
    given: v.exactOptional(transaction),
    amongTies: v.exactOptional(v.picklist(['before', 'after', 'random'])),
  }),
  v.check(
    ({ count = 1, given }) => count <= 1 || given?.id === undefined,
    'With a given id, count cannot be more than 1',
  ),
);
export const arrivalStream = v.strictObject({
  everyMs: durationFrom(1),
  count: maybeCount,
  times: maybeCount,
});
export const removal = v.union(
  [
    v.strictObject({ ids: v.array(v.string()) }),
    v.strictObject({ index: count, count: maybeCount }),
    v.strictObject({ random: count }),
  ],
  'Expected ids (a list of texts), index (a number) with or without count, or random (a number)',
);
export const tiedRange = v.strictObject({
  from: count,
  count,
  createdAt: v.exactOptional(instant),
});
export const token = v.strictObject({
  holder: v.string(),
  tenant: text,
  claims: v.exactOptional(v.record(v.string(), v.unknown())),
});
export const readHook = v.strictObject({
  timing: v.exactOptional(v.picklist(['before', 'after'])),
  removals: maybeCount,
  removeAt: maybeCount,
  latePostings: maybeCount,
  arrivals: maybeCount,
  skip: maybeCount,
  times: maybeCount,
});

export const behaviour = v.strictObject({
  pageSize: v.exactOptional(wholeFrom(1)),
  pageBase: v.exactOptional(wholeFrom(0)),
  latencyMs: v.exactOptional(durationFrom(0)),
  latencyJitterMs: v.exactOptional(durationFrom(0)),
  outOfRange: v.exactOptional(v.picklist(['empty', 'clamp', '404'])),
  belowBase: v.exactOptional(v.picklist(['400', 'clamp'])),
  currentPage: v.exactOptional(v.picklist(['index', 'echo'])),
  endDate: v.exactOptional(v.picklist(['inclusive', 'exclusive'])),
  tieOrder: v.exactOptional(v.picklist(['stable', 'shuffled'])),
  wrongPage: v.exactOptional(v.nullable(wholeFrom(0))),
  wrongKind: v.exactOptional(v.picklist([403, 404])),
  requireContentType: v.exactOptional(v.boolean()),
});

// The bodies that the control routes take, field by field.
import type { Behaviour } from './behaviour.ts';
import * as read from './control-input.ts';
import type { NewStatement } from './statement-shape.ts';

const count = read.integer(0, 1_000_000);

/** Instants are checked here: a Date that is none would show only much later. */
const instant: read.Reader<string> = (value, at) => {
  const text = read.text(value, at);
  if (Number.isNaN(Date.parse(text))) throw new read.InputError(`${at} must be an instant.`);
  return text;
};

const transaction = {
  id: read.text,
  amount: read.text,
  status: read.text,
  externalStatus: read.text,
  category: read.text,
  beneficiaryName: read.text,
  type: read.text,
  credit: read.flag,
  createdAt: instant,
  json: read.text,
};
const shape = { tieSizes: read.listOf(read.integer(1)), newest: instant, gapMs: read.number(0) };
const listedTransactions = read.listOf(read.record({}, transaction));
const transactions: read.Reader<NewStatement> = (value, at) =>
  Array.isArray(value) ? listedTransactions(value, at) : count(value, at);
const account = {
  id: read.text,
  balance: read.text,
  investmentAccount: read.text,
  transactions,
  ...shape,
};
const amongTies = read.oneOf('before', 'after', 'random');

export const holder = read.record(
  {},
  {
    id: read.text,
    kind: read.oneOf('PERSON', 'COMPANY'),
    tenant: read.text,
    name: read.text,
    document: read.text,
    email: read.text,
    phone: read.text,
    accounts: read.listOf(read.record({}, account)),
  },
);
export const newAccount = read.record({}, { tenant: read.text, ...account });
export const statement = read.record({ transactions }, shape);
export const arrivals = read.record({}, { count, given: read.record({}, transaction), amongTies });
export const arrivalStream = read.record({ everyMs: read.number(1) }, { count, times: count });
export const removal = read.either(
  read.either(
    read.record({ ids: read.listOf(read.text) }, {}),
    read.record({ index: count }, { count }),
  ),
  read.record({ random: count }, {}),
);
export const tiedRange = read.record({ from: count, count }, { createdAt: instant });
export const token = read.record(
  { holder: read.text },
  { tenant: read.text, claims: read.plainObject },
);
export const readHook = read.record(
  {},
  {
    timing: read.oneOf('before', 'after'),
    removals: count,
    removeAt: count,
    latePostings: count,
    arrivals: count,
    skip: count,
    times: count,
  },
);

const behaviourFields: { readonly [K in keyof Behaviour]: read.Reader<Behaviour[K]> } = {
  pageSize: read.integer(1),
  pageBase: read.integer(0),
  latencyMs: read.number(0),
  latencyJitterMs: read.number(0),
  outOfRange: read.oneOf('empty', 'clamp', '404'),
  belowBase: read.oneOf('400', 'clamp'),
  currentPage: read.oneOf('index', 'echo'),
  endDate: read.oneOf('inclusive', 'exclusive'),
  tieOrder: read.oneOf('stable', 'shuffled'),
  wrongPage: read.either(read.oneOf(null), read.integer(0)),
  wrongKind: read.oneOf(403, 404),
  requireContentType: read.flag,
};
export const behaviour = read.record({}, behaviourFields);

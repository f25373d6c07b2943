// A statement that changes: its rows in the service's order, and the events that change it. Each event returns a new
// statement and keeps the old one, so that the judge can compare every state that a call has read.
import { endpoints } from '../../src/upstream/endpoints.ts';
import type { StatementPage, StatementRow } from '../../src/upstream/shape/shapes.ts';

/** A transaction at its place. Removed rows keep their places, because a cursor continues from the place of its row. */
export interface Entry {
  /** The number of the row. The initial rows have the numbers from 1 on, in the order of posting. */
  readonly serial: number;
  /** createdAt in epoch milliseconds. */
  readonly at: number;
  readonly isGone: boolean;
  /** The number in the row's id, and the row's amount, if they differ from `serial`. */
  readonly name?: number;
  readonly amount?: number;
}

/** The order of a service's rows: by posting, or by createdAt with ties in one of three orders. */
export type Order = 'posted' | 'lastFirst' | 'lastLast' | 'byId';

export interface Statement {
  readonly order: Order;
  /** All rows, including removed rows, in the service's order. */
  readonly entries: readonly Entry[];
  /** The entries that are not removed. */
  readonly live: readonly Entry[];
  /** itemsPerPage. */
  readonly size: number;
  /** Each createdAt whose rows have changed places, so that clients cannot rely on their order. */
  readonly unordered: ReadonlySet<number>;
  /** The number of rows that were posted at the head or with the newest createdAt. */
  readonly arrivals: number;
  /** The number of all other events. */
  readonly otherEvents: number;
}

/** A statement whose rows have these values of createdAt, given in the order of posting, oldest first. */
export function statementOf(order: Order, posted: readonly number[], size: number): Statement {
  const entries = posted.map((at, index) => entryOf(index + 1, at)).reverse();
  if (order !== 'posted') entries.sort((a, b) => b.at - a.at || tieOrders[order](a, b));
  const events = { arrivals: 0, otherEvents: 0 };
  return { order, entries, live: entries, size, unordered: new Set(), ...events };
}

const nothing = statementOf('posted', [], 20);

/** Adds a row at `index`, or at its place in the service's order. */
export function post(statement: Statement, serial: number, at: number, index?: number): Statement {
  const { entries, live } = statement;
  const entry = entryOf(serial, at);
  const place = index ?? placeOf(statement, entry);
  const isArrival = at >= (live[0]?.at ?? -Infinity) || entries.indexOf(live[0] as Entry) >= place;
  return {
    ...withEntries(statement, entries.toSpliced(place, 0, entry)),
    arrivals: statement.arrivals + (isArrival ? 1 : 0),
    otherEvents: statement.otherEvents + (isArrival ? 0 : 1),
  };
}

export function remove(statement: Statement, serial: number): Statement {
  const entries = statement.entries.map((entry) =>
    entry.serial === serial ? { ...entry, isGone: true } : entry,
  );
  return { ...withEntries(statement, entries), otherEvents: statement.otherEvents + 1 };
}

/** Swaps the row at an index of `live` with the next one if both have the same createdAt. */
export function swap(statement: Statement, index: number): Statement {
  const { live, unordered } = statement;
  const [one, other] = [live[index], live[index + 1]];
  if (one === undefined || other?.at !== one.at) return statement;
  const entries = statement.entries.map((entry) =>
    entry === one ? other : entry === other ? one : entry,
  );
  return {
    ...withEntries(statement, entries),
    unordered: new Set([...unordered, one.at]),
    otherEvents: statement.otherEvents + 1,
  };
}

/** Changes a row where it stands. */
export function alter(
  statement: Statement,
  serial: number,
  changes: Partial<Pick<Entry, 'at' | 'name' | 'amount'>>,
): Statement {
  const entries = statement.entries.map((entry) =>
    entry.serial === serial ? { ...entry, ...changes } : entry,
  );
  return { ...withEntries(statement, entries), otherEvents: statement.otherEvents + 1 };
}

/** Moves a row to the head. */
export function lift(statement: Statement, serial: number): Statement {
  const { entries, otherEvents } = statement;
  const lifted = entries.filter((entry) => entry.serial === serial);
  const others = entries.filter((entry) => entry.serial !== serial);
  return { ...withEntries(statement, [...lifted, ...others]), otherEvents: otherEvents + 1 };
}

export function resize(statement: Statement, size: number): Statement {
  const otherEvents = statement.otherEvents + (size === statement.size ? 0 : 1);
  return { ...statement, size, otherEvents };
}

/** What a service sends for a page. */
export interface Sent {
  readonly totalItems: number;
  readonly currentPage: number | null;
  readonly itemsPerPage: number;
  readonly totalPages: number;
  readonly rows: readonly Entry[] | null;
}

/** The page that an ideal service sends; pages beyond the end are empty. */
export function sentPage({ live, size }: Statement, page: number): Sent {
  const rows = live.slice(page * size, (page + 1) * size);
  const totalPages = Math.ceil(live.length / size);
  return { totalItems: live.length, currentPage: page, itemsPerPage: size, totalPages, rows };
}

/** The JSON of a page. */
export function textOf({ rows, ...pagination }: Sent): string {
  return `{"data":${rows === null ? 'null' : `[${rows.map(rowText).join()}]`},"pagination":${JSON.stringify(pagination)}}`;
}

/** A page as src/upstream reads it. */
export function pageOf(sent: Sent): StatementPage {
  const { rows } = sent;
  const page = read(textOf({ ...sent, rows: rows === null ? null : [] }));
  return rows === null ? page : { ...page, rows: rows.map(rowOf) };
}

const read = (text: string) => endpoints.transactions.read(Buffer.from(text)).value;

/** The serial number that a row's id contains. */
export function serialOf(id: string): number {
  return parseInt(id.slice(24), 16);
}

function entryOf(serial: number, at: number): Entry {
  return { serial, at, isGone: false };
}

/** The rows that were read last, by serial number. */
const known: { readonly entry: Entry; readonly row: StatementRow }[] = [];

/** The row of an entry as src/upstream reads it. */
function rowOf(entry: Entry): StatementRow {
  const { serial, at, name, amount } = entry;
  const last = known[serial];
  if (last?.entry.at === at && last.entry.name === name && last.entry.amount === amount) {
    return last.row;
  }
  const [row] = read(textOf({ ...sentPage(nothing, 0), rows: [entry] })).rows;
  if (row === undefined) throw new Error('the row of an entry is not read');
  known[serial] = { entry, row };
  return row;
}

function rowText({ serial, at, name = serial, amount = serial }: Entry): string {
  const createdAt = new Date(at).toISOString();
  return `{"id":"${idOf(name)}","amount":${amount}.25,"status":"DONE","externalStatus":"SUCCESS","category":"Pix enviado","beneficiaryName":"Ana","type":"PIX","credit":false,"createdAt":"${createdAt}"}`;
}

/** The id of the row with a serial number. */
function idOf(serial: number): string {
  const chance = scramble(serial).toString(16).padStart(8, '0');
  return `${chance}-53a5-4f4e-8d9b-${serial.toString(16).padStart(12, '0')}`;
}

const tieOrders: Readonly<Record<Exclude<Order, 'posted'>, (a: Entry, b: Entry) => number>> = {
  lastFirst: (a, b) => b.serial - a.serial,
  lastLast: (a, b) => a.serial - b.serial,
  byId: (a, b) => scramble(a.serial) - scramble(b.serial),
};

function placeOf({ order, entries }: Statement, entry: Entry): number {
  if (order === 'posted') return 0;
  const isBehind = (other: Entry) =>
    other.at < entry.at || (other.at === entry.at && tieOrders[order](entry, other) < 0);
  const place = entries.findIndex(isBehind);
  return place < 0 ? entries.length : place;
}

function withEntries(statement: Statement, entries: readonly Entry[]): Statement {
  return { ...statement, entries, live: entries.filter(({ isGone }) => !isGone) };
}

/** A pseudorandom number, the same in every run. */
export function scramble(number: number): number {
  const mixed = Math.imul(number ^ (number >>> 16), 0x85ebca6b);
  return Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) >>> 0;
}

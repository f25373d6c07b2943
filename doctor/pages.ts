// Reads a statement for the doctor, by the service's own page numbers, and compares pages.
import { isDeepStrictEqual } from 'node:util';
import { NO_KEY, type StatementPage } from '../src/upstream/shape/shapes.ts';
import type { Contents } from './questions/contents.ts';
import { isObject, parsed } from './json.ts';
import type { Service, Status } from './service.ts';

/** The parameters of a request for a page; absent fields are not sent. */
export interface PageAsk {
  readonly page?: number;
  /** yyyy-MM-dd */
  readonly startDate?: string;
  /** yyyy-MM-dd */
  readonly endDate?: string;
}

export interface Row {
  /** A hash of the id; NO_KEY without a usable id. */
  readonly key: number;
  /** Epoch milliseconds; null without a usable createdAt. */
  readonly createdAtMs: number | null;
  /** The values that tell two transactions with one id apart, as JSON. */
  readonly content: string;
}

export interface Page extends Pick<StatementPage, 'totalItems'> {
  readonly itemsPerPage: number;
  readonly rows: readonly Row[];
  /** As the service sent them. */
  readonly currentPage: unknown;
  readonly totalPages: unknown;
}

/** An answer to a request for a page. */
export interface PageReply {
  readonly status: Status;
  /** Null if the status is not 200, or the body is not a usable page. */
  readonly page: Page | null;
  /** Why there is no page. */
  readonly reason: string;
}

/** The statement of one account. */
export interface Statement {
  read(ask: PageAsk): Promise<PageReply>;
}

export function openStatement(service: Service, contents: Contents, accountId: string): Statement {
  return {
    async read(ask) {
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(ask)) query.set(name, `${value}`);
      const search = query.size === 0 ? '' : `?${query.toString()}`;
      const path = `/accounts/${encodeURIComponent(accountId)}/transactions${search}`;
      const reply = await service.get(path);
      const { status, body } = reply;
      const page = contents.add('transactions', reply);
      if (typeof page === 'string') return { status, page: null, reason: page };
      return { status, page: pageOf(page, body === null ? null : parsed(body)), reason: '' };
    },
  };
}

function pageOf({ totalItems, itemsPerPage, rows }: StatementPage, sent: unknown): Page {
  const { data, pagination } = isObject(sent) ? sent : {};
  const stated = isObject(pagination) ? pagination : {};
  const sentRows: readonly unknown[] = Array.isArray(data) ? data : [];
  return {
    totalItems,
    itemsPerPage: itemsPerPage ?? 1,
    currentPage: stated['currentPage'],
    totalPages: stated['totalPages'],
    rows: rows.map(({ key, createdAtMs }, index) => {
      const { amount, credit, type, createdAt } = objectOf(sentRows[index]);
      return { key, createdAtMs, content: JSON.stringify([amount, credit, type, createdAt]) };
    }),
  };
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

/** The number of pages, computed from totalItems and itemsPerPage. */
export function pageCount({ totalItems, itemsPerPage }: Page): number {
  return Math.ceil(totalItems / itemsPerPage);
}

/**
 * Whether two answers show the same page: more than half of the comparable rows of the shorter one are in both answers.
 * The other rows may have arrived or vanished between the two reads. Null if too few rows are comparable.
 */
export function isSamePage(one: Page, other: Page): boolean | null {
  const [rows, others] = [comparableRows(one, other), comparableRows(other, one)];
  const shorter = Math.min(one.rows.length, other.rows.length);
  if ((rows.length + others.length) * 2 < shorter) return null;
  const known = new Set(others.map(({ key }) => key));
  const shared = rows.filter(({ key }) => known.has(key)).length;
  return shared > 0 && shared * 2 > Math.min(rows.length, others.length);
}

/** The reason if `isSamePage` returns null. */
export const manyTies =
  'too many rows have no id, or the same createdAt on both pages: choose another --account';

/**
 * The rows of `page` without those that prove nothing: rows without an id, and rows whose createdAt is on both pages,
 * but with different ids. If the service reorders ties, any rows of a tie can be on either page.
 */
function comparableRows(page: Page, other: Page): Row[] {
  const [keys, otherKeys] = [keysByTime(page), keysByTime(other)];
  return page.rows.filter(({ key, createdAtMs }) => {
    const there = otherKeys.get(createdAtMs);
    if (key === NO_KEY) return false;
    if (createdAtMs === null || there === undefined) return true;
    return isDeepStrictEqual(there, keys.get(createdAtMs));
  });
}

function keysByTime({ rows }: Page): Map<number | null, Set<number>> {
  const groups = Map.groupBy(rows, ({ createdAtMs }) => createdAtMs);
  return new Map([...groups].map(([time, group]) => [time, new Set(group.map(({ key }) => key))]));
}

/** The largest number of attempts to read pages of the same state, because the statement may change between reads. */
const maxTries = 4;

/**
 * Reads several pages, if possible of the same state. If their totalItems differ, all pages are read again. Returns the
 * pages of the last attempt even if they still differ.
 */
export async function readTogether<const Asks extends readonly PageAsk[]>(
  statement: Statement,
  asks: Asks,
): Promise<{ [Index in keyof Asks]: PageReply }> {
  for (let tries = 1; ; tries++) {
    const replies: PageReply[] = [];
    for (const ask of asks) replies.push(await statement.read(ask));
    const totals = new Set(replies.flatMap(({ page }) => page?.totalItems ?? []));
    if (totals.size <= 1 || tries === maxTries) {
      return replies as { [Index in keyof Asks]: PageReply };
    }
  }
}

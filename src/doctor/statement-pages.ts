// The statement that the doctor reads: its pages by the service's own numbers, and comparisons of them.
import { GatewayError } from '../errors.ts';
import type { StatementPage, StatementRow } from '../upstream/shape/shapes.ts';
import { parseStatementPage } from '../upstream/shape/statement-shape.ts';
import type { Contents } from './questions/contents.ts';
import type { Service } from './probe.ts';

/** Which page of it, and of which days; what is absent is not sent. */
export interface PageAsk {
  readonly page?: number;
  /** yyyy-MM-dd */
  readonly startDate?: string;
  /** yyyy-MM-dd */
  readonly endDate?: string;
}

/** An answer about a page. */
export interface PageReply {
  readonly status: number;
  /** Null where the status is not 200, or the body no usable page. */
  readonly page: StatementPage | null;
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
      if (reply.status === 200) contents.add('/transactions', reply);
      return { status: reply.status, page: reply.status === 200 ? parsed(reply.text) : null };
    },
  };
}

function parsed(text: string): StatementPage | null {
  try {
    return parseStatementPage(text);
  } catch (error) {
    // Told as a violation by the contents already.
    if (error instanceof GatewayError) return null;
    throw error;
  }
}

/** How many pages the statement has, by its totals. */
export function pageCount({ totalItems, itemsPerPage }: StatementPage): number {
  return Math.ceil(totalItems / itemsPerPage);
}

/** Whether two answers are one page: more than half of the rows of the shorter are in both. Some may have arrived. */
export function isSamePage(one: StatementPage, other: StatementPage): boolean {
  const shared = sharedRows(one.rows, other.rows).length;
  return shared > 0 && shared * 2 > Math.min(one.rows.length, other.rows.length);
}

/** The ids of `rows` that are in `others` too, in the order of `rows`. */
export function sharedRows(
  rows: readonly StatementRow[],
  others: readonly StatementRow[],
): string[] {
  const known = new Set(others.map(({ id }) => id));
  return rows.flatMap(({ id }) => (id !== null && known.has(id) ? [id] : []));
}

/** How often a comparison is made anew because the statement moved meanwhile. */
const maxTries = 4;

/** Reads several pages of one state: anew where they do not agree in totalItems. The last try counts as it is. */
export async function readTogether(
  statement: Statement,
  asks: readonly PageAsk[],
): Promise<PageReply[]> {
  for (let tries = 1; ; tries++) {
    const replies: PageReply[] = [];
    for (const ask of asks) replies.push(await statement.read(ask));
    const totals = new Set(replies.flatMap(({ page }) => page?.totalItems ?? []));
    if (totals.size <= 1 || tries === maxTries) return replies;
  }
}

// Answers with one page of a statement: selects the rows between the dates, and the requested page of these rows.
import { refuse, type Answer } from './answer.ts';
import type { Behaviour } from '../behaviour.ts';
import type { Random } from '../random.ts';
import type { Row } from '../data/transactions.ts';

/** The unvalidated query of GET /accounts/{accountId}/transactions (docs/service.md). */
export type StatementQuery = Readonly<Record<string, string>>;

const dayMs = 86_400_000;

/**
 * Answers with a page according to the behaviour. `random` orders rows with the same createdAt if `tieOrder` is
 * 'shuffled'.
 */
export function answerStatement(
  rows: readonly Row[],
  query: StatementQuery,
  behaviour: Behaviour,
  random: Random,
): Answer {
  const fault = faultIn(query);
  if (fault !== null) return refuse(400, fault);
  const matching = withinDates(rows, query, behaviour.endDate);
  const asked = Number(query['page'] ?? behaviour.pageBase);
  const index = pageIndex(asked, pageCount(matching, behaviour), behaviour);
  if (typeof index !== 'number') return index;
  return { status: 200, body: textOf(matching, index, behaviour, random) };
}

function faultIn({ page, startDate, endDate }: StatementQuery): string | null {
  if (page !== undefined && !/^-?\d{1,15}$/.test(page)) return 'page must be an integer.';
  if (!isDate(startDate)) return 'startDate must be a yyyy-MM-dd date.';
  if (!isDate(endDate)) return 'endDate must be a yyyy-MM-dd date.';
  const isReversed = startDate !== undefined && endDate !== undefined && startDate > endDate;
  return isReversed ? 'startDate must not be later than endDate.' : null;
}

/** Whether a date is absent or exists in the calendar (2026-02-30 does not). */
function isDate(text: string | undefined): boolean {
  if (text === undefined) return true;
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

function withinDates(
  rows: readonly Row[],
  { startDate, endDate }: StatementQuery,
  end: Behaviour['endDate'],
): readonly Row[] {
  if (startDate === undefined && endDate === undefined) return rows;
  const fromMs = startDate === undefined ? -Infinity : Date.parse(startDate);
  const lastDayMs = end === 'inclusive' ? dayMs : 0;
  const beforeMs = endDate === undefined ? Infinity : Date.parse(endDate) + lastDayMs;
  return rows.filter((row) => row.createdAtMs >= fromMs && row.createdAtMs < beforeMs);
}

function pageCount(rows: readonly Row[], { pageSize }: Behaviour): number {
  return Math.ceil(rows.length / pageSize);
}

/**
 * The page to answer with, counted from 0, or a refusal of the requested one. The first page always exists, even
 * without rows.
 */
function pageIndex(asked: number, pages: number, behaviour: Behaviour): number | Answer {
  const index = (behaviour.wrongPage ?? asked) - behaviour.pageBase;
  if (index < 0) {
    const first = behaviour.pageBase;
    return behaviour.belowBase === 'clamp' ? 0 : refuse(400, `page must not be below ${first}.`);
  }
  const last = Math.max(0, pages - 1);
  if (index <= last || behaviour.outOfRange === 'empty') return index;
  return behaviour.outOfRange === 'clamp' ? last : refuse(404, 'There is no such page.');
}

function textOf(rows: readonly Row[], index: number, behaviour: Behaviour, random: Random): string {
  const { pageSize, pageBase } = behaviour;
  const from = index * pageSize;
  const page =
    behaviour.tieOrder === 'shuffled'
      ? shuffledTies(rows, from, from + pageSize, random)
      : rows.slice(from, from + pageSize);
  const pagination = {
    totalItems: rows.length,
    currentPage: behaviour.currentPage === 'index' ? index : index + pageBase,
    itemsPerPage: pageSize,
    totalPages: pageCount(rows, behaviour),
  };
  const data = page.map((row) => row.json).join(',');
  return `{"data":[${data}],"pagination":${JSON.stringify(pagination)}}`;
}

/**
 * The rows of [from, to), with every group of rows with the same createdAt reordered, even if a group extends beyond
 * the range.
 */
function shuffledTies(rows: readonly Row[], from: number, to: number, random: Random): Row[] {
  const start = groupStart(rows, from);
  const shuffled: Row[] = [];
  for (let at = start; at < rows.length && at < to;) {
    const end = groupEnd(rows, at);
    for (const row of random.shuffled(rows.slice(at, end))) shuffled.push(row);
    at = end;
  }
  return shuffled.slice(from - start, to - start);
}

function groupStart(rows: readonly Row[], index: number): number {
  let start = Math.min(index, rows.length);
  while (start > 0 && rows[start - 1]?.createdAtMs === rows[start]?.createdAtMs) start -= 1;
  return start;
}

function groupEnd(rows: readonly Row[], start: number): number {
  let end = start + 1;
  while (end < rows.length && rows[end]?.createdAtMs === rows[start]?.createdAtMs) end += 1;
  return end;
}

// Builds a whole statement: its transactions, their distribution over time, and ties if requested.
import type { Random } from '../random.ts';
import { createRow, type NewTransaction, type Row } from './transactions.ts';

/** A number of transactions to generate, or the transactions themselves, newest first; their order is kept. */
export type NewStatement = number | readonly NewTransaction[];

/**
 * The distribution of a statement's transactions over time. Transactions with their own createdAt are not affected.
 */
export interface StatementShape {
  /**
   * The sizes of groups of transactions with the same createdAt, newest first, repeated as needed; by default [1],
   * which makes no ties.
   */
  readonly tieSizes?: readonly number[];
  /** createdAt of the newest transaction; by default at most an hour before the time of the account's clock. */
  readonly newest?: string;
  /**
   * Milliseconds between two groups; by default irregular. Without ties, a statement of many transactions then covers
   * about half a year.
   */
  readonly gapMs?: number;
}

const hourMs = 3_600_000;
const coveredMs = 170 * 24 * hourMs;
const longestMeanGapMs = 30 * hourMs;

/** The rows of a statement, newest first. `latestMs` (epoch ms) is the time of the account's clock. */
export function buildStatement(
  random: Random,
  latestMs: number,
  statement: NewStatement,
  shape: StatementShape,
): Row[] {
  const given = typeof statement === 'number' ? madeUp(statement) : statement;
  const nextGapMs = gaps(random, given.length, shape);
  const isGroupStart = groupStarts(shape.tieSizes ?? [1]);
  const newest = shape.newest ?? latestMs - random.integer(1, hourMs);
  let atMs = new Date(newest).getTime();
  return given.map((transaction, index) => {
    if (isGroupStart() && index > 0) atMs -= nextGapMs();
    return createRow(random, atMs, transaction);
  });
}

function madeUp(count: number): NewTransaction[] {
  return Array.from({ length: count }, () => ({}));
}

/**
 * Returns a function that returns the next gap: `gapMs`, or by default a random time from 1 ms to twice the mean. The
 * mean is at most 30 hours, so that short statements resemble those of an account in use.
 */
function gaps(random: Random, count: number, { gapMs }: StatementShape): () => number {
  if (gapMs !== undefined) return () => gapMs;
  const meanMs = Math.min(Math.trunc(coveredMs / Math.max(1, count)), longestMeanGapMs);
  return () => random.integer(1, 2 * meanMs);
}

/**
 * Returns a function that is called once per row, and returns whether the row begins a group. Sizes below 1 count as 1.
 */
function groupStarts(sizes: readonly number[]): () => boolean {
  let group = 0;
  let left = 0;
  return () => {
    left -= 1;
    if (left > 0) return false;
    left = Math.max(1, sizes[group % sizes.length] ?? 1);
    group += 1;
    return true;
  };
}

// What became of reading a slice, told to whoever counts: above all whether the statement moved under it. Pure.
import { ContractViolationError, GatewayError } from '../errors.ts';
import type { Cursor } from './cursor.ts';
import type { PlannedSlice, Wanted } from './plan.ts';
import type { Direction } from './search.ts';
import type { Sight } from './sight.ts';

/** How reading a slice ended; a label, hence few and fixed. */
export type SliceOutcome =
  /** The statement was as its cursor, and its pages, said. */
  | 'still'
  /** Rows had moved since the cursor was issued, or while the pages were read: noticed and repaired. */
  | 'shifted'
  /** No place was left to go on from: CURSOR_EXPIRED. */
  | 'expired'
  /** The service's pages contradict its document or one another. */
  | 'violation'
  /** A page could not be read. */
  | 'failed';

/** Follows the reading of slices. Called on the hot path: it must not throw. */
export interface StatementObserver {
  /** `rereads` pages were read more than once for it. */
  slice(outcome: SliceOutcome, rereads: number): void;
}

/** Whether a slice that was given needed repair, judged by the pages read for it. */
export function outcomeOfSlice(
  { cursor, direction }: Wanted,
  slice: PlannedSlice,
  reads: readonly Sight[],
): SliceOutcome {
  const hasMoved =
    reads.some(({ total }) => total !== slice.total) ||
    (cursor !== null && isElsewhere(cursor, direction, slice));
  return hasMoved ? 'shifted' : 'still';
}

/** Arrivals and removals may cancel out in the total: then the cursor's row, or the one after it, is not where it was. */
function isElsewhere(
  cursor: Cursor,
  direction: Direction,
  { total, before, rows: [first] }: PlannedSlice,
): boolean {
  if (cursor.total !== total) return true;
  if (before !== undefined && before.key !== cursor.key) return true;
  return first !== undefined && first.distance !== total - 1 - cursor.index - direction;
}

/** How a slice that was not given ended. */
export function outcomeOfError(error: unknown): SliceOutcome {
  if (error instanceof ContractViolationError) return 'violation';
  return error instanceof GatewayError && error.code === 'CURSOR_EXPIRED' ? 'expired' : 'failed';
}

/** How many reads were of a page that had been read before. */
export function countRereads(reads: readonly Sight[]): number {
  return reads.length - new Set(reads.map(({ page }) => page)).size;
}

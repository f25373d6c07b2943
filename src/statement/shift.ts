// What became of reading a slice, for metrics and logs: whether the statement moved under it, and why it expired. Pure.
import { ContractViolationError, GatewayError } from '../errors.ts';
import type { PageView } from './page-view.ts';
import type { PlannedSlice, Wanted } from './plan.ts';

/** How reading a slice ended; a label, hence few and fixed. */
export type SliceOutcome =
  /** No row had moved: the cursor and all pages agreed. */
  | 'still'
  /** Rows had moved since the cursor was issued, or while the pages were read: noticed and repaired. */
  | 'shifted'
  /** No place was left to go on from: CURSOR_EXPIRED. */
  | 'expired'
  /** The service's pages contradict its document or one another. */
  | 'violation'
  /** A page could not be read. */
  | 'failed';

/** How a shift was noticed and repaired. */
export type ShiftReason =
  /** Rows came at the head only: the cursor's row is as far from the oldest as it was. */
  | 'arrivals'
  /** Rows came or went elsewhere: the cursor's row was found at another place. */
  | 'moved'
  /** The cursor's row is gone; a row that stood near it was found. */
  | 'neighbour'
  /** The cursor's row and those near it are gone; the place was found by createdAt. */
  | 'createdAt'
  /** Rows of one createdAt changed places. */
  | 'tieOrder'
  /** The statement changed while the slice was read. */
  | 'during';

/** Why a cursor has expired. */
export type ExpiryReason =
  /** Its row and all rows that it names are gone, and createdAt does not tell where they stood. */
  | 'gone'
  /** The same, among rows that share its createdAt. */
  | 'ties'
  /** Rows that share its createdAt changed places, and there are more of them than it lists. */
  | 'tieOrder'
  /** Its row has no id, and several rows may be it. */
  | 'noId'
  /** Its row was not found within the bound on calls. */
  | 'tooFar'
  /** The statement changes faster than it can be read. */
  | 'unsettled';

/** Follows the reading of slices. Called on the hot path: it must not throw. */
export interface StatementObserver {
  /** `reason` is empty unless it was shifted or has expired; `rereads` pages were read more than once for it. */
  slice(outcome: SliceOutcome, reason: ShiftReason | ExpiryReason | '', rereads: number): void;
}

/** CURSOR_EXPIRED with the reason, which is shown in `extensions` outside production. */
export class CursorExpiredError extends GatewayError {
  readonly reason: ExpiryReason;

  constructor(reason: ExpiryReason, isShown: boolean) {
    super('CURSOR_EXPIRED', isShown ? { reason } : {});
    this.name = 'CursorExpiredError';
    this.reason = reason;
  }
}

/** Why a slice needed repair, judged by the pages read for it; empty if it needed none. */
export function shiftOf(
  { cursor, direction }: Wanted,
  { total, rows: [first], by, before }: PlannedSlice,
  reads: readonly PageView[],
): ShiftReason | '' {
  if (by === 'neighbour' || by === 'createdAt' || by === 'tieOrder') return by;
  if (reads.some((view) => view.total !== total)) return 'during';
  if (cursor === null) return '';
  const own = before?.distance ?? (first === undefined ? null : first.distance + direction);
  if (own !== null && own !== cursor.total - 1 - cursor.index) return 'moved';
  return cursor.total === total ? '' : 'arrivals';
}

/** How a slice that was not given ended. */
export function outcomeOfError(error: unknown): SliceOutcome {
  if (error instanceof ContractViolationError) return 'violation';
  return error instanceof CursorExpiredError ? 'expired' : 'failed';
}

/** How many reads were of a page that had been read before. */
export function countRereads(reads: readonly PageView[]): number {
  return reads.length - new Set(reads.map(({ page }) => page)).size;
}

// The outcome of a slice, for metrics and logs: whether the statement changed, and why a cursor expired.
// Pure.
import { ContractViolationError, GatewayError } from '../errors.ts';
import type { PageView } from './page-view.ts';
import type { PlannedSlice, Wanted } from './plan.ts';

/** The outcome of a slice; used as a label, so the values are few and fixed. */
export type SliceOutcome =
  /** Nothing had changed: the cursor and all pages agreed. */
  | 'still'
  /** Rows had moved since the cursor was issued or during the reads; the slice was corrected. */
  | 'shifted'
  /** CURSOR_EXPIRED: the place of the cursor could not be found. */
  | 'expired'
  /** The pages contradict the API description or each other. */
  | 'violation'
  /** A page could not be read. */
  | 'failed';

/** How a shift was detected. */
export type ShiftReason =
  /** Arrivals at the head only: the distance of the cursor's row is unchanged. */
  | 'arrivals'
  /** Other arrivals or removals: the cursor's row was found at another distance. */
  | 'moved'
  /** The cursor's row is gone; a row near it was found. */
  | 'neighbour'
  /** The cursor's row and those near it are gone; the place was found by createdAt. */
  | 'createdAt'
  /** Rows with the same createdAt changed places. */
  | 'tieOrder'
  /** The statement changed during the reads of the slice. */
  | 'during';

/** Why a cursor has expired. */
export type ExpiryReason =
  /** Its row and all named rows are gone, and createdAt does not determine the place. */
  | 'gone'
  /** The same, among rows with its createdAt. */
  | 'ties'
  /** Rows with its createdAt changed places, and it does not list all of them. */
  | 'tieOrder'
  /** Its row has no id, and several rows match it. */
  | 'noId'
  /** Its row was not found within the bound on calls. */
  | 'tooFar'
  /** The statement changes faster than it can be read. */
  | 'unsettled';

/** Observes the slices that are read. Called on the hot path: must not throw. */
export interface StatementObserver {
  /**
   * `reason` is empty unless the slice was shifted or has expired; `rereads` is the number of
   * repeated page reads.
   */
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

/** Why a slice was corrected, by the pages that were read for it; empty if it was not. */
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

/** The outcome of a slice that failed. */
export function outcomeOfError(error: unknown): SliceOutcome {
  if (error instanceof ContractViolationError) return 'violation';
  return error instanceof CursorExpiredError ? 'expired' : 'failed';
}

/** The number of reads of pages that had been read before. */
export function countRereads(reads: readonly PageView[]): number {
  return reads.length - new Set(reads.map(({ page }) => page)).size;
}

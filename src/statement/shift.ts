// The outcome of a slice, for metrics and logs: whether the statement changed, or why the cursor expired. Pure.
import { GatewayError } from '../errors.ts';
import { UpstreamStatusError } from '../upstream/client.ts';
import type { PageView } from './page-view.ts';
import type { PlannedSlice, Wanted } from './plan.ts';
import type { ExpiryReason } from './place.ts';

/** `shifted`: rows moved after the cursor was issued or during the reads. `failed`: any other kind of error. */
export type SliceOutcome = 'still' | 'shifted' | 'expired' | 'unsettled' | 'violation' | 'failed';

/** How a shift was detected; README.md explains each reason. */
export type ShiftReason = 'arrivals' | 'moved' | 'neighbour' | 'createdAt' | 'tieOrder' | 'during';

/** Observes slices. Called on the hot path; must not throw. */
export interface StatementObserver {
  /**
   * `reason` is empty unless the outcome is shifted or expired; `rereads` is the number of repeated page reads,
   * `shortPages` that of pages with fewer rows than their totals count.
   */
  slice(
    outcome: SliceOutcome,
    reason: ShiftReason | ExpiryReason | '',
    rereads: number,
    shortPages: number,
  ): void;
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

/** How the shift of a slice was detected; empty if there was no shift. `reads` are the pages read for the slice. */
export function shiftOf(
  { cursor, totalOnly }: Wanted,
  { total, by, behind }: PlannedSlice,
  reads: readonly PageView[],
): ShiftReason | '' {
  if (by === 'neighbour' || by === 'createdAt' || by === 'tieOrder') return by;
  if (reads.some((view) => view.total !== total)) return 'during';
  if (cursor === null || totalOnly) return '';
  if (behind !== cursor.total - 1 - cursor.index) return 'moved';
  return cursor.total === total ? '' : 'arrivals';
}

export function outcomeOfError(error: unknown): SliceOutcome {
  if (error instanceof CursorExpiredError) return 'expired';
  // A status such as 204 has the same code, but no page.
  if (!(error instanceof GatewayError) || error instanceof UpstreamStatusError) return 'failed';
  if (error.code === 'STATEMENT_UNSETTLED') return 'unsettled';
  return error.code === 'UPSTREAM_CONTRACT_VIOLATION' ? 'violation' : 'failed';
}

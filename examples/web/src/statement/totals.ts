// What came in and what went out, exactly, by status: money of a canceled or failed transaction did not move, and that
// of one in progress has not yet.
import { sumDecimals } from '../export/decimal.ts';
import type { LineFragment } from '../generated/graphql.ts';

/** The statuses in the order of display; UNKNOWN if the gateway could not read it. */
export const statuses = ['DONE', 'PROCESSING', 'CANCELED', 'ERROR', 'UNKNOWN'] as const;

export type Status = (typeof statuses)[number];

export interface Total {
  readonly status: Status;
  readonly cameIn: string;
  /** Negative, as `signedAmount`. */
  readonly wentOut: string;
}

export interface Totals {
  /** Of each status that occurs with an amount; of DONE in any case. */
  readonly totals: readonly Total[];
  /** The number of lines without an amount or direction, which are in no total. */
  readonly leftOut: number;
}

export function totalsOf(lines: readonly LineFragment[]): Totals {
  const whole = lines.filter(({ signedAmount }) => signedAmount !== null);
  const byStatus = Map.groupBy(whole, statusOf);
  return {
    totals: statuses
      .filter((status) => status === 'DONE' || byStatus.has(status))
      .map((status) => totalOf(status, byStatus.get(status) ?? [])),
    leftOut: lines.length - whole.length,
  };
}

export function statusOf({ status }: LineFragment): Status {
  return status ?? 'UNKNOWN';
}

function totalOf(status: Status, lines: readonly LineFragment[]): Total {
  const sumOf = (isIn: boolean) =>
    sumDecimals(
      lines.flatMap(({ credit, signedAmount }) => (credit === isIn ? (signedAmount ?? []) : [])),
    );
  return { status, cameIn: sumOf(true), wentOut: sumOf(false) };
}

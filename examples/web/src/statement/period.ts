// The selected period, in whole days of the holder's time zone, and the dates for the request to the gateway.
import { wallTimeOf } from '../dates.ts';

/** Days as yyyy-MM-dd, both included; null means no bound on that side. */
export interface Period {
  readonly from: string | null;
  readonly to: string | null;
}

export const always: Period = { from: null, to: null };

/**
 * The service documents neither whether startDate and endDate are inclusive nor in which time zone its days begin.
 * An exclusive bound removes one day, and another time zone less than one more. Two extra days on each side are
 * therefore always enough, and `selectWithin` removes the surplus.
 */
const marginDays = 2;

/** `from` and `to` for the gateway: the period with a margin. */
export function askedFor({ from, to }: Period): Period {
  return {
    from: from === null ? null : addDays(from, -marginDays),
    to: to === null ? null : addDays(to, marginDays),
  };
}

/** The rows of a period, and the number of rows that may belong to it. */
export interface Selection<Row> {
  readonly rows: readonly Row[];
  /** Rows without a readable instant; 0 for the period without bounds, which contains them. */
  readonly undated: number;
}

interface Dated {
  readonly createdAt: string | null;
}

/** Selects the rows of the period. A row without a readable instant is counted, so that no sum is silently wrong. */
export type Select = <Row extends Dated>(rows: readonly Row[]) => Selection<Row>;

/** Creates a selection from a growing list, which determines the day of each row only once. */
export function createSelection(period: Period, timeZone: string): Select {
  if (period.from === null && period.to === null) return (rows) => ({ rows, undated: 0 });
  const days = new WeakMap<Dated, string | null>();
  const dayOf = (row: Dated): string | null => {
    const known = days.get(row);
    if (known !== undefined) return known;
    const day = wallTimeOf(row.createdAt, timeZone)?.day ?? null;
    days.set(row, day);
    return day;
  };
  return (rows) => ({
    rows: rows.filter((row) => isDayWithin(dayOf(row), period)),
    undated: rows.filter((row) => dayOf(row) === null).length,
  });
}

function isDayWithin(day: string | null, { from, to }: Period): boolean {
  if (day === null) return false;
  return (from === null || day >= from) && (to === null || day <= to);
}

/** The month of a day and the months before it, newest first. */
export function recentMonths(day: string, count: number): Period[] {
  const [year = 0, month = 0] = day.split('-').map(Number);
  return Array.from({ length: count }, (_, back) => ({
    from: dayText(Date.UTC(year, month - 1 - back, 1)),
    to: dayText(Date.UTC(year, month - back, 0)),
  }));
}

function addDays(day: string, days: number): string {
  return dayText(Date.parse(day) + days * 86_400_000);
}

function dayText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

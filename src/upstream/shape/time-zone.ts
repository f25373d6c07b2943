// The time zone of timestamps that name none (UPSTREAM_TIME_ZONE).

export interface TimeZone {
  /** The offset from UTC at a local time, such as `-03:00`. `localMs` is that time as if it were UTC. */
  offsetAt(localMs: number): string;
}

const dayMs = 86_400_000;

/** The largest number of days whose offset is remembered: Intl takes as long for a timestamp as ten rows do. */
const maxDays = 1000;

/** `name` is that of the IANA database, or an offset such as `-03:00`. Throws a RangeError for any other name. */
export function createTimeZone(name: string): TimeZone {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  let days = new Map<number, string>();

  function offsetOfInstant(ms: number): string {
    const parts = format.formatToParts(ms);
    const shown = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
    // GMT, or GMT-03:00; before standard time, there may be seconds.
    return shown.slice('GMT'.length, 'GMT-03:00'.length) || '+00:00';
  }

  /** A time that a change of clocks repeats is the first one; for a time that it skips, the offset before it holds. */
  function offsetBetween(localMs: number, before: string, after: string): string {
    const isConsistent = (offset: string) =>
      offsetOfInstant(localMs - millisecondsOf(offset)) === offset;
    return isConsistent(before) || !isConsistent(after) ? before : after;
  }

  return {
    offsetAt(localMs) {
      const day = Math.floor(localMs / dayMs);
      const known = days.get(day);
      if (known !== undefined) return known;
      // No offset is more than a day, so these instants enclose the local day.
      const before = offsetOfInstant((day - 1) * dayMs);
      const after = offsetOfInstant((day + 2) * dayMs);
      if (before !== after) return offsetBetween(localMs, before, after);
      if (days.size >= maxDays) days = new Map();
      days.set(day, before);
      return before;
    },
  };
}

function millisecondsOf(offset: string): number {
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number);
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

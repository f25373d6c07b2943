// RFC 3339 timestamps, checked by hand: a page has twenty and more, and Date.parse takes what is none.

const dayMs = 86_400_000;
const daysInMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Epoch milliseconds of an RFC 3339 date-time, finer fractions cut off; null where the text is none: no real date, no
 * offset, anything around it. A leap second (`:60`) is refused, as neither Date nor most clients can hold one.
 */
export function timestampMs(text: string): number | null {
  return timestampMsAt(text, 0, text.length);
}

/** The same of a part of a text, which need not be cut out of it. */
export function timestampMsAt(text: string, start: number, end: number): number | null {
  const offsetAt = fractionEnd(text, start);
  const offset = offsetMs(text, offsetAt, end - offsetAt);
  const ms = dayOf(text, start) * dayMs + timeOfDayMs(text, start) - offset;
  return Number.isNaN(ms) ? null : ms;
}

/**
 * The UTC date, yyyy-MM-dd, of an RFC 3339 date-time or of a date alone; null where the text is neither, or where its UTC
 * date falls outside of the years 0000 to 9999.
 */
export function utcDate(text: string): string | null {
  if (text.length === 10) return Number.isNaN(dayOf(text, 0)) ? null : text;
  const ms = timestampMs(text);
  if (ms === null) return null;
  const iso = new Date(ms).toISOString();
  return iso.length === 24 ? iso.slice(0, 10) : null;
}

// What does not read as it should is NaN, which goes through the sums above to their end.

/** Days from 1970-01-01 to the proleptic Gregorian date that starts there. */
function dayOf(text: string, start: number): number {
  const year = twoDigits(text, start) * 100 + twoDigits(text, start + 2);
  const month = twoDigits(text, start + 5);
  const day = twoDigits(text, start + 8);
  const isDate = hasAt(text, start + 4, '-') && hasAt(text, start + 7, '-') && day >= 1;
  return isDate && day <= monthLength(year, month) ? daysSinceEpoch(year, month, day) : NaN;
}

function monthLength(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return isLeap && month === 2 ? 29 : (daysInMonth[month - 1] ?? NaN);
}

/** Years are counted from March, so that a leap day is the last of its year and needs no case of its own. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const monthsFromMarch = (month + 9) % 12;
  const leapDays =
    Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return marchYear * 365 + leapDays + Math.floor((153 * monthsFromMarch + 2) / 5) + day - 719_469;
}

/** Milliseconds since midnight of `THH:mm:ss` and its fraction, behind the date. */
function timeOfDayMs(text: string, start: number): number {
  const isTime =
    (hasAt(text, start + 10, 'T') || hasAt(text, start + 10, 't')) &&
    hasAt(text, start + 13, ':') &&
    hasAt(text, start + 16, ':');
  const seconds = hoursAndMinutes(text, start + 11) * 60 + upTo(59, twoDigits(text, start + 17));
  return isTime ? seconds * 1000 + fractionMs(text, start + 19) : NaN;
}

function fractionMs(text: string, at: number): number {
  if (!hasAt(text, at, '.')) return 0;
  const tenths = digitAt(text, at + 1);
  const hundredths = digitAt(text, at + 2);
  const thousandths = Number.isNaN(hundredths) ? NaN : digitAt(text, at + 3);
  return tenths * 100 + (hundredths || 0) * 10 + (thousandths || 0);
}

function fractionEnd(text: string, start: number): number {
  if (!hasAt(text, start + 19, '.')) return start + 19;
  let end = start + 20;
  while (!Number.isNaN(digitAt(text, end))) end++;
  return end;
}

/** The offset from UTC, `Z` or `+HH:mm`, which must be all that is left. */
function offsetMs(text: string, start: number, rest: number): number {
  if (rest === 1) return hasAt(text, start, 'Z') || hasAt(text, start, 'z') ? 0 : NaN;
  const sign = hasAt(text, start, '+') ? 1 : hasAt(text, start, '-') ? -1 : NaN;
  const isOffset = rest === 6 && hasAt(text, start + 3, ':');
  return isOffset ? sign * hoursAndMinutes(text, start + 1) * 60_000 : NaN;
}

/** Minutes of `HH?mm`, whatever stands between the two. */
function hoursAndMinutes(text: string, at: number): number {
  return upTo(23, twoDigits(text, at)) * 60 + upTo(59, twoDigits(text, at + 3));
}

function upTo(max: number, value: number): number {
  return value <= max ? value : NaN;
}

function twoDigits(text: string, at: number): number {
  return digitAt(text, at) * 10 + digitAt(text, at + 1);
}

function digitAt(text: string, at: number): number {
  const digit = text.charCodeAt(at) - 48;
  return digit >= 0 && digit <= 9 ? digit : NaN;
}

function hasAt(text: string, at: number, character: string): boolean {
  return text.charCodeAt(at) === character.charCodeAt(0);
}

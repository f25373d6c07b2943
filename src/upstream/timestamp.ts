// RFC 3339 timestamps, checked by hand: a page has twenty and more, and Date.parse takes what is none.

const dayMs = 86_400_000;
const daysInMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Epoch milliseconds of an RFC 3339 date-time, finer fractions cut off; null where the text is none: no real date, no
 * offset, anything around it. A leap second (`:60`) is refused, as neither Date nor most clients can hold one.
 */
export function timestampMs(text: string): number | null {
  const ms = dayOf(text) * dayMs + timeOfDayMs(text) - offsetMs(text, fractionEnd(text));
  return Number.isNaN(ms) ? null : ms;
}

/**
 * The UTC date, yyyy-MM-dd, of an RFC 3339 date-time or of a date alone; null where the text is neither, or where its UTC
 * date falls outside of the years 0000 to 9999.
 */
export function utcDate(text: string): string | null {
  if (text.length === 10) return Number.isNaN(dayOf(text)) ? null : text;
  const ms = timestampMs(text);
  if (ms === null) return null;
  const iso = new Date(ms).toISOString();
  return iso.length === 24 ? iso.slice(0, 10) : null;
}

// What does not read as it should is NaN, which goes through the sums above to their end.

/** Days from 1970-01-01 to the proleptic Gregorian date at the start of the text. */
function dayOf(text: string): number {
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const isDate = hasAt(text, 4, '-') && hasAt(text, 7, '-') && day >= 1;
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

/** Milliseconds since midnight of `THH:mm:ss` and its fraction, at index 10 of the text. */
function timeOfDayMs(text: string): number {
  const isTime =
    (hasAt(text, 10, 'T') || hasAt(text, 10, 't')) && hasAt(text, 13, ':') && hasAt(text, 16, ':');
  const seconds = hoursAndMinutes(text, 11) * 60 + upTo(59, twoDigits(text, 17));
  return isTime ? seconds * 1000 + fractionMs(text) : NaN;
}

function fractionMs(text: string): number {
  if (!hasAt(text, 19, '.')) return 0;
  const tenths = digitAt(text, 20);
  const hundredths = digitAt(text, 21);
  const thousandths = Number.isNaN(hundredths) ? NaN : digitAt(text, 22);
  return tenths * 100 + (hundredths || 0) * 10 + (thousandths || 0);
}

function fractionEnd(text: string): number {
  if (!hasAt(text, 19, '.')) return 19;
  let end = 20;
  while (!Number.isNaN(digitAt(text, end))) end++;
  return end;
}

/** The offset from UTC, `Z` or `+HH:mm`, which must be the rest of the text. */
function offsetMs(text: string, start: number): number {
  const rest = text.length - start;
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

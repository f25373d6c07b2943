// Parses RFC 3339 timestamps: a page has twenty or more, and Date.parse accepts other formats.

const [zero, plus, minus, point, colon] = [0x30, 0x2b, 0x2d, 0x2e, 0x3a] as const;
const [upperT, lowerT, upperZ, lowerZ] = [0x54, 0x74, 0x5a, 0x7a] as const;

const dayMs = 86_400_000;
const daysInMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Epoch milliseconds of an RFC 3339 date-time, finer fractions cut off; null for any other text. A leap second (`:60`) is
 * rejected, because neither Date nor most clients can represent one.
 */
export function timestampMs(text: string): number | null {
  const utf8 = Buffer.from(text);
  return timestampMsAt(utf8, 0, utf8.length);
}

/** The same for UTF-8, from `start` to the byte before `end`. */
export function timestampMsAt(utf8: Uint8Array, start: number, end: number): number | null {
  const offsetAt = fractionEnd(utf8, start);
  const offset = offsetMs(utf8, offsetAt, end - offsetAt);
  const ms = dayOf(utf8, start) * dayMs + timeOfDayMs(utf8, start) - offset;
  return Number.isNaN(ms) ? null : ms;
}

/**
 * The UTC date, yyyy-MM-dd, of an RFC 3339 date-time or of a date alone; null for any other text, and for UTC dates
 * outside the years 0000 to 9999.
 */
export function utcDate(text: string): string | null {
  const utf8 = Buffer.from(text);
  if (!hasUtcDateAt(utf8, 0, utf8.length)) return null;
  const isShown = text.length === dateLength || isUtc(utf8, utf8.length);
  return isShown
    ? text.slice(0, dateLength)
    : new Date(timestampMs(text) ?? NaN).toISOString().slice(0, dateLength);
}

/** Whether UTF-8, from `start` to the byte before `end`, has a UTC date. */
export function hasUtcDateAt(utf8: Uint8Array, start: number, end: number): boolean {
  if (end - start === dateLength) return !Number.isNaN(dayOf(utf8, start));
  const ms = timestampMsAt(utf8, start, end);
  return ms !== null && ms >= firstMs && ms <= lastMs;
}

const dateLength = 10;
const [firstMs, lastMs] = [-62_167_219_200_000, 253_402_300_799_999];

function isUtc(utf8: Uint8Array, end: number): boolean {
  return hasAt(utf8, end - 1, upperZ) || hasAt(utf8, end - 1, lowerZ);
}

// Anything invalid is NaN, which propagates through the sums above.

/** Days from 1970-01-01 to the proleptic Gregorian date at `start`. */
function dayOf(utf8: Uint8Array, start: number): number {
  const year = twoDigits(utf8, start) * 100 + twoDigits(utf8, start + 2);
  const month = twoDigits(utf8, start + 5);
  const day = twoDigits(utf8, start + 8);
  const isDate = hasAt(utf8, start + 4, minus) && hasAt(utf8, start + 7, minus) && day >= 1;
  return isDate && day <= monthLength(year, month) ? daysSinceEpoch(year, month, day) : NaN;
}

function monthLength(year: number, month: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return isLeap && month === 2 ? 29 : (daysInMonth[month - 1] ?? NaN);
}

/** Years are counted from March, so that a leap day is the last of its year and needs no special case. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const monthsFromMarch = (month + 9) % 12;
  const leapDays =
    Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return marchYear * 365 + leapDays + Math.floor((153 * monthsFromMarch + 2) / 5) + day - 719_469;
}

/** Milliseconds since midnight of `THH:mm:ss` and its fraction, which follow the date. */
function timeOfDayMs(utf8: Uint8Array, start: number): number {
  const isTime =
    (hasAt(utf8, start + 10, upperT) || hasAt(utf8, start + 10, lowerT)) &&
    hasAt(utf8, start + 13, colon) &&
    hasAt(utf8, start + 16, colon);
  const seconds = hoursAndMinutes(utf8, start + 11) * 60 + upTo(59, twoDigits(utf8, start + 17));
  return isTime ? seconds * 1000 + fractionMs(utf8, start + 19) : NaN;
}

function fractionMs(utf8: Uint8Array, at: number): number {
  if (!hasAt(utf8, at, point)) return 0;
  const tenths = digitAt(utf8, at + 1);
  const hundredths = digitAt(utf8, at + 2);
  const thousandths = Number.isNaN(hundredths) ? NaN : digitAt(utf8, at + 3);
  return tenths * 100 + (hundredths || 0) * 10 + (thousandths || 0);
}

function fractionEnd(utf8: Uint8Array, start: number): number {
  if (!hasAt(utf8, start + 19, point)) return start + 19;
  let end = start + 20;
  while (!Number.isNaN(digitAt(utf8, end))) end++;
  return end;
}

/** The offset from UTC, `Z` or `+HH:mm`, which must be all that is left. */
function offsetMs(utf8: Uint8Array, start: number, rest: number): number {
  if (rest === 1) return isUtc(utf8, start + 1) ? 0 : NaN;
  const sign = hasAt(utf8, start, plus) ? 1 : hasAt(utf8, start, minus) ? -1 : NaN;
  const isOffset = rest === 6 && hasAt(utf8, start + 3, colon);
  return isOffset ? sign * hoursAndMinutes(utf8, start + 1) * 60_000 : NaN;
}

/** Minutes of `HH?mm`, whatever separates the two. */
function hoursAndMinutes(utf8: Uint8Array, at: number): number {
  return upTo(23, twoDigits(utf8, at)) * 60 + upTo(59, twoDigits(utf8, at + 3));
}

function upTo(max: number, value: number): number {
  return value <= max ? value : NaN;
}

function twoDigits(utf8: Uint8Array, at: number): number {
  return digitAt(utf8, at) * 10 + digitAt(utf8, at + 1);
}

function digitAt(utf8: Uint8Array, at: number): number {
  const digit = (utf8[at] ?? 0) - zero;
  return digit >= 0 && digit <= 9 ? digit : NaN;
}

function hasAt(utf8: Uint8Array, at: number, byte: number): boolean {
  return utf8[at] === byte;
}

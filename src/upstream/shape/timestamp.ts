// Parses RFC 3339 timestamps and dates, and corrects others; Date.parse would accept more formats.
import type { TimeZone } from './time-zone.ts';

const [zero, plus, minus, point, colon] = [0x30, 0x2b, 0x2d, 0x2e, 0x3a] as const;
const [letterT, letterZ] = [0x54, 0x5a] as const;

const dayMs = 86_400_000;
/** The number of days before each month, and in the whole year, if it is not a leap year. */
const daysBefore = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365];
const dateLength = 'yyyy-MM-dd'.length;
/** The first and last instant of the years 0000 to 9999. */
const [firstMs, lastMs] = [-62_167_219_200_000, 253_402_300_799_999];

const correctable =
  /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2}(?:\.\d+)?)([Zz]|[+-]\d{2}(?::?\d{2})?)?$/;

/**
 * A timestamp in the form of RFC 3339, from one with `t` or `z`, a space for the `T`, or an offset such as `+0000` or
 * `+00`. Without an offset, that of the time zone is added. Null for any other text, and if there is no time zone.
 */
export function correctTimestamp(text: string, timeZone: TimeZone | null): string | null {
  const [, date = '', time = '', offset] = correctable.exec(text) ?? [];
  const local = `${date}T${time}`;
  const localMs = timestampMs(`${local}Z`);
  if (localMs === null) return null;
  const corrected =
    local +
    (offset?.toUpperCase().replace(/^(.\d\d):?(\d\d)?$/, withMinutes) ??
      timeZone?.offsetAt(localMs) ??
      '');
  return timestampMs(corrected) === null ? null : corrected;
}

function withMinutes(_offset: string, hours: string, minutes = '00'): string {
  return `${hours}:${minutes}`;
}

/** Whole epoch milliseconds of an RFC 3339 date-time; null for any other string and for leap seconds. */
export function timestampMs(text: string): number | null {
  const utf8 = Buffer.from(text);
  return timestampMsAt(utf8, 0, utf8.length);
}

/**
 * The UTC date, yyyy-MM-dd, of a date-time or date in the years 0000 to 9999, or the local date of a date-time without an
 * offset, which needs a time zone; null for any other string.
 */
export function utcDate(text: string, timeZone: TimeZone | null = null): string | null {
  if (text.length === dateLength) return Number.isNaN(dayMsAt(Buffer.from(text), 0)) ? null : text;
  if (timeZone !== null && correctTimestamp(text, null) === null) {
    return correctTimestamp(text, timeZone)?.slice(0, dateLength) ?? null;
  }
  const ms = timestampMs(correctTimestamp(text, null) ?? '');
  const isDate = ms !== null && ms >= firstMs && ms <= lastMs;
  return isDate ? new Date(ms).toISOString().slice(0, dateLength) : null;
}

/** The date after a date, both yyyy-MM-dd; null after the last date of the year 9999. */
export function dayAfter(date: string): string | null {
  const ms = dayMsAt(Buffer.from(date), 0) + dayMs;
  return ms > lastMs ? null : new Date(ms).toISOString().slice(0, dateLength);
}

/** `timestampMs` for UTF-8, from `start` to the byte before `end`. An invalid part is NaN, which makes the sum NaN. */
export function timestampMsAt(utf8: Uint8Array, start: number, end: number): number | null {
  const time = start + 'yyyy-MM-ddT'.length;
  const isTime = utf8[time - 1] === letterT && utf8[time + 2] === colon && utf8[time + 5] === colon;
  const seconds = minutesAt(utf8, time) * 60 + twoDigits(utf8, time + 6, 59);
  let at = time + 'HH:mm:ss'.length;
  let fractionMs = 0;
  if (utf8[at] === point) {
    let unitMs = 100;
    do {
      fractionMs += digitAt(utf8, ++at) * unitMs;
      unitMs = Math.floor(unitMs / 10);
    } while (digitAt(utf8, at + 1) >= 0);
    at++;
  }
  const ms = dayMsAt(utf8, start) + seconds * 1000 + fractionMs - offsetMs(utf8, at, end);
  return isTime && !Number.isNaN(ms) ? ms : null;
}

/** Epoch milliseconds of the proleptic Gregorian date at `start`; NaN if it is invalid. Date.UTC takes twice as long. */
function dayMsAt(utf8: Uint8Array, start: number): number {
  const year = twoDigits(utf8, start, 99) * 100 + twoDigits(utf8, start + 2, 99);
  const month = twoDigits(utf8, start + 5, 12);
  const day = twoDigits(utf8, start + 8, 31);
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const leapYears = Math.ceil(year / 4) - Math.ceil(year / 100) + Math.ceil(year / 400);
  const before = daysBefore[month - 1] ?? NaN;
  const after = daysBefore[month] ?? NaN;
  const first = 365 * year + leapYears + before + (isLeap && month > 2 ? 1 : 0);
  const length = after - before + (isLeap && month === 2 ? 1 : 0);
  const isDate = utf8[start + 4] === minus && utf8[start + 7] === minus;
  return isDate && day >= 1 && day <= length ? firstMs + (first + day - 1) * dayMs : NaN;
}

/** The milliseconds of an offset from UTC: `Z`, `+HH:mm` or `-HH:mm`; NaN for anything else. */
function offsetMs(utf8: Uint8Array, at: number, end: number): number {
  if (end - at === 1) return utf8[at] === letterZ ? 0 : NaN;
  const sign = utf8[at] === plus ? 1 : utf8[at] === minus ? -1 : NaN;
  const isOffset = end - at === '+HH:mm'.length && utf8[at + 3] === colon;
  return isOffset ? sign * minutesAt(utf8, at + 1) * 60_000 : NaN;
}

/** The minutes that `HH:mm` stands for; the character between the hours and the minutes is not checked. */
function minutesAt(utf8: Uint8Array, at: number): number {
  return twoDigits(utf8, at, 23) * 60 + twoDigits(utf8, at + 3, 59);
}

function twoDigits(utf8: Uint8Array, at: number, max: number): number {
  const value = digitAt(utf8, at) * 10 + digitAt(utf8, at + 1);
  return value <= max ? value : NaN;
}

function digitAt(utf8: Uint8Array, at: number): number {
  const digit = (utf8[at] ?? 0) - zero;
  return digit >= 0 && digit <= 9 ? digit : NaN;
}

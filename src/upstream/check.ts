// One value of an answer -> what its field shows: its value, null, or the violation in its place.
import { contractViolation, type GatewayError } from '../errors.ts';
import { decimalText } from './decimal.ts';
import type { ExactJson } from './exact-json.ts';
import type { Checked } from './shapes.ts';
import { timestampMs, utcDate } from './timestamp.ts';

/** A JSON object of an answer; which fields it has, and of what type, is what these functions find out. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * `at` is the JSON pointer of the object and `key` the field in it: they come as two so that nothing is put together for
 * a value that is good. A violation names where it is, never what was there.
 */
export function violation(at: string, key: string, what: string): GatewayError {
  const pointer = `${at}/${key}`;
  return contractViolation(`${pointer} ${what}`, pointer);
}

/** Whether a value is a JSON object: neither null nor an array. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A string field. */
export function checkText(value: unknown, at: string, key: string): Checked<string> {
  if (typeof value === 'string') return value;
  return absentOr(value, at, key, 'is not a string');
}

/** A boolean field. */
export function checkFlag(value: unknown, at: string, key: string): Checked<boolean> {
  if (typeof value === 'boolean') return value;
  return absentOr(value, at, key, 'is not a boolean');
}

/** A number field whose digits count: `Decimal` (docs/exactness.md). `digits` is the parsed text's own. */
export function checkDecimal(
  value: unknown,
  digits: ExactJson['digits'],
  at: string,
  key: string,
): Checked<string> {
  const source = digits(value);
  if (source === null) return absentOr(value, at, key, 'is not a number');
  return decimalText(source) ?? violation(at, key, 'has too many digits');
}

/** A timestamp field that is shown as sent: `DateTime` (docs/exactness.md). */
export function checkTimestamp(value: unknown, at: string, key: string): Checked<string> {
  if (typeof value !== 'string') return absentOr(value, at, key, 'is not a string');
  return timestampMs(value) === null ? violation(at, key, 'is not a timestamp') : value;
}

/** A timestamp field of which only the UTC date is shown: `Date` (docs/exactness.md). */
export function checkDate(value: unknown, at: string, key: string): Checked<string> {
  if (typeof value !== 'string') return absentOr(value, at, key, 'is not a string');
  return utcDate(value) ?? violation(at, key, 'is not a timestamp');
}

/** An id, in the service's own case; null where it is nothing that names an object, or cannot stand in an address. */
export function usableId(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.isWellFormed() ? value : null;
}

/** Null for a field left out or null, and a violation for anything else. */
export function absentOr(
  value: unknown,
  at: string,
  key: string,
  what: string,
): GatewayError | null {
  return value === undefined || value === null ? null : violation(at, key, what);
}

/** The body of an answer, which every endpoint documents as an object; throws the violation where it is none. */
export function checkBody(root: unknown): Fields {
  if (!isFields(root)) throw contractViolation('the body is not an object');
  return root;
}

/** Calls a JSON parser and gives its error a code. The parser's own message quotes the text: it is no cause to log. */
export function parseJson<T>(parse: (text: string) => T, text: string): T {
  try {
    return parse(text);
  } catch (error) {
    throw contractViolation(
      error instanceof RangeError ? 'the body nests too deeply' : 'the body is not JSON',
    );
  }
}

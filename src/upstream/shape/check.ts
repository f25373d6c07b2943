// Checks the structure of a parsed answer: objects, ids, absent values; makes the violation for a wrong one.
import { contractViolation, type GatewayError } from '../../errors.ts';
import { isHexDigit } from '../../json/json-reader.ts';

/**
 * A field of an answer after its check: its value; null if the service left it out or sent null; or the
 * UPSTREAM_CONTRACT_VIOLATION that takes the value's place. graphql-js treats a property that is an Error as thrown by
 * its field, so default resolvers null exactly this field, with the error on its path (docs/exactness.md).
 */
export type Checked<T> = T | null | GatewayError;

/** A JSON object of an answer, whose fields are not checked yet. */
export type Fields = Readonly<Record<string, unknown>>;

/**
 * `at` is the JSON pointer of the object and `key` the field in it. They are two arguments so that a good value costs no
 * concatenation. A violation names the place and never the value.
 */
export function violation(at: string, key: string, what: string): GatewayError {
  const pointer = `${at}/${key}`;
  return contractViolation(`${pointer} ${what}`, pointer);
}

/** Whether a value is a JSON object: neither null nor an array. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const uuidLength = 36;
const hyphen = 0x2d;

/** Whether a text is a UUID. An account's id becomes a part of a path, which `..` would change. */
export function isUuid(text: string): boolean {
  const utf8 = Buffer.from(text);
  return isUuidAt(utf8, 0, utf8.length);
}

/** The same for bytes from `start` to the byte before `end`: 8-4-4-4-12 hex digits. */
export function isUuidAt(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start !== uuidLength) return false;
  for (let n = 0; n < uuidLength; n++) {
    const byte = bytes[start + n] ?? 0;
    const isRight =
      n === 8 || n === 13 || n === 18 || n === 23 ? byte === hyphen : isHexDigit(byte);
    if (!isRight) return false;
  }
  return true;
}

/** An id, in the service's case; null if the value cannot be one. */
export function usableId(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.isWellFormed() ? value : null;
}

/** Null for a field that is absent or null, and a violation for anything else. */
export function absentOr(
  value: unknown,
  at: string,
  key: string,
  what: string,
): GatewayError | null {
  return value === undefined || value === null ? null : violation(at, key, what);
}

/** The body of an answer, an object for every endpoint; throws the violation for any other body. */
export function checkBody(root: unknown): Fields {
  if (!isFields(root)) throw contractViolation('the body is not an object');
  return root;
}

/** Calls a JSON parser and gives its error a code. The parser's message quotes the text, so it is not kept as cause. */
export function parseJson<T>(parse: (text: string) => T, text: string): T {
  try {
    return parse(text);
  } catch (error) {
    throw contractViolation(
      error instanceof RangeError ? 'the body nests too deeply' : 'the body is not JSON',
    );
  }
}

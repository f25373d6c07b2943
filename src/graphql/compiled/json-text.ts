// JSON as the compiled path writes it: a string of which each character is a byte of the text's UTF-8.

/**
 * So it is sent without being encoded, what the service sent is put into it as it came, and V8 keeps it, with a byte a
 * character, in half of the space that one letter outside of Latin-1 would make it take.
 */
export type JsonBytes = string;

/** What JSON.stringify would only put in quotes, and UTF-8 leave as it is; quotes are not looked for in what is longer. */
const isPlain = /^[ !#-[\]-~]{0,128}$/;

/** A string as JSON. */
export function stringBytes(value: string): JsonBytes {
  return isPlain.test(value) ? `"${value}"` : jsonBytes(value);
}

const isAscii = /^[\0-\x7f]*$/;

/** Any value as JSON. */
export function jsonBytes(value: unknown): JsonBytes {
  const text = JSON.stringify(value);
  return isAscii.test(text) ? text : Buffer.from(text).toString('latin1');
}

/** The text that the bytes are. */
export function textOf(bytes: JsonBytes): string {
  return isAscii.test(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString();
}

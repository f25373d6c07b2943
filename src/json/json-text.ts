// JSON that is written: a string of which each character is a byte of the text's UTF-8.

/**
 * So it is sent without being encoded, and V8 keeps it, with a byte a character, in half of the space that one letter
 * outside of Latin-1 would make it take.
 */
export type JsonBytes = string;

const isAscii = /^[\0-\x7f]*$/;

/** Any value as JSON. */
export function jsonBytes(value: unknown): JsonBytes {
  const text = JSON.stringify(value);
  return isAscii.test(text) ? text : Buffer.from(text).toString('latin1');
}

/** The text as strings are elsewhere. */
export function textOf(text: JsonBytes): string {
  return isAscii.test(text) ? text : Buffer.from(text, 'latin1').toString();
}

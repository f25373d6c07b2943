// JSON to be sent: a string in which each character is a byte of UTF-8.

/**
 * It is sent without encoding, and V8 stores it with one byte a character; a letter outside Latin-1 would double that.
 */
export type JsonBytes = string;

const isAscii = /^[\0-\x7f]*$/;

/** Any value as JSON. */
export function jsonBytes(value: unknown): JsonBytes {
  const text = JSON.stringify(value);
  return isAscii.test(text) ? text : Buffer.from(text).toString('latin1');
}

/** The text as an ordinary string. */
export function textOf(text: JsonBytes): string {
  return isAscii.test(text) ? text : Buffer.from(text, 'latin1').toString();
}

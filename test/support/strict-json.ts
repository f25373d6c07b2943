// Reads the gateway's JSON as the strictest parsers do, which refuse a whole answer for one bad text.

// `ignoreBOM` keeps a byte order mark, which JSON must not start with (RFC 8259 8.1), so that JSON.parse refuses it.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of an answer; throws if the bytes are not UTF-8. */
export function strictText(bytes: NodeJS.ArrayBufferView | ArrayBuffer): string {
  return utf8.decode(bytes);
}

/** The value of a JSON text; throws if a string or a key has half of a surrogate pair, as sent or as an escape. */
export function parseStrictly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  checkTexts(value);
  return value;
}

function checkTexts(value: unknown): void {
  if (typeof value === 'string' && !value.isWellFormed()) {
    throw new SyntaxError(`half of a surrogate pair in ${JSON.stringify(value)}`);
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    checkTexts(key);
    checkTexts(part);
  }
}

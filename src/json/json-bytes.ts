// JSON as bytes: literals, received JSON texts, and JSON texts to be sent.

/** A JSON text in UTF-8, as a string with one character per byte. The text needs no encoding when it is sent. */
export type JsonBytes = string;

const isAscii = /^[\0-\x7f]*$/;

export function jsonBytes(value: unknown): JsonBytes {
  const text = JSON.stringify(value);
  return isAscii.test(text) ? text : Buffer.from(text).toString('latin1');
}

/** A constant part of JSON texts, compared and copied four bytes at a time, which is faster than Buffer's methods. */
export class Literal {
  readonly bytes: JsonBytes;
  readonly length: number;
  /** The bytes in groups of four, little-endian, padded with zeros. */
  readonly words: Int32Array;
  /** A mask of the bits of the last group that belong to the text. */
  readonly lastMask: number;

  constructor(text: string) {
    const utf8 = Buffer.from(text);
    const words = Math.ceil(utf8.length / 4);
    const padded = Buffer.concat([utf8], 4 * words);
    this.bytes = utf8.toString('latin1');
    this.length = utf8.length;
    this.words = Int32Array.from({ length: words }, (_, word) => padded.readInt32LE(4 * word));
    this.lastMask = -1 >>> (8 * ((4 - (utf8.length % 4)) % 4));
  }
}

export const nullLiteral = new Literal('null');

const zero = 0x30;

/** A text that can be read byte by byte, or four bytes at a time. The bytes must be valid UTF-8. */
export class SourceText {
  readonly bytes: Buffer;
  readonly view: DataView;
  readonly length: number;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.length = bytes.length;
  }

  /** The text from `start` to the byte before `end`. */
  slice(start: number, end: number): string {
    return this.bytes.toString('utf8', start, end);
  }

  /** The number that the text from `start` to `end` is, if it has up to nine digits and nothing else; otherwise NaN. */
  whole(start: number, end: number): number {
    if (end - start > 9) return NaN;
    let number = 0;
    for (let at = start; at < end; at++) {
      const digit = (this.bytes[at] ?? 0) - zero;
      if (digit < 0 || digit > 9) return NaN;
      number = number * 10 + digit;
    }
    return number;
  }

  /** Whether the literal begins at this index of the text. The literal must not be empty. */
  has(literal: Literal, at: number): boolean {
    const { words, lastMask } = literal;
    const view = this.view;
    const last = words.length - 1;
    // Near the end of the text, the last group of four bytes could reach beyond the text.
    if (at + 4 * words.length > this.length) {
      return this.bytes.toString('latin1', at, at + literal.length) === literal.bytes;
    }
    for (let i = 0; i < last; i++) {
      if (view.getInt32(at + 4 * i, true) !== words[i]) return false;
    }
    return (view.getInt32(at + 4 * last, true) & lastMask) === words[last];
  }
}

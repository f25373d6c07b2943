// Constant JSON: copied into answers, or searched for in a text.
import type { JsonBytes } from './json-text.ts';

/** Bytes that are compared and copied four at a time; for so few, a method of Buffer would cost more. */
export class Literal {
  readonly bytes: JsonBytes;
  readonly length: number;
  /** The bytes in groups of four, little-endian, padded with zeros. */
  readonly words: Int32Array;
  /** The bits of the last group that belong to the text. */
  readonly lastMask: number;

  constructor(text: string) {
    const utf8 = Buffer.from(text);
    const padded = new DataView(new ArrayBuffer(utf8.length + 3));
    utf8.forEach((byte, at) => padded.setUint8(at, byte));
    this.bytes = utf8.toString('latin1');
    this.length = utf8.length;
    this.words = Int32Array.from({ length: Math.ceil(utf8.length / 4) }, (_, word) =>
      padded.getInt32(4 * word, true),
    );
    this.lastMask = -1 >>> (8 * ((4 - (utf8.length % 4)) % 4));
  }
}

export const nullLiteral = new Literal('null');
export const trueLiteral = new Literal('true');
export const falseLiteral = new Literal('false');

// JSON that is known beforehand: copied into many answers, or looked for in what is read.
import type { JsonBytes } from './json-text.ts';

/** Bytes that are handled four at a time, as they are few, and a call of a function of Buffer would cost more. */
export class Literal {
  readonly bytes: JsonBytes;
  readonly length: number;
  /** The bytes in groups of four, the first of them lowest; zeros behind the last. */
  readonly words: Int32Array;
  /** Which bits of the last group are of the text. */
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

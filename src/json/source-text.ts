// JSON as it was sent, from which parts are copied into answers.
import type { Literal } from './literal.ts';

const zero = 0x30;

/** Valid UTF-8, as bytes and as groups of four bytes. */
export class SourceText {
  readonly bytes: Buffer;
  readonly view: DataView;
  readonly length: number;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.length = bytes.length;
  }

  /** A part as a string, from `start` to the byte before `end`. */
  slice(start: number, end: number): string {
    return this.bytes.toString('utf8', start, end);
  }

  /** The number that digits make; below zero if they have a minus sign. */
  whole(start: number, end: number): number {
    let number = 0;
    for (let at = start; at < end; at++) number = number * 10 + (this.bytes[at] ?? 0) - zero;
    return number;
  }

  /** Whether a part is one of these. */
  isOneOf(literals: readonly Literal[], start: number, end: number): boolean {
    for (const literal of literals) {
      if (literal.length === end - start && this.has(literal, start)) return true;
    }
    return false;
  }

  /** Whether a literal, which is not empty, is at a place. */
  has(literal: Literal, at: number): boolean {
    const { words, lastMask } = literal;
    const view = this.view;
    const last = words.length - 1;
    if (at + 4 * words.length > this.length) return this.#endsWith(literal, at);
    for (let i = 0; i < last; i++) {
      if (view.getInt32(at + 4 * i, true) !== words[i]) return false;
    }
    return (view.getInt32(at + 4 * last, true) & lastMask) === words[last];
  }

  /** The same comparison for fewer than four bytes. */
  #endsWith(literal: Literal, at: number): boolean {
    return this.bytes.toString('latin1', at, at + literal.length) === literal.bytes;
  }
}

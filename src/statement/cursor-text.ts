// Writes the text of cursors: numbers in base 36, byte by byte, as making each a string of its own takes far longer.
import { hashOfBytes, printOf, PRINTS } from '../upstream/row-key.ts';

/** More than any cursor has. */
const maxLength = 512;

const digits = Buffer.from('0123456789abcdefghijklmnopqrstuvwxyz');
const printWidth = 5;
const [dot, minus] = [0x2e, 0x2d];

/** One for a slice: what is written first stays, and each cursor begins with it. */
export class CursorText {
  readonly #bytes = Buffer.allocUnsafe(maxLength);
  readonly #headLength: number;
  #at: number;

  /** `head` is ASCII. */
  constructor(head: string) {
    this.#headLength = this.#bytes.write(head, 'latin1');
    this.#at = this.#headLength;
  }

  /** A whole number, or nothing for none, and a dot. */
  number(value: number | null): this {
    if (value !== null) this.#writeSafe(value);
    this.#bytes[this.#at++] = dot;
    return this;
  }

  /** A letter and prints, all of one width, and a dot. */
  prints(letter: string, prints: readonly number[]): this {
    this.#bytes[this.#at++] = letter.charCodeAt(0);
    for (const print of prints) this.#writePadded(print);
    this.#bytes[this.#at++] = dot;
    return this;
  }

  /** The text with its checksum; what comes next is another cursor. */
  finish(): string {
    this.#writePadded(printOf(hashOfBytes(this.#bytes, 0, this.#at)));
    const text = this.#bytes.toString('latin1', 0, this.#at);
    this.#at = this.#headLength;
    return text;
  }

  /** In two parts, each of which is a small integer: the others are slow to divide. */
  #writeSafe(value: number): void {
    if (value < 0) this.#bytes[this.#at++] = minus;
    const size = Math.abs(value);
    const low = printOf(size);
    const high = (size - low) / PRINTS;
    if (high > 0) {
      this.#writeSmall(high);
      this.#writePadded(low);
    } else {
      this.#writeSmall(low);
    }
  }

  #writeSmall(value: number): void {
    let width = 1;
    for (let rest = (value / 36) | 0; rest > 0; rest = (rest / 36) | 0) width++;
    this.#writeDigits(value, width);
  }

  #writePadded(print: number): void {
    this.#writeDigits(print, printWidth);
  }

  #writeDigits(value: number, width: number): void {
    let rest = value | 0;
    for (let at = this.#at + width - 1; at >= this.#at; at--) {
      const next = (rest / 36) | 0;
      this.#bytes[at] = digits[rest - next * 36] ?? 0;
      rest = next;
    }
    this.#at += width;
  }
}

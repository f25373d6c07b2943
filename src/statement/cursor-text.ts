// Writes the text of cursors: numbers in base 36, byte by byte, as making each a string of its own takes far longer.
import { SourceText } from '../json/source-text.ts';
import { hashIn, printOf, PRINTS } from '../upstream/row-key.ts';

/** More than any cursor has, and what most have. */
const maxLength = 512;
const usualLength = 80;

const digits = Buffer.from('0123456789abcdefghijklmnopqrstuvwxyz');
const printWidth = 5;
const [dot, minus, quote] = [0x2e, 0x2d, 0x22];

/** Cursors as JSON strings: the places of one after the other, quotes included. */
export interface WrittenCursors {
  readonly text: SourceText;
  readonly places: readonly number[];
}

/** One for a slice, whose cursors come one after the other, as JSON strings; each begins with what is the same for all. */
export class CursorText {
  readonly #head: Buffer;
  #text: SourceText;
  /** Where the text of the cursor that is written begins, and where it goes on. Place 0 would mean none. */
  #start = 1;
  #at = 1;
  readonly #places: number[] = [];

  /** `head` is ASCII; so many cursors are expected. */
  constructor(head: string, count: number) {
    this.#head = Buffer.from(head, 'latin1');
    this.#text = new SourceText(Buffer.allocUnsafe(maxLength + count * usualLength));
  }

  /** Begins a cursor. */
  begin(): this {
    if (this.#text.length - this.#at < maxLength) this.#grow();
    this.#text.bytes[this.#at++] = quote;
    this.#start = this.#at;
    const head = this.#head;
    for (let i = 0; i < head.length; i++) this.#text.bytes[this.#at++] = head[i] ?? 0;
    return this;
  }

  /** A whole number, or nothing for none, and a dot. */
  number(value: number | null): this {
    if (value !== null) this.#writeSafe(value);
    this.#text.bytes[this.#at++] = dot;
    return this;
  }

  /** A letter and prints, all of one width, and a dot. */
  prints(letter: string, prints: readonly number[]): this {
    this.#text.bytes[this.#at++] = letter.charCodeAt(0);
    for (const print of prints) this.#writePadded(print);
    this.#text.bytes[this.#at++] = dot;
    return this;
  }

  /** Ends it, with its checksum. */
  finish(): void {
    this.#writePadded(printOf(hashIn(this.#text, this.#start, this.#at)));
    this.#text.bytes[this.#at++] = quote;
    this.#places.push(this.#start - 1, this.#at);
  }

  /** All that were written, and where each of them begins and ends. */
  get written(): WrittenCursors {
    return { text: this.#text, places: this.#places };
  }

  #grow(): void {
    const larger = Buffer.allocUnsafe(2 * this.#text.length + maxLength);
    this.#text.bytes.copy(larger, 0, 0, this.#at);
    this.#text = new SourceText(larger);
  }

  /** In two parts, each of which is a small integer: the others are slow to divide. */
  #writeSafe(value: number): void {
    if (value < 0) this.#text.bytes[this.#at++] = minus;
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
      this.#text.bytes[at] = digits[rest - next * 36] ?? 0;
      rest = next;
    }
    this.#at += width;
  }
}

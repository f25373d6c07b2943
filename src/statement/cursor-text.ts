// Writes the text of cursors: numbers in base 36, as bytes, as making each a string of its own takes far longer.
import { Literal } from '../json/literal.ts';
import { SourceText } from '../json/source-text.ts';
import { FINGERPRINTS, fingerprintOf, hashIn } from '../upstream/shape/row-key.ts';
import type { NamesToWrite } from './cursor.ts';

/** More than any cursor has, and what most have. */
const maxLength = 512;
const usualLength = 80;

const digits = Buffer.from('0123456789abcdefghijklmnopqrstuvwxyz');
/** Two digits at a time, the first in the lower byte. */
const pairs = Int16Array.from(
  { length: 1296 },
  (_, pair) => (digits[Math.floor(pair / 36)] ?? 0) | ((digits[pair % 36] ?? 0) << 8),
);
const fingerprintWidth = 5;
/** Of a number below 2 ** 31. */
const maxSmallWidth = 6;
const [dot, minus, quote] = [0x2e, 0x2d, 0x22];
const [all, some] = [0x61, 0x73];

/** Cursors as JSON strings: the places of one after the other, quotes included. */
export interface WrittenCursors {
  readonly text: SourceText;
  readonly places: readonly number[];
}

/** One for a slice, whose cursors come one after the other, as JSON strings; each begins with what is the same for all. */
export class CursorText {
  readonly #head: Literal;
  #text: SourceText;
  /** Where the text of the cursor that is written begins, and where it goes on. Place 0 would mean none. */
  #start = 1;
  #at = 1;
  readonly #places: number[] = [];

  /** `head` is ASCII; so many cursors are expected. */
  constructor(head: string, count: number) {
    this.#head = new Literal(`"${head}`);
    this.#text = new SourceText(Buffer.allocUnsafe(maxLength + count * usualLength));
  }

  /** Begins a cursor. */
  begin(): this {
    if (this.#text.length - this.#at < maxLength) this.#grow();
    const { words, length } = this.#head;
    const { view } = this.#text;
    const at = this.#at;
    for (let i = 0; i < words.length; i++) view.setInt32(at + 4 * i, words[i] ?? 0, true);
    this.#start = at;
    this.#at = at + length;
    return this;
  }

  /** A whole number, or nothing for none, and a dot. */
  number(value: number | null): this {
    const end = value === null ? this.#at : putNumber(this.#text, this.#at, value);
    this.#text.bytes[end] = dot;
    this.#at = end + 1;
    return this;
  }

  /** Rows on one side: how many are ties (one digit), whether all of them are named, their fingerprints; and a dot. */
  names({ fingerprints, from, step, count, ties, complete }: NamesToWrite): this {
    const text = this.#text;
    text.bytes[this.#at++] = digits[ties] ?? 0;
    text.bytes[this.#at++] = complete ? all : some;
    for (let k = 0; k < count; k++) {
      this.#at = putDigits(text, this.#at, fingerprints[from + step * k] ?? 0, fingerprintWidth);
    }
    text.bytes[this.#at++] = dot;
    return this;
  }

  /** Ends it, with its checksum. */
  finish(): void {
    const checksum = fingerprintOf(hashIn(this.#text, this.#start + 1, this.#at));
    const end = putDigits(this.#text, this.#at, checksum, fingerprintWidth);
    this.#text.bytes[end] = quote;
    this.#at = end + 1;
    this.#places.push(this.#start, this.#at);
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
}

// Each puts digits at a place, and tells where they end.

function putNumber(text: SourceText, at: number, value: number): number {
  if (value === (value | 0) && value >= 0) return putSmall(text, at, value);
  if (value < 0) text.bytes[at] = minus;
  return putLarge(text, value < 0 ? at + 1 : at, Math.abs(value));
}

/** In two parts, each of which is a small integer: the others are slow to divide. */
function putLarge(text: SourceText, at: number, value: number): number {
  const low = fingerprintOf(value);
  const high = (value - low) / FINGERPRINTS;
  if (high === 0) return putSmall(text, at, low);
  return putDigits(text, putSmall(text, at, high), low, fingerprintWidth);
}

function putSmall(text: SourceText, at: number, value: number): number {
  let width = 1;
  for (let bound = 36; width < maxSmallWidth && value >= bound; bound *= 36) width++;
  return putDigits(text, at, value, width);
}

function putDigits({ bytes, view }: SourceText, start: number, value: number, width: number) {
  const end = start + width;
  let rest = value | 0;
  let at = end;
  while (at - start >= 2) {
    const next = (rest / 1296) | 0;
    at -= 2;
    view.setInt16(at, pairs[rest - next * 1296] ?? 0, true);
    rest = next;
  }
  if (at > start) bytes[at - 1] = digits[rest] ?? 0;
  return end;
}

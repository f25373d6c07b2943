// Writes the text of cursors as bytes, because creating a string for each number would take far longer.
import { SourceText } from '../json/json-bytes.ts';
import { FINGERPRINTS, fingerprintOf, hashIn } from '../upstream/shape/row-key.ts';
import { CURSOR_VERSION, FINGERPRINT_WIDTH, REORDERED, type NamedRows } from './cursor.ts';

/** An upper bound for the length of a cursor, and the usual length of a cursor, in characters. */
const maxLength = 512;
const usualLength = 80;

const digits = Buffer.from('0123456789abcdefghijklmnopqrstuvwxyz');
/** All pairs of base-36 digits, with the first digit in the lower byte. */
const pairs = Int16Array.from(
  { length: 1296 },
  (_, pair) => (digits[Math.floor(pair / 36)] ?? 0) | ((digits[pair % 36] ?? 0) << 8),
);
const [dot, minus, quote, all, some] = [0x2e, 0x2d, 0x22, 0x61, 0x73];

/** Rows on one side of a row: `count` of the fingerprints, from index `from`, in steps of `step`, nearest first. */
export interface NamesToWrite extends NamedRows {
  readonly from: number;
  readonly step: 1 | -1;
  readonly count: number;
}

/** Writes the cursors of one slice as JSON strings: parts in base 36, separated by dots, and a checksum. */
export class CursorWriter {
  /** The beginning of every cursor: the opening quote, version, scope, total and page size. */
  readonly #head: string;
  /** The end of every cursor before the checksum. */
  readonly #tail: string;
  /** The cursors as adjacent JSON strings with their quotes. `places` has the start and the end of each of them. */
  text: SourceText;
  readonly places: number[] = [];
  /** The place of the next character; 1 at first, because place 0 means null. */
  #at = 1;

  /** `scope` is the result of `scopeOf` (cursor.ts); `count` is the expected number of cursors. */
  constructor(scope: string, total: number, size: number, count: number, isReordered: boolean) {
    this.#tail = isReordered ? `${REORDERED}.` : '';
    this.#head = `"${CURSOR_VERSION}.${scope}.${total.toString(36)}.${size.toString(36)}.`;
    this.text = new SourceText(Buffer.allocUnsafe(maxLength + count * usualLength));
  }

  add(
    key: number,
    index: number,
    createdAtMs: number | null,
    newer: NamesToWrite,
    older: NamesToWrite,
  ): void {
    if (this.text.length - this.#at < maxLength) this.#grow();
    const start = this.#at;
    const { bytes, view } = this.text;
    const { length } = this.#head;
    if (start === 1) bytes.write(this.#head, start, 'latin1');
    // Later cursors copy the head of the first one, four bytes at a time. copyWithin would take longer.
    else
      for (let k = 0; k < length; k += 4)
        view.setInt32(start + k, view.getInt32(1 + k, true), true);
    this.#at += length;
    this.#number(key);
    this.#number(index);
    this.#number(createdAtMs);
    this.#names(newer);
    this.#names(older);
    if (this.#tail !== '') this.#at += bytes.write(this.#tail, this.#at, 'latin1');
    const checksum = fingerprintOf(hashIn(this.text, start + 1, this.#at));
    const end = putDigits(this.text, this.#at, checksum, FINGERPRINT_WIDTH);
    bytes[end] = quote;
    this.#at = end + 1;
    this.places.push(start, this.#at);
  }

  /** Writes an integer and a dot; for null, only the dot. */
  #number(value: number | null): void {
    const end = value === null ? this.#at : putNumber(this.text, this.#at, value);
    this.text.bytes[end] = dot;
    this.#at = end + 1;
  }

  /** Writes the ties and fingerprints of one side, in the format that cursor.ts parses, and a dot. */
  #names({ fingerprints, from, step, count, ties, complete }: NamesToWrite): void {
    const text = this.text;
    text.bytes[this.#at++] = digits[ties] ?? 0;
    text.bytes[this.#at++] = complete ? all : some;
    for (let k = 0; k < count; k++) {
      this.#at = putDigits(text, this.#at, fingerprints[from + step * k] ?? 0, FINGERPRINT_WIDTH);
    }
    text.bytes[this.#at++] = dot;
  }

  #grow(): void {
    const larger = Buffer.allocUnsafe(2 * this.text.length + maxLength);
    this.text.bytes.copy(larger, 0, 0, this.#at);
    this.text = new SourceText(larger);
  }
}

// Each function below writes a number at an offset, and returns the offset after its last digit.

function putNumber(text: SourceText, at: number, value: number): number {
  if (value < 0) {
    text.bytes[at] = minus;
    return putNumber(text, at + 1, -value);
  }
  if (value === (value | 0)) return putSmall(text, at, value);
  // Larger numbers are written in two parts, each a small integer, because division of larger numbers is slow.
  const low = fingerprintOf(value);
  return putDigits(text, putSmall(text, at, (value - low) / FINGERPRINTS), low, FINGERPRINT_WIDTH);
}

function putSmall(text: SourceText, at: number, value: number): number {
  let width = 1;
  for (let bound = 36; value >= bound; bound *= 36) width++;
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

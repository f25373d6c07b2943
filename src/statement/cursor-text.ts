// Writes the text of cursors as bytes, because creating a string for each number would take far longer.
import { SourceText } from '../json/json-bytes.ts';
import { fingerprintOf, FINGERPRINTS } from './row-key.ts';
import { hashIn } from '../json/text-hash.ts';
import { CURSOR_VERSION, FINGERPRINT_WIDTH, REORDERED, type NamedRows } from './cursor.ts';

/** An upper bound for the length of a cursor, and the usual length of a cursor, in characters. */
const maxLength = 512;
const usualLength = 80;

const digits = Buffer.from('0123456789abcdefghijklmnopqrstuvwxyz');
/** All pairs of base-36 digits, with the first digit in the lower byte. */
const pairs = Uint16Array.from(
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
    if (this.text.length - this.#at < maxLength) {
      const larger = Buffer.allocUnsafe(2 * this.text.length + maxLength);
      this.text.bytes.copy(larger, 0, 0, this.#at);
      this.text = new SourceText(larger);
    }
    const start = this.#at;
    const { bytes, view } = this.text;
    const { length } = this.#head;
    if (start === 1) bytes.write(this.#head, start, 'latin1');
    // Later cursors copy the head of the first one, four bytes at a time. copyWithin would take longer.
    else
      for (let k = 0; k < length; k += 4)
        view.setInt32(start + k, view.getInt32(1 + k, true), true);
    let at = putNumber(this.text, putNumber(this.text, start + length, key), index);
    at = this.#side(this.#side(putNumber(this.text, at, createdAtMs), newer), older);
    if (this.#tail !== '') at += bytes.write(this.#tail, at, 'latin1');
    at += FINGERPRINT_WIDTH;
    bytes[at] = quote;
    this.#at = at + 1;
    this.places.push(start, this.#at);
  }

  /** Writes the checksums of all cursors. Later, because reading bytes that were just written takes far longer. */
  finish(): this {
    for (let [k, places] = [0, this.places]; k < places.length; k += 2) {
      const at = (places[k + 1] ?? 0) - 1 - FINGERPRINT_WIDTH;
      putName(this.text, at, fingerprintOf(hashIn(this.text, (places[k] ?? 0) + 1, at)));
    }
    return this;
  }

  /** Writes the ties and fingerprints of one side, in the format that cursor.ts parses, and a dot. */
  #side(at: number, { fingerprints, from, step, count, ties, complete }: NamesToWrite): number {
    const { bytes } = this.text;
    bytes[at++] = digits[ties] ?? 0;
    bytes[at++] = complete ? all : some;
    for (let k = 0; k < count; k++) at = putName(this.text, at, fingerprints[from + step * k] ?? 0);
    bytes[at] = dot;
    return at + 1;
  }
}

// Each function below writes at an offset, and returns the offset after what it has written.

/** Writes an integer and a dot; for null, only the dot. */
function putNumber(text: SourceText, at: number, value: number | null): number {
  if (value !== null && value < 0) text.bytes[at++] = minus;
  // Large numbers are written in two parts, each a small integer, because division of large numbers is slow.
  const size = Math.abs(value ?? 0);
  const high = (size / FINGERPRINTS) | 0;
  if (high > 0) at = putName(text, putSmall(text, at, high), size - high * FINGERPRINTS);
  else if (value !== null) at = putSmall(text, at, size);
  text.bytes[at] = dot;
  return at + 1;
}

function putSmall(text: SourceText, at: number, value: number): number {
  const high = (value / 1296) | 0;
  if (high > 0) at = putSmall(text, at, high);
  else if (value < 36) {
    text.bytes[at] = digits[value] ?? 0;
    return at + 1;
  }
  text.view.setInt16(at, pairs[value - 1296 * high] ?? 0, true);
  return at + 2;
}

/** Writes the five digits of a fingerprint. */
function putName({ bytes, view }: SourceText, at: number, fingerprint: number): number {
  const value = fingerprint | 0;
  const high = (value / 46_656) | 0;
  const low = value - 46_656 * high;
  const middle = (low / 36) | 0;
  view.setInt32(at, (pairs[high] ?? 0) | ((pairs[middle] ?? 0) << 16), true);
  bytes[at + 4] = digits[low - 36 * middle] ?? 0;
  return at + FINGERPRINT_WIDTH;
}

// Writes JSON as UTF-8 bytes into a reused buffer, one JSON text at a time.
import { type JsonBytes, type Literal, SourceText } from './json-bytes.ts';

const [quote, minus] = [0x22, 0x2d] as const;

const usualBytes = 65_536;
const maxKeptBytes = 1_048_576;

/** Thrown for a text that is longer than `maxBytes`; only compared by identity. */
export const tooLong = new Error('too long');

/** Builds JSON texts from parts. The caller must ensure that the parts form a valid JSON text. */
export class JsonOutput {
  #room = new SourceText(Buffer.allocUnsafeSlow(usualBytes));
  #length = 0;
  readonly #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Begins a text; an unfinished text is discarded. */
  begin(): void {
    this.#length = 0;
  }

  literal({ words, length }: Literal): void {
    const { view } = this.#roomFor(length + 3);
    const at = this.#length;
    for (let i = 0; i < words.length; i++) view.setInt32(at + 4 * i, words[i] ?? 0, true);
    this.#length = at + length;
  }

  /** Appends a part of a text unchanged, from `start` to the byte before `end`. */
  copy(text: SourceText, start: number, end: number): void {
    const length = end - start;
    const room = this.#roomFor(length + 3);
    const at = this.#length;
    if (end + 3 <= text.length) {
      const [from, to] = [text.view, room.view];
      for (let i = 0; i < length; i += 4) to.setInt32(at + i, from.getInt32(start + i, true), true);
    } else {
      text.bytes.copy(room.bytes, at, start, end);
    }
    this.#length = at + length;
  }

  /** Appends a part of a text, which must not need any escapes, as a JSON string; `isNegative` adds a minus sign. */
  quote(text: SourceText, start: number, end: number, isNegative = false): void {
    const { bytes } = this.#roomFor(end - start + 6);
    bytes[this.#length++] = quote;
    if (isNegative) bytes[this.#length++] = minus;
    this.copy(text, start, end);
    bytes[this.#length++] = quote;
  }

  /** Appends any value that JSON can represent. */
  value(value: unknown): void {
    const text = JSON.stringify(value);
    this.#length += this.#roomFor(3 * text.length).bytes.write(text, this.#length);
  }

  /** Returns the finished text. Throws `tooLong`, as the other methods may. */
  take(): JsonBytes {
    this.#checkLength();
    const text = this.#room.bytes.toString('latin1', 0, this.#length);
    if (this.#room.length > maxKeptBytes) {
      this.#room = new SourceText(Buffer.allocUnsafeSlow(usualBytes));
    }
    return text;
  }

  /** Makes room for `bytes` more bytes, and returns the buffer. */
  #roomFor(bytes: number): SourceText {
    const needed = this.#length + bytes;
    if (needed > this.#room.length) {
      this.#checkLength();
      const larger = new SourceText(Buffer.allocUnsafeSlow(2 * needed));
      this.#room.bytes.copy(larger.bytes, 0, 0, this.#length);
      this.#room = larger;
    }
    return this.#room;
  }

  #checkLength(): void {
    if (this.#length > this.#maxBytes) throw tooLong;
  }
}

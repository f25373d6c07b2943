// Writes JSON as UTF-8 bytes, one text at a time, in a reused buffer.
import type { JsonBytes, Literal, SourceText } from './json-bytes.ts';

const [quote, minus] = [0x22, 0x2d] as const;

const usualBytes = 65_536;
/** A larger buffer is not kept for the next text. */
const maxKeptBytes = 1_048_576;

/** Builds JSON texts from parts; the caller makes sure that the parts form a valid text. */
export class JsonOutput {
  #bytes: Buffer = Buffer.allocUnsafeSlow(usualBytes);
  #view = viewOf(this.#bytes);
  #length = 0;

  /** Begins a text; an unfinished one is discarded. */
  begin(): void {
    this.#length = 0;
  }

  literal({ words, length }: Literal): void {
    this.#room(length + 3);
    const view = this.#view;
    const at = this.#length;
    for (let i = 0; i < words.length; i++) view.setInt32(at + 4 * i, words[i] ?? 0, true);
    this.#length = at + length;
  }

  /** Appends a part of a text unchanged, from `start` to the byte before `end`. */
  copy(text: SourceText, start: number, end: number): void {
    const length = end - start;
    const bytes = this.#room(length + 3);
    const at = this.#length;
    if (end + 3 <= text.length) {
      const [from, to] = [text.view, this.#view];
      for (let i = 0; i < length; i += 4) to.setInt32(at + i, from.getInt32(start + i, true), true);
    } else {
      text.bytes.copy(bytes, at, start, end);
    }
    this.#length = at + length;
  }

  /** Appends a part of a text as a JSON string, after a minus sign if `isNegative`. The part must need no escapes. */
  quote(text: SourceText, start: number, end: number, isNegative = false): void {
    this.#room(2)[this.#length++] = quote;
    if (isNegative) this.#bytes[this.#length++] = minus;
    this.copy(text, start, end);
    this.#bytes[this.#length++] = quote;
  }

  /** Appends any value that JSON can represent. */
  value(value: unknown): void {
    const text = JSON.stringify(value);
    this.#length += this.#room(3 * text.length).write(text, this.#length);
  }

  /** Returns the finished text; the next part begins another one. */
  take(): JsonBytes {
    const text = this.#bytes.toString('latin1', 0, this.#length);
    this.#length = 0;
    if (this.#bytes.length > maxKeptBytes) this.#use(Buffer.allocUnsafeSlow(usualBytes));
    return text;
  }

  /** Makes room for this many more bytes, and returns the buffer. */
  #room(bytes: number): Buffer {
    const needed = this.#length + bytes;
    if (needed > this.#bytes.length) this.#grow(needed);
    return this.#bytes;
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(2 * needed);
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#use(larger);
  }

  #use(bytes: Buffer): void {
    this.#bytes = bytes;
    this.#view = viewOf(bytes);
  }
}

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}

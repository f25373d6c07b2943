// Reads JSON byte by byte (RFC 8259).
import { jsonBytes, Literal, nullLiteral, type SourceText } from './json-bytes.ts';

/** Thrown for invalid JSON; only compared by identity. */
export const notJson = new Error('not JSON');

const [quote, comma, colon, minus, plus, point] = [0x22, 0x2c, 0x3a, 0x2d, 0x2b, 0x2e] as const;
const [backslash, space, tab, lineFeed, carriageReturn] = [0x5c, 0x20, 0x09, 0x0a, 0x0d] as const;
const [zero, seven, nine, firstBeyondAscii] = [0x30, 0x37, 0x39, 0x80] as const;
const [letterD, letterE, letterU] = [0x64, 0x65, 0x75] as const;
/** Setting this bit turns A-Z into a-z. */
const lowerCase = 0x20;

export const braces = { open: 0x7b, close: 0x7d } as const;
export const brackets = { open: 0x5b, close: 0x5d } as const;
type Pair = typeof braces | typeof brackets;

const [trueLiteral, falseLiteral] = [new Literal('true'), new Literal('false')];

/** The kinds of values, one bit each, so that a number can represent a set of kinds. */
export const valueKinds = {
  null: 1,
  flag: 2,
  /** A number without fraction and exponent, a number with a fraction only, and a number with an exponent. */
  whole: 4,
  fraction: 8,
  exponent: 16,
  /** A string without escapes that has only ASCII characters, and any other string without escapes. */
  ascii: 32,
  text: 64,
  /** A string with escapes, and one with an escaped surrogate, which may be half of a pair. */
  escaped: 128,
  surrogates: 1024,
  object: 256,
  list: 512,
} as const;
export type ValueKind = (typeof valueKinds)[keyof typeof valueKinds];

/** Reads a JSON text. Methods throw `notJson` if the text at the position `end` is not what they are to read. */
export class JsonReader {
  readonly text: SourceText;
  /** After `any`, the value is from `start` to the byte before `end`, quotes included. */
  start = 0;
  end = 0;
  readonly #bytes: Uint8Array;

  constructor(text: SourceText) {
    this.text = text;
    this.#bytes = text.bytes;
  }

  /** If the literal is next, without white space before it, skips it and returns true; otherwise returns false. */
  skip(literal: Literal | undefined): boolean {
    if (literal === undefined || !this.text.has(literal, this.end)) return false;
    this.end += literal.length;
    return true;
  }

  /** Enters an object or a list and returns true; if it is empty, leaves it and returns false. */
  enter(pair: Pair): boolean {
    this.#take(pair.open);
    const isEmpty = this.#next() === pair.close;
    if (isEmpty) this.end++;
    return !isEmpty;
  }

  /** Skips a comma and returns true, or leaves the object or list at its closing bracket and returns false. */
  goOn(pair: Pair): boolean {
    const byte = this.#next();
    if (byte !== comma && byte !== pair.close) throw notJson;
    this.end++;
    return byte === comma;
  }

  /** Reads a key and its colon. Returns its index in `keys`, or -1 for any other key; tries `likely` first. */
  key(keys: readonly Literal[], likely: number): number {
    this.#next();
    let key = this.skip(keys[likely]) ? likely : keys.findIndex((one) => this.skip(one));
    if (key < 0 && this.#key() === valueKinds.escaped) {
      const decoded = jsonBytes(this.decoded());
      key = keys.findIndex(({ bytes }) => bytes === decoded);
    }
    this.#take(colon);
    return key;
  }

  /** Reads a key and its colon, and returns the decoded key. */
  name(): string {
    this.#key();
    const name = this.decoded() as string;
    this.#take(colon);
    return name;
  }

  /** Decodes the value from `start` to `end`. Numbers may lose digits. */
  decoded(): unknown {
    return JSON.parse(this.text.slice(this.start, this.end));
  }

  /** If a null is next, skips it and returns true; otherwise returns false. */
  isNull(): boolean {
    this.#next();
    return this.skip(nullLiteral);
  }

  /** If an empty object or list is next, skips it and returns true; otherwise returns false. */
  isEmpty(pair: Pair): boolean {
    if (!this.isAt(pair)) return false;
    const start = this.end;
    const isEmpty = !this.enter(pair);
    if (!isEmpty) this.end = start;
    return isEmpty;
  }

  isAt(pair: Pair): boolean {
    return this.#next() === pair.open;
  }

  /** Reads a string that is one of these literals and returns true; otherwise reads no value and returns false. */
  oneOf(literals: readonly Literal[]): boolean {
    this.#next();
    this.start = this.end;
    for (let n = 0; n < literals.length; n++) if (this.skip(literals[n])) return true;
    return false;
  }

  /** Reads a value, and returns its kind. */
  any(): ValueKind {
    const first = this.#next();
    if (first === quote) return this.#string();
    if (first === minus || (first >= zero && first <= nine)) return this.#number();
    if (first === braces.open) return this.#nested(braces);
    if (first === brackets.open) return this.#nested(brackets);
    this.start = this.end;
    if (this.skip(nullLiteral)) return valueKinds.null;
    if (this.skip(trueLiteral) || this.skip(falseLiteral)) return valueKinds.flag;
    throw notJson;
  }

  /** Throws `notJson` unless only white space is left. */
  finish(): void {
    this.#next();
    if (this.end !== this.#bytes.length) throw notJson;
  }

  /** Skips white space. Returns the next byte without reading it; 0 at the end and for any control character. */
  #next(): number {
    const bytes = this.#bytes;
    for (;;) {
      const byte = bytes[this.end] ?? 0;
      if (byte > space) return byte;
      if (byte !== space && byte !== lineFeed && byte !== carriageReturn && byte !== tab) return 0;
      this.end++;
    }
  }

  #take(wanted: number): void {
    if (this.#next() !== wanted) throw notJson;
    this.end++;
  }

  #key(): ValueKind {
    if (this.#next() !== quote) throw notJson;
    return this.#string();
  }

  /** Reads an object or a list. Not recursive, because the text may be nested a million levels deep. */
  #nested(outermost: Pair): ValueKind {
    const start = this.end;
    const outer: Pair[] = [];
    let pair = outermost;
    let isMore = this.enter(pair);
    while (isMore || outer.length > 0) {
      if (!isMore) pair = outer.pop() ?? outermost;
      else {
        if (pair === braces) {
          this.#key();
          this.#take(colon);
        }
        const inner = this.isAt(braces) ? braces : this.isAt(brackets) ? brackets : null;
        if (inner !== null) {
          outer.push(pair);
          pair = inner;
          isMore = this.enter(inner);
          continue;
        }
        this.any();
      }
      isMore = this.goOn(pair);
    }
    this.start = start;
    return outermost === braces ? valueKinds.object : valueKinds.list;
  }

  #string(): ValueKind {
    const bytes = this.#bytes;
    let at = this.end;
    let all = 0;
    let hasEscapes = false;
    let hasSurrogates = false;
    this.start = at;
    for (;;) {
      const byte = bytes[++at] ?? 0;
      if (byte === quote) break;
      if (byte < space) throw notJson;
      if (byte === backslash) {
        const length = escapeLength(bytes, at);
        hasEscapes = true;
        if (length === 5 && isSurrogate(bytes, at + 2)) hasSurrogates = true;
        at += length;
      }
      all |= byte;
    }
    this.end = at + 1;
    if (hasSurrogates) return valueKinds.surrogates;
    if (hasEscapes) return valueKinds.escaped;
    return all < firstBeyondAscii ? valueKinds.ascii : valueKinds.text;
  }

  #number(): ValueKind {
    this.start = this.end;
    if (this.#bytes[this.end] === minus) this.end++;
    if (this.#bytes[this.end] === zero) this.end++;
    else this.#digits();
    let kind: ValueKind = valueKinds.whole;
    if (this.#bytes[this.end] === point) {
      kind = valueKinds.fraction;
      this.end++;
      this.#digits();
    }
    if (((this.#bytes[this.end] ?? 0) | lowerCase) !== letterE) return kind;
    const sign = this.#bytes[++this.end];
    if (sign === plus || sign === minus) this.end++;
    this.#digits();
    return valueKinds.exponent;
  }

  #digits(): void {
    const first = this.end;
    for (;;) {
      const byte = this.#bytes[this.end] ?? 0;
      if (byte < zero || byte > nine) break;
      this.end++;
    }
    if (this.end === first) throw notJson;
  }
}

/** The second bytes of two-byte escapes. */
const shortEscapes: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'));
const hexDigits: ReadonlySet<number> = new Set(Buffer.from('0123456789abcdefABCDEF'));

/** The number of bytes of an escape after its backslash. */
function escapeLength(bytes: Uint8Array, at: number): number {
  const letter = bytes[at + 1] ?? 0;
  if (shortEscapes.has(letter)) return 1;
  if (letter !== letterU) throw notJson;
  for (let digit = at + 2; digit < at + 6; digit++) {
    if (!hexDigits.has(bytes[digit] ?? 0)) throw notJson;
  }
  return 5;
}

/** Whether four hex digits name a surrogate: U+D800 to U+DFFF. */
function isSurrogate(bytes: Uint8Array, at: number): boolean {
  return ((bytes[at] ?? 0) | lowerCase) === letterD && (bytes[at + 1] ?? 0) > seven;
}

// JSON text -> values, with the source text of those numbers whose digits must survive.
import { parse as parseLossless } from 'lossless-json';

/** A number of a JSON text as it stands there: never a float, so that no digit and no trailing zero is lost. */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A parsed text. `root` is what JSON.parse gives, except for the numbers at the keys that the parser was made for. */
export interface ExactJson {
  readonly root: unknown;
  /** The source text of such a number; null for every other value, a string of digits included. */
  readonly digits: (value: unknown) => string | null;
}

/** Parses one text; throws a SyntaxError where it is no JSON, a RangeError where it nests too deeply to be read exactly. */
export type ExactParser = (text: string) => ExactJson;

/**
 * Before a number that was quoted. DEL, as no service has a reason to send it: where a text has it, or any ASCII letter
 * or DEL as an escape (which could also spell a key differently), the reviver reads it instead, so that neither a
 * string can pass for a number nor a number be missed.
 */
const mark = '\x7f';
const markCode = mark.charCodeAt(0);
const unsafeEscape = /\\u00[4-7]/;

/**
 * A parser that keeps the digits of the numbers at `keys` (plain ASCII letters), at any depth.
 *
 * It quotes them before JSON.parse, which costs a fifth on top of JSON.parse alone; the reviver's `context.source` costs
 * five times as much. This is exact because a quote with no backslash before it begins or ends a string, and no
 * letter can follow the end of one in JSON: a match is always a whole key with its number. Invalid text stays
 * invalid, as a string may stand only where a number may.
 */
export function createExactParser(keys: readonly string[]): ExactParser {
  const number = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`;
  const gap = String.raw`[ \t\r\n]*`;
  const pattern = new RegExp(`(?<!\\\\)"(${keys.join('|')})"${gap}:${gap}(${number})`, 'g');
  const quoted = `"$1":"${mark}$2"`;
  return (text) =>
    isSafeToQuote(text)
      ? { root: JSON.parse(text.replace(pattern, quoted)) as unknown, digits: quotedDigits }
      : { root: parseNumbersAt(text, keys), digits: numberDigits };
}

/**
 * A parsed text with every number in it, at any key, as a JsonNumber; throws as an ExactParser does. Not by JSON.parse,
 * which takes an escaped key for another one that it has seen before, and then forgets its number's source:
 * https://github.com/nodejs/node/issues/63785. Among keys that are known, that can spoil none.
 */
export function parseEveryNumber(text: string): unknown {
  return parseLossless(text, null, {
    parseNumber: (source) => new JsonNumber(source),
    onDuplicateKey: ({ newValue }) => newValue,
  });
}

/** Called with a member's key, or an item's index, and the place of its value; gives the place behind the value. */
type Visit = (key: string | number, at: number) => number;

/** Visits the members of the object, or the items of the list, at a place of a valid JSON text; the place behind it. */
export function eachValue(text: string, at: number, visit: Visit): number {
  const isObject = text.charAt(at) === '{';
  let next = afterGap(text, at + 1);
  for (let index = 0; !isClosing(text.charCodeAt(next)); index++) {
    const keyEnd = isObject ? endOfString(text, next) : next;
    const key = isObject ? (JSON.parse(text.slice(next, keyEnd)) as string) : index;
    const start = isObject ? afterGap(text, afterGap(text, keyEnd) + 1) : next;
    next = afterGap(text, visit(key, start));
    if (text.charCodeAt(next) === comma) next = afterGap(text, next + 1);
  }
  return next + 1;
}

/** The place behind the value at a place of a valid JSON text: 6 ms for four million characters. */
export function endOfValue(text: string, at: number): number {
  if (text.charCodeAt(at) === quote) return endOfString(text, at);
  let depth = 0;
  for (let next = at; next < text.length; next++) {
    const code = text.charCodeAt(next);
    if (code === quote) next = endOfString(text, next) - 1;
    else if (isOpening(code)) depth++;
    else if (isClosing(code)) {
      if (depth === 0) return next;
      if (--depth === 0) return next + 1;
    } else if (code === comma && depth === 0) return next;
  }
  return text.length;
}

const [quote, comma] = [0x22, 0x2c] as const;

/** Braces and brackets differ by one bit. */
const isOpening = (code: number) => (code | 0x20) === 0x7b;
const isClosing = (code: number) => (code | 0x20) === 0x7d;

const gaps = /[ \t\r\n]*/y;

function afterGap(text: string, at: number): number {
  gaps.lastIndex = at;
  gaps.test(text);
  return gaps.lastIndex;
}

function endOfString(text: string, at: number): number {
  let end = text.indexOf('"', at + 1);
  for (;;) {
    let backslashes = 0;
    while (text.charAt(end - 1 - backslashes) === '\\') backslashes++;
    if (backslashes % 2 === 0) return end + 1;
    end = text.indexOf('"', end + 1);
  }
}

function isSafeToQuote(text: string): boolean {
  return !text.includes(mark) && !(text.includes('\\u00') && unsafeEscape.test(text));
}

function quotedDigits(value: unknown): string | null {
  return typeof value === 'string' && value.charCodeAt(0) === markCode ? value.slice(1) : null;
}

function numberDigits(value: unknown): string | null {
  return value instanceof JsonNumber ? value.text : null;
}

/** ECMAScript 2026, which TypeScript's library does not have yet: the third argument of a reviver. */
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

function parseNumbersAt(text: string, keys: readonly string[]): unknown {
  const revive: Reviver = (key, value, { source }) =>
    typeof value === 'number' && source !== undefined && keys.includes(key)
      ? new JsonNumber(source)
      : value;
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown);
}

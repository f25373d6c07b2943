// Parses the body of an answer and keeps the digits of its numbers.
import { parse } from 'lossless-json';
import { contractViolation } from '../../errors.ts';

/** The source text of a JSON number, so that no digit and no trailing zero is lost. */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A JSON object of an answer, whose fields are not checked yet. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof JsonNumber)
  );
}

/** Parses the body of an answer, which must be an object; throws UPSTREAM_CONTRACT_VIOLATION for any other body. */
export function parseBody(text: string): Fields {
  let root: unknown;
  try {
    // JSON.parse with a reviver can lose a number's source: https://github.com/nodejs/node/issues/63785.
    root = parse(text, null, {
      parseNumber: (source) => new JsonNumber(source),
      onDuplicateKey: ({ newValue }) => newValue,
    });
  } catch (error) {
    // The message of the error quotes the text, so the error is not kept as cause.
    if (!(error instanceof RangeError)) throw contractViolation('the body is not JSON');
    const shallow = withoutDepth(text);
    if (shallow === text) throw contractViolation('the body is nested too deeply');
    return parseBody(shallow);
  }
  if (!isFields(root)) throw contractViolation('the body is not an object');
  return root;
}

/** Deeper than any value that clients see, but shallow enough for the parser's stack. */
const maxDepth = 200;

const [quote, backslash, openBrace, closeBrace] = [0x22, 0x5c, 0x7b, 0x7d] as const;

/** Replaces each value that is nested too deeply with an empty list, so that the other values can be parsed. */
function withoutDepth(text: string): string {
  let [kept, depth, cutAt, from, isString] = ['', 0, 0, 0, false];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // Brackets differ from braces by one bit.
    const bracket = code | 0x20;
    if (code === quote) isString = !isString;
    else if (isString && code === backslash) at++;
    else if (!isString && bracket === openBrace && ++depth === maxDepth) cutAt = at;
    else if (!isString && bracket === closeBrace && depth-- === maxDepth) {
      kept += `${text.slice(from, cutAt)}[]`;
      from = at + 1;
    }
  }
  return kept + text.slice(from);
}

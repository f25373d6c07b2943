// Parses and writes JSON without changing the digits of its numbers, and changes one place of a JSON text.

/** JSON.rawJSON and the reviver's `context` are in Node.js 24 (ES2026), but not yet in TypeScript's library. */
interface ExactJson {
  rawJSON(text: string): RawNumber;
  parse(text: string, revive: (key: string, value: unknown, context: Source) => unknown): unknown;
}
interface Source {
  readonly source?: string;
}
const json = JSON as unknown as ExactJson;

/** A number that JSON.stringify writes exactly as its text, e.g. `1523.40`. */
export interface RawNumber {
  readonly rawJSON: string;
}

const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i;

/** The number that this string represents; throws a SyntaxError if the string is not a JSON number. */
export function rawNumber(text: string): RawNumber {
  // JSON.rawJSON alone would accept strings and null as well.
  if (!jsonNumber.test(text)) throw new SyntaxError(`${JSON.stringify(text)} is no JSON number.`);
  return json.rawJSON(text);
}

/** Parses JSON with every number as a RawNumber, so that JSON.stringify writes the same digits again. */
export function parseExact(text: string): unknown {
  return json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined ? rawNumber(source) : value,
  );
}

/** A change at one place of a JSON text. `raw` is inserted unchanged and need not be JSON. */
export type JsonChange =
  { readonly value: unknown } | { readonly raw: string } | { readonly remove: true };

/**
 * The text, changed at a JSON pointer (RFC 6901; '' is the whole text). Numbers at other places keep their digits.
 * Setting a key that an object lacks adds the key. A pointer to a place in a missing object or list changes nothing, so
 * that one fault can apply to several routes.
 */
export function changeJson(text: string, pointer: string, change: JsonChange): string {
  const root: Record<string, unknown> = { '': parseExact(text) };
  const keys = pointer.split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = keys.pop() ?? '';
  const parent = keys.reduce<unknown>((value, key) => childOf(value, key), root);
  if (!isContainer(parent)) return text;
  if ('remove' in change) removeKey(parent, last);
  else parent[last] = 'raw' in change ? rawMark : change.value;
  const changed = JSON.stringify(root[''] ?? null);
  return 'raw' in change ? changed.replace(JSON.stringify(rawMark), () => change.raw) : changed;
}

/** Stands for the raw text while the rest is written; no real text contains it. */
const rawMark = '\u0000raw\u0000';

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Object.hasOwn(value, 'rawJSON');
}

function childOf(value: unknown, key: string): unknown {
  return isContainer(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function removeKey(parent: Record<string, unknown>, key: string): void {
  if (!Object.hasOwn(parent, key)) return;
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else Reflect.deleteProperty(parent, key);
}

// What values have to be so that they are shown as they were sent.
import type { ValueKind } from '../json/json-reader.ts';
import type { FieldKind } from '../json/source-object.ts';
import { timestampMsAt, utcDate } from './timestamp.ts';

/** Whether a value of this kind, between these places, is one that a field shows as it stands. */
type Check = (kind: ValueKind, utf8: Buffer, start: number, end: number) => boolean;

/** A field: what is a good value of it, and how it is kept. */
export interface Rule {
  readonly kind: FieldKind;
  readonly isGood: Check;
}

const isText: Check = (kind) => kind === 'ascii' || kind === 'string';
const isNumber: Check = (kind) => kind === 'whole' || kind === 'number';

export const text: Rule = { kind: 'text', isGood: isText };
export const ascii: Rule = { kind: 'text', isGood: (kind) => kind === 'ascii' };
export const flag: Rule = { kind: 'flag', isGood: (kind) => kind === 'boolean' };
export const decimal: Rule = { kind: 'digits', isGood: isNumber };

/** Below zero is for the other way to judge; so is zero with a sign. */
export const amount: Rule = {
  kind: 'digits',
  isGood: (kind, utf8, start, end) => isNumber(kind, utf8, start, end) && utf8[start] !== minus,
};
const minus = 0x2d;

export const timestamp: Rule = {
  kind: 'text',
  isGood: (kind, utf8, start, end) =>
    kind === 'ascii' && timestampMsAt(utf8, start + 1, end - 1) !== null,
};

/** A timestamp of which the day is shown. */
export const day: Rule = {
  kind: 'other',
  isGood: (kind, utf8, start, end) =>
    kind === 'ascii' && utcDate(utf8.toString('latin1', start + 1, end - 1)) !== null,
};

/** Any object: what is in it is no matter here. */
export const anyObject: Rule = { kind: 'other', isGood: (kind) => kind === 'object' };

/** One of these texts. */
export function oneOf(texts: readonly string[]): Rule {
  const quoted: ReadonlySet<string> = new Set(texts.map((one) => `"${one}"`));
  return {
    kind: 'text',
    isGood: (kind, utf8, start, end) =>
      kind === 'ascii' && quoted.has(utf8.toString('latin1', start, end)),
  };
}

// What values have to be so that they are shown as they were sent.
import { valueKinds } from '../json/json-reader.ts';
import { Literal } from '../json/literal.ts';
import type { FieldKind } from '../json/source-object.ts';
import type { SourceText } from '../json/source-text.ts';
import { timestampMsAt, utcDate } from './timestamp.ts';

/** Whether a value that stands between these places, quotes included, is good. */
type Check = (text: SourceText, start: number, end: number) => boolean;

/** A field: what is a good value of it, and how it is kept. */
export interface Rule {
  readonly kind: FieldKind;
  /** The kinds of value that may be good. */
  readonly takes: number;
  /** What else has to be so; null for nothing. */
  readonly isGood: Check | null;
}

const { flag: flags, whole, fraction, ascii: asciiTexts, text: texts, object } = valueKinds;

export const text: Rule = { kind: 'text', takes: asciiTexts | texts, isGood: null };
export const ascii: Rule = { kind: 'text', takes: asciiTexts, isGood: null };
export const flag: Rule = { kind: 'flag', takes: flags, isGood: null };
export const decimal: Rule = { kind: 'digits', takes: whole | fraction, isGood: null };

const minus = 0x2d;

/** Below zero is for the other way to judge; so is zero with a sign. */
export const amount: Rule = { ...decimal, isGood: ({ bytes }, start) => bytes[start] !== minus };

export const timestamp: Rule = {
  ...ascii,
  isGood: ({ bytes }, start, end) => timestampMsAt(bytes, start + 1, end - 1) !== null,
};

/** A timestamp of which the day is shown. */
export const day: Rule = {
  kind: 'other',
  takes: asciiTexts,
  isGood: (sent, start, end) => utcDate(sent.slice(start + 1, end - 1)) !== null,
};

/** Any object: what is in it is no matter here. */
export const anyObject: Rule = { kind: 'other', takes: object, isGood: null };

/** One of these texts. */
export function oneOf(values: readonly string[]): Rule {
  const quoted = values.map((value) => new Literal(`"${value}"`));
  return {
    ...ascii,
    isGood: (sent, start, end) => sent.isOneOf(quoted, start, end),
  };
}

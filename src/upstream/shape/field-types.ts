// The types of the service's fields: their documented and GraphQL types, and the checks of their values.
import { valueKinds } from '../../json/json-reader.ts';
import { Literal, SourceText } from '../../json/json-bytes.ts';
import { type AnswerCheck, type Checked, Wrong } from './check.ts';
import { decimalText, isNegative } from './decimal.ts';
import { copyInvestment } from './investment-shape.ts';
import { correctTimestamp, timestampMsAt, utcDate } from './timestamp.ts';

/** A field type; `T` is the type of its values inside the gateway. */
export interface FieldType<T> {
  /** The type in the service's API description, and the type of the field in the schema. */
  readonly sent: string;
  readonly shown: string;
  /** The values that are violations, as docs/mapping.md describes them. */
  readonly bad: string;
  /** The message for a violation; by default `is`, followed by `bad`. */
  readonly what?: string;
  /** Whether an object without a valid value of this field is a violation as a whole. */
  readonly isRequired: boolean;
  /** The name of an open set of values, such as `account.status`, and the values that the API description names. */
  readonly openSet?: { readonly field: string; readonly named: readonly string[] };
  /**
   * The documented strings of an enum or an open set; null for other types. A value is compared with them first. If it
   * equals one of them, it is copied to the answer, and the members below do not apply.
   */
  readonly documented: readonly Literal[] | null;
  /** The kinds of JSON value that are copied to the answer: a set of `valueKinds`. */
  readonly takes: number;
  /** A further check of such a value; null if there is none. `start` to `end` includes the quotes of a string. */
  readonly isGood:
    ((text: SourceText, start: number, end: number, answer: AnswerCheck) => boolean) | null;
  /** Decodes a value that is not copied; null or a Wrong is a violation. Without `decode`, all such values are. */
  readonly decode?: (sent: string, answer: AnswerCheck) => T | Wrong | null;
}

/** The type of a required field, for which a checked object always has a value. */
type RequiredType<T> = FieldType<T> & { readonly isRequired: true };

export type FieldTable = Readonly<Record<string, FieldType<unknown>>>;

/** An object with the checked values of its fields. */
export type Shape<Table extends FieldTable> = {
  readonly [Name in keyof Table]: Table[Name] extends RequiredType<infer T>
    ? T
    : Table[Name] extends FieldType<infer T>
      ? Checked<T>
      : never;
};

const { flag: flags, whole, fraction, exponent, ascii, text: unescaped, escaped } = valueKinds;

const optional = { isRequired: false, documented: null, isGood: null } as const;

const halfPair = new Wrong('has half of a surrogate pair');

/** A text. One with half of a surrogate pair would make the whole answer invalid for strict JSON parsers. */
export const text: FieldType<string> = {
  ...optional,
  sent: 'string',
  shown: 'String',
  bad: 'not a string, or one with half of a surrogate pair',
  what: 'is not a string',
  takes: ascii | unescaped | escaped,
  decode(sent) {
    const value = decodeString(sent);
    return value === null || value.isWellFormed() ? value : halfPair;
  },
};

/** The condition on a string, and a decoder that applies it to strings with escapes. */
function stringIf(isGood: (text: SourceText, start: number, end: number) => boolean) {
  const decode = (sent: string): string | null => {
    const value = decodeString(sent) ?? '';
    const text = new SourceText(Buffer.from(`"${value}"`));
    return value.isWellFormed() && isGood(text, 0, text.length) ? value : null;
  };
  return { isGood, decode };
}

/** Decodes a string; null for any other value. */
function decodeString(sent: string): string | null {
  return sent.startsWith('"') ? (JSON.parse(sent) as string) : null;
}

/** A string of an open set. Values that are not `named` are reported to the observer. */
export function open(field: string, ...named: string[]): FieldType<string> {
  return {
    ...text,
    openSet: { field, named },
    documented: named.map((value) => new Literal(JSON.stringify(value))),
    isGood(sent, start, end, { observer }) {
      observer?.value(field, JSON.parse(sent.slice(start, end)) as string);
      return true;
    },
  };
}

export const id: RequiredType<string> = {
  ...text,
  isRequired: true,
  sent: 'string (UUID)',
  shown: 'ID!',
  bad: 'absent or not a non-empty string',
  what: 'is no usable id',
  // Ids with escapes are decoded, because an escape may be a lone surrogate.
  takes: ascii | unescaped,
  ...stringIf((_sent, start, end) => end - start > '""'.length),
};

const uuidText = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** An id that becomes a segment of a URL path. It must be a UUID, because an id such as `..` would change the path. */
export const uuid: RequiredType<string> = {
  ...id,
  bad: 'absent or not a string of 8-4-4-4-12 hex digits, as it becomes a part of a path',
  what: 'is not a UUID',
  takes: ascii,
  ...stringIf((sent, start, end) => uuidText.test(sent.slice(start + 1, end - 1))),
};

/** The largest GraphQL Int. */
const maxCount = 2 ** 31 - 1;

const fractionDigits = /\.0*[1-9]/;

export function count(min: number): RequiredType<number> {
  return {
    ...optional,
    isRequired: true,
    sent: 'integer',
    shown: 'Int!',
    bad: `not a whole number from ${min} to ${maxCount}, nor its digits as a text`,
    what: 'is not such a number',
    takes: whole | fraction | exponent,
    isGood(sent, start, end) {
      // Usual numbers: these checks take a fraction of the time of those below.
      const small = sent.whole(start, end);
      if (small >= min) return true;
      const source = sent.slice(start, end);
      const number = Number(source);
      if (!Number.isInteger(number) || number < min || number > maxCount) return false;
      // `Number` rounds: 0.99999999999999999999 would be 1. Plain digits need no further check.
      return String(number) === source || !fractionDigits.test(decimalText(source) ?? '.1');
    },
    decode(sent) {
      const number = /^"\d{1,10}"$/.test(sent) ? Number(sent.slice(1, -1)) : -1;
      return number >= min && number <= maxCount ? number : null;
    },
  };
}

/** A count without which an object is still usable. */
export const countOrNone: FieldType<number> = { ...count(0), isRequired: false, shown: 'Int' };

export const flag: FieldType<boolean> = {
  ...optional,
  sent: 'boolean',
  shown: 'Boolean',
  bad: 'not a boolean',
  takes: flags,
};

const tooLong = new Wrong('has too many digits');
const isNumber = /^[-\d]/;

/** A number, shown as its digits: `Decimal` (docs/exactness.md). */
export const decimal: FieldType<string> = {
  ...optional,
  sent: 'number',
  shown: 'Decimal',
  bad: 'not a number, or an exponent that takes more than 100 digits',
  what: 'is not a number',
  takes: whole | fraction,
  decode: (sent) => (isNumber.test(sent) ? (decimalText(sent) ?? tooLong) : null),
};

const negative = new Wrong('is negative');
const minus = 0x2d;

/** A decimal of 0 or more; `-0.00` is zero. */
export const amount: FieldType<string> = {
  ...decimal,
  bad: 'not a number, negative, or an exponent that takes more than 100 digits',
  // Values with a sign, `-0.00` included, are decoded.
  isGood: ({ bytes }, start) => bytes[start] !== minus,
  decode(sent, answer) {
    const digits = decimal.decode?.(sent, answer) ?? null;
    return typeof digits === 'string' && isNegative(digits) ? negative : digits;
  },
};

/** A timestamp, shown as sent if it is in the form of RFC 3339: `DateTime` (docs/exactness.md). */
export const timestamp: FieldType<string> = {
  ...text,
  sent: 'string (timestamp)',
  shown: 'DateTime',
  bad: 'not an RFC 3339 date-time, nor one that can be [put right](exactness.md#dates-and-times)',
  what: 'is not a timestamp',
  takes: ascii,
  isGood: ({ bytes }, start, end) => timestampMsAt(bytes, start + 1, end - 1) !== null,
  decode: (sent, { timeZone }) => correctTimestamp(decodeString(sent) ?? '', timeZone),
};

/** A timestamp or a date, shown as its UTC date, yyyy-MM-dd: `Date` (docs/exactness.md). */
export const day: FieldType<string> = {
  ...timestamp,
  shown: 'Date',
  bad: 'neither such a date-time nor a `yyyy-MM-dd`',
  takes: 0,
  isGood: null,
  decode: (sent, { timeZone }) => utcDate(decodeString(sent) ?? '', timeZone),
};

/** A string of a closed set, which is the enum `shown` in the schema. */
export function oneOf<const T extends string>(
  shown: string,
  values: readonly T[],
): FieldType<T> & { readonly values: readonly T[] } {
  return {
    ...text,
    values,
    shown,
    bad: 'not one of the documented values',
    documented: values.map((value) => new Literal(`"${value}"`)),
    takes: 0,
    decode: (sent) => values.find((value) => value === decodeString(sent)) ?? null,
  };
}

/** An object whose fields are not documented, passed through with its numbers as text. */
export const anyObject: FieldType<Record<string, unknown>> = {
  ...optional,
  sent: 'object or null',
  shown: 'JSONObject',
  bad: 'not an object, nested deeper than 100, more than 262,144 characters in one profile (white space not counted), or a number that `balance` cannot have',
  what: 'is not an object',
  takes: 0,
  decode: (sent, answer) => (sent.startsWith('{') ? copyInvestment(sent, answer) : null),
};

// The types of the service's fields: their documented and GraphQL types, and the checks of parsed values and of bytes.
import { GatewayError } from '../../errors.ts';
import { valueKinds } from '../../json/json-reader.ts';
import { Literal, type SourceText } from '../../json/json-bytes.ts';
import type { FieldKind } from '../../json/source-object.ts';
import { AnswerCheck, type Checked, Wrong } from './check.ts';
import { decimalText, isNegative } from './decimal.ts';
import { isFields, JsonNumber, parseBody } from './exact-json.ts';
import { copyInvestment, copyObject } from './investment-shape.ts';
import { timestampMs, timestampMsAt, utcDate, utcDateMsAt } from './timestamp.ts';

/** Decides whether the bytes of a value can be copied to the answer; otherwise, the answer is parsed. */
export interface Rule {
  readonly kind: FieldKind;
  /** The kinds of JSON value that are accepted: a set of `valueKinds`. */
  readonly takes: number;
  /** A further condition on the value from `start` to the byte before `end`, quotes included; null if there is none. */
  readonly isGood: ((text: SourceText, start: number, end: number) => boolean) | null;
  /** Whether an object without a valid value of this field is a violation as a whole. */
  readonly isRequired: boolean;
  readonly openSet?: OpenSet;
}

/** An open set of values. A value that the API description does not name is reported to the observer. */
export interface OpenSet {
  /** The name of the field, such as `account.status`. */
  readonly field: string;
  readonly named: readonly string[];
  readonly literals: readonly Literal[];
}

/** A field type; `T` is the type of its values inside the gateway. */
export interface FieldType<T> extends Rule {
  /** The type in the service's API description, and the type of the field in the schema. */
  readonly sent: string;
  readonly shown: string;
  /** The values that are violations, as docs/mapping.md describes them. */
  readonly bad: string;
  /** The message for a violation; by default `is`, followed by `bad`. */
  readonly what?: string;
  /** Null or a Wrong is a violation. An absent or null value is only passed if the field is required. */
  readonly check: (value: unknown, answer: AnswerCheck) => T | Wrong | null;
}

/** A checked object always has a value for a required field. */
interface RequiredType<T> extends FieldType<T> {
  readonly isRequired: true;
}

export type FieldTable = Readonly<Record<string, FieldType<unknown>>>;

/** An object with the checked values of its fields. */
export type Shape<Table extends FieldTable> = {
  readonly [Name in keyof Table]: Table[Name] extends RequiredType<infer T>
    ? T
    : Table[Name] extends FieldType<infer T>
      ? Checked<T>
      : never;
};

/** Returns null for an absent value, and a violation if the value is no object or a required field is invalid. */
export function checkObject<Table extends FieldTable>(
  table: Table,
  value: unknown,
  pointer: string,
  answer: AnswerCheck,
): Checked<Shape<Table>> {
  if (isAbsent(value)) return null;
  if (!isFields(value)) return answer.violation(pointer, 'is not an object');
  const checked: Record<string, unknown> = {};
  for (const [name, type] of Object.entries(table)) {
    const { isRequired, bad, what = `is ${bad}`, openSet } = type;
    const sent = value[name];
    checked[name] = null;
    if (!isRequired && isAbsent(sent)) continue;
    const field = type.check(sent, answer);
    if (field === null || field instanceof Wrong) {
      const violation = answer.violation(`${pointer}/${name}`, field?.message ?? what);
      if (isRequired) return violation;
      checked[name] = violation;
    } else {
      checked[name] = field;
      if (openSet?.named.includes(field as string) === false) {
        answer.observer?.value(openSet.field, field as string);
      }
    }
  }
  return checked as Shape<Table>;
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** Like `checkObject`, for an element of a list, which must not be null. */
export function checkElement<Table extends FieldTable>(
  table: Table,
  value: unknown,
  pointer: string,
  answer: AnswerCheck,
): Shape<Table> | GatewayError {
  const checked = checkObject(table, value, pointer, answer);
  return checked ?? answer.violation(pointer, 'is not an object');
}

/** Like `checkElement`, but throws the violation: an answer without this object is unusable. */
export function requireObject<Table extends FieldTable>(
  table: Table,
  value: unknown,
  pointer: string,
  answer: AnswerCheck,
): Shape<Table> {
  const checked = checkElement(table, value, pointer, answer);
  if (checked instanceof GatewayError) throw checked;
  return checked;
}

const { flag: flags, whole, fraction, ascii, text: unescaped, escaped, object } = valueKinds;

const optional = { isRequired: false, isGood: null } as const;

export const text: FieldType<string> = {
  ...optional,
  sent: 'string',
  shown: 'String',
  bad: 'not a string',
  kind: 'json',
  takes: ascii | unescaped | escaped,
  check: (value) => (typeof value === 'string' ? value : null),
};

/** A string of an open set. `named` are the values that the API description names. */
export function open(field: string, ...named: string[]): FieldType<string> {
  const literals = named.map((value) => new Literal(JSON.stringify(value)));
  return { ...text, openSet: { field, named, literals } };
}

export const id: RequiredType<string> = {
  ...text,
  isRequired: true,
  sent: 'string (UUID)',
  shown: 'ID!',
  bad: 'absent or not a non-empty string',
  what: 'is no usable id',
  // Ids with escapes are left to `check`, because an escape may be a lone surrogate.
  takes: ascii | unescaped,
  check: (value) => (isUsable(value) ? value : null),
  isGood: (_sent, start, end) => end - start > '""'.length,
};

function isUsable(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.isWellFormed();
}

const uuidText = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const notUuid = new Wrong('is not a UUID');

/** An id that becomes a segment of a URL path. It must be a UUID, because an id such as `..` would change the path. */
export const uuid: RequiredType<string> = {
  ...id,
  bad: 'absent or not a string of 8-4-4-4-12 hex digits, as it becomes a part of a path',
  takes: ascii,
  check(value) {
    if (!isUsable(value)) return null;
    return uuidText.test(value) ? value : notUuid;
  },
  isGood: (sent, start, end) => uuidText.test(sent.slice(start + 1, end - 1)),
};

/** The largest GraphQL Int: a larger number could not be shown. */
const maxCount = 2 ** 31 - 1;

/** A whole number from `min` to `maxCount`. */
export function count(min: number): RequiredType<number> {
  return {
    ...optional,
    isRequired: true,
    sent: 'integer',
    shown: 'Int!',
    bad: `not a whole number from ${min} to ${maxCount}`,
    kind: 'json',
    takes: whole,
    isGood(sent, start, end) {
      const number = Number(sent.slice(start, end));
      return number >= min && number <= maxCount;
    },
    check(value) {
      const number = value instanceof JsonNumber ? Number(value.text) : NaN;
      return Number.isInteger(number) && number >= min && number <= maxCount ? number : null;
    },
  };
}

export const flag: FieldType<boolean> = {
  ...optional,
  sent: 'boolean',
  shown: 'Boolean',
  bad: 'not a boolean',
  kind: 'json',
  takes: flags,
  check: (value) => (typeof value === 'boolean' ? value : null),
};

const tooLong = new Wrong('has too many digits');

/** A number, shown as its digits: `Decimal` (docs/exactness.md). */
export const decimal: FieldType<string> = {
  ...optional,
  sent: 'number',
  shown: 'Decimal',
  bad: 'not a number, or an exponent that takes more than 100 digits',
  what: 'is not a number',
  kind: 'digits',
  takes: whole | fraction,
  check: (value) => (value instanceof JsonNumber ? (decimalText(value.text) ?? tooLong) : null),
};

const negative = new Wrong('is negative');
const minus = 0x2d;

/** A decimal of 0 or more; `-0.00` is zero. */
export const amount: FieldType<string> = {
  ...decimal,
  bad: 'not a number, negative, or an exponent that takes more than 100 digits',
  check(value, answer) {
    const checked = decimal.check(value, answer);
    return typeof checked === 'string' && isNegative(checked) ? negative : checked;
  },
  // Values with a sign, `-0.00` included, are left to `check`.
  isGood: ({ bytes }, start) => bytes[start] !== minus,
};

const notString = new Wrong('is not a string');

/** A timestamp, shown as sent: `DateTime` (docs/exactness.md). */
export const timestamp: FieldType<string> = {
  ...text,
  sent: 'string (timestamp)',
  shown: 'DateTime',
  bad: 'not an RFC 3339 date-time',
  what: 'is not a timestamp',
  takes: ascii,
  check(value) {
    if (typeof value !== 'string') return notString;
    return timestampMs(value) === null ? null : value;
  },
  isGood: ({ bytes }, start, end) => timestampMsAt(bytes, start + 1, end - 1) !== null,
};

/** A timestamp or a date, shown as its UTC date, yyyy-MM-dd: `Date` (docs/exactness.md). */
export const day: FieldType<string> = {
  ...timestamp,
  shown: 'Date',
  bad: 'neither an RFC 3339 date-time nor a `yyyy-MM-dd`',
  kind: (json) => utcDate(JSON.parse(json) as string),
  check: (value) => (typeof value === 'string' ? utcDate(value) : notString),
  isGood: ({ bytes }, start, end) => utcDateMsAt(bytes, start + 1, end - 1) !== null,
};

/** A string of a closed set, which is the enum `shown` in the schema. */
export function oneOf<const T extends string>(
  shown: string,
  values: readonly T[],
): FieldType<T> & { readonly values: readonly T[] } {
  const quoted = values.map((value) => new Literal(`"${value}"`));
  return {
    ...text,
    values,
    shown,
    bad: 'not one of the documented values',
    takes: ascii,
    check: (value) => values.find((one) => one === value) ?? null,
    isGood: (sent, start, end) => sent.isOneOf(quoted, start, end),
  };
}

/** An object whose fields are not documented, passed through with its numbers as text. */
export const anyObject: FieldType<Record<string, unknown>> = {
  ...optional,
  sent: 'object or null',
  shown: 'JSONObject',
  bad: 'not an object, nested deeper than 100, more than 262,144 characters in one profile (white space not counted), or a number that `balance` cannot have',
  what: 'is not an object',
  kind: (json) => copyObject(parseBody(json), 1, new AnswerCheck()),
  takes: object,
  check: (value, answer) => (isFields(value) ? copyInvestment(value, answer) : null),
};

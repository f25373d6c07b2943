// The types of the service's fields: documented type, shown type, and the check of a value, parsed or as bytes.
import { contractViolation, GatewayError } from '../../errors.ts';
import { valueKinds } from '../../json/json-reader.ts';
import { Literal } from '../../json/literal.ts';
import type { FieldKind } from '../../json/source-object.ts';
import type { SourceText } from '../../json/source-text.ts';
import { absentOr, type Checked, usableId, violation } from './check.ts';
import { decimalText, isNegative } from './decimal.ts';
import { isFields, JsonNumber } from './exact-json.ts';
import { copyInvestment, Taken } from './investment-shape.ts';
import { hasUtcDateAt, timestampMs, timestampMsAt, utcDate } from './timestamp.ts';

/** A type of field; `T` is the type of its values inside the gateway. */
export interface FieldType<T> {
  /** The type in the service's API description, and the type of the field in the schema. */
  readonly sent: string;
  readonly shown: string;
  /** The values that are violations, in the words of docs/mapping.md. */
  readonly bad: string;
  /** Checks a parsed value; `at` and `key` as for `violation`. */
  readonly check: (value: unknown, at: string, key: string, taken: Taken) => Checked<T>;
  /** Checks the bytes of a value. */
  readonly rule: Rule;
  /** The values of an open set that the API description names; empty for other fields. */
  readonly named: readonly string[];
  /** Whether the object is a violation if the field is. */
  readonly isRequired: boolean;
}

/** A field whose check has a value or a violation, never null. */
interface RequiredType<T> extends FieldType<T> {
  readonly isRequired: true;
}

/** The fields of an object. */
export type FieldTable = Readonly<Record<string, FieldType<unknown>>>;

/** An object with the checked values of its fields. */
export type Shape<Table extends FieldTable> = {
  readonly [Name in keyof Table]: Table[Name] extends RequiredType<infer T>
    ? T
    : Table[Name] extends FieldType<infer T>
      ? Checked<T>
      : never;
};

/** Checks the object at a JSON pointer, and its fields. */
export function checkObject<Table extends FieldTable>(
  table: Table,
  value: unknown,
  pointer: string,
  taken: Taken,
): Checked<Shape<Table>> {
  if (value === undefined || value === null) return null;
  if (!isFields(value)) return contractViolation(`${pointer} is not an object`, pointer);
  const checked: Record<string, unknown> = {};
  for (const [name, type] of Object.entries(table)) {
    const field = type.check(value[name], pointer, name, taken);
    if (type.isRequired && field instanceof GatewayError) return field;
    checked[name] = field;
  }
  return checked as Shape<Table>;
}

/** The same for an element of a list, which must not be null. */
export function checkElement<Table extends FieldTable>(
  table: Table,
  value: unknown,
  pointer: string,
  taken: Taken,
): Shape<Table> | GatewayError {
  return (
    checkObject(table, value, pointer, taken) ??
    contractViolation(`${pointer} is not an object`, pointer)
  );
}

/** The same for an object without which the whole answer is a violation, which it throws. */
export function requireObject<Table extends FieldTable>(
  table: Table,
  value: unknown,
  pointer: string,
): Shape<Table> {
  const checked = checkElement(table, value, pointer, new Taken());
  if (checked instanceof GatewayError) throw checked;
  return checked;
}

/** Whether the bytes of a value can be copied to the answer. Any other value is left to `check`. */
export interface Rule {
  readonly kind: FieldKind;
  /** The kinds of JSON value that it accepts: a set of `valueKinds`. */
  readonly takes: number;
  /** A further condition on the value, quotes included; null for none. */
  readonly isGood: ((text: SourceText, start: number, end: number) => boolean) | null;
}

const { flag: flags, whole, fraction, ascii, text: unescaped, escaped, object } = valueKinds;

/** A string of ASCII without escapes. */
export const asciiRule: Rule = { kind: 'text', takes: ascii, isGood: null };

const decimalRule: Rule = { kind: 'digits', takes: whole | fraction, isGood: null };

const none = { named: [], isRequired: false } as const;

/** The id of an object. */
export const id: RequiredType<string> = {
  ...none,
  isRequired: true,
  sent: 'string (UUID)',
  shown: 'ID!',
  bad: 'absent or not a non-empty string',
  check: (value, at, key) => usableId(value) ?? violation(at, key, 'is no usable id'),
  // Without escapes: an escape may be a lone surrogate.
  rule: { kind: 'text', takes: ascii | unescaped, isGood: null },
};

const uuidText = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** An id that becomes a part of a path, which `..` would change. */
export const uuid: RequiredType<string> = {
  ...id,
  bad: 'absent or not a string of 8-4-4-4-12 hex digits, as it becomes a part of a path',
  check(value, at, key, taken) {
    const checked = id.check(value, at, key, taken);
    return typeof checked !== 'string' || uuidText.test(checked)
      ? checked
      : violation(at, key, 'is not a UUID');
  },
  rule: {
    ...asciiRule,
    isGood: (text, start, end) => uuidText.test(text.slice(start + 1, end - 1)),
  },
};

/** The largest GraphQL Int: a larger number could not be shown. */
const maxCount = 2 ** 31 - 1;

/** A whole number from `min`. */
export function count(min: number): RequiredType<number> {
  const bad = `not a whole number from ${min} to ${maxCount}`;
  return {
    ...none,
    isRequired: true,
    sent: 'integer',
    shown: 'Int!',
    bad,
    check(value, at, key) {
      const number = value instanceof JsonNumber ? Number(value.text) : NaN;
      const isCount = Number.isInteger(number) && number >= min && number <= maxCount;
      return isCount ? number : violation(at, key, `is ${bad}`);
    },
    rule: { kind: 'digits', takes: whole, isGood: null },
  };
}

/** Any string. */
export const text: FieldType<string> = {
  ...none,
  sent: 'string',
  shown: 'String',
  bad: 'not a string',
  check: (value, at, key) =>
    typeof value === 'string' ? value : absentOr(value, at, key, 'is not a string'),
  rule: { kind: 'text', takes: ascii | unescaped | escaped, isGood: null },
};

/** A string of a set that the API description leaves open, with the values that it names. */
export function open(...named: string[]): FieldType<string> {
  return { ...text, named };
}

/** A boolean. */
export const flag: FieldType<boolean> = {
  ...none,
  sent: 'boolean',
  shown: 'Boolean',
  bad: 'not a boolean',
  check: (value, at, key) =>
    typeof value === 'boolean' ? value : absentOr(value, at, key, 'is not a boolean'),
  rule: { kind: 'flag', takes: flags, isGood: null },
};

/** A number, shown as its digits: `Decimal` (docs/exactness.md). */
export const decimal: FieldType<string> = {
  ...none,
  sent: 'number',
  shown: 'Decimal',
  bad: 'not a number, or an exponent that takes more than 100 digits',
  check: (value, at, key) =>
    value instanceof JsonNumber
      ? (decimalText(value.text) ?? violation(at, key, 'has too many digits'))
      : absentOr(value, at, key, 'is not a number'),
  rule: decimalRule,
};

const minus = 0x2d;

/** A decimal of 0 or more; `-0.00` is zero. */
export const amount: FieldType<string> = {
  ...decimal,
  bad: 'not a number, negative, or an exponent that takes more than 100 digits',
  check(value, at, key, taken) {
    const checked = decimal.check(value, at, key, taken);
    return typeof checked === 'string' && isNegative(checked)
      ? violation(at, key, 'is negative')
      : checked;
  },
  // Values with a sign, `-0.00` included, are left to `check`.
  rule: { ...decimalRule, isGood: ({ bytes }, start) => bytes[start] !== minus },
};

/** A timestamp, shown as sent: `DateTime` (docs/exactness.md). */
export const timestamp: FieldType<string> = {
  ...none,
  sent: 'string (timestamp)',
  shown: 'DateTime',
  bad: 'not an RFC 3339 date-time',
  check(value, at, key) {
    if (typeof value !== 'string') return absentOr(value, at, key, 'is not a string');
    return timestampMs(value) === null ? violation(at, key, 'is not a timestamp') : value;
  },
  rule: {
    ...asciiRule,
    isGood: ({ bytes }, start, end) => timestampMsAt(bytes, start + 1, end - 1) !== null,
  },
};

/** A timestamp, shown as its UTC day, yyyy-MM-dd: `Date` (docs/exactness.md). */
export const day: FieldType<string> = {
  ...none,
  sent: 'string (timestamp)',
  shown: 'Date',
  bad: 'neither an RFC 3339 date-time nor a `yyyy-MM-dd`',
  check(value, at, key) {
    if (typeof value !== 'string') return absentOr(value, at, key, 'is not a string');
    return utcDate(value) ?? violation(at, key, 'is not a timestamp');
  },
  rule: {
    kind: 'other',
    takes: ascii,
    isGood: ({ bytes }, start, end) => hasUtcDateAt(bytes, start + 1, end - 1),
  },
};

/** A string of a closed set: the enum `shown` of the schema. */
export function oneOf<const T extends string>(
  shown: string,
  values: readonly T[],
): FieldType<T> & { readonly values: readonly T[] } {
  const quoted = values.map((value) => new Literal(`"${value}"`));
  return {
    ...none,
    values,
    sent: 'string',
    shown,
    bad: 'not one of the documented values',
    check: (value, at, key) =>
      values.find((one) => one === value) ??
      absentOr(value, at, key, 'is not one of the documented values'),
    rule: { ...asciiRule, isGood: (sent, start, end) => sent.isOneOf(quoted, start, end) },
  };
}

/** An object whose fields are not documented, passed through with its numbers as text. */
export const anyObject: FieldType<Record<string, unknown>> = {
  ...none,
  sent: 'object or null',
  shown: 'JSONObject',
  bad: 'not an object, nested deeper than 100, all of a profile longer than 262,144 characters without white space, or a number in it as with `balance`',
  check: (value, at, key, taken) =>
    isFields(value)
      ? copyInvestment(value, `${at}/${key}`, taken)
      : absentOr(value, at, key, 'is not an object'),
  rule: { kind: 'other', takes: object, isGood: null },
};

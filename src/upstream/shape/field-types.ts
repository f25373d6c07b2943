// The types of the service's fields: documented type, shown type, and the check of a value, parsed or as bytes.
import { valueKinds } from '../../json/json-reader.ts';
import { Literal } from '../../json/literal.ts';
import type { FieldKind } from '../../json/source-object.ts';
import type { SourceText } from '../../json/source-text.ts';
import { absentOr, type Checked, type Fields, isFields, violation } from './check.ts';
import { decimalText, isNegative } from './decimal.ts';
import type { ExactJson } from './exact-json.ts';
import { hasUtcDateAt, timestampMs, timestampMsAt, utcDate } from './timestamp.ts';

/** A type of field; `T` is the type of its values inside the gateway. */
export interface FieldType<T> {
  /** The type in the service's API description, and the type of the field in the schema. */
  readonly sent: string;
  readonly shown: string;
  /** The values that are violations, in the words of docs/mapping.md. */
  readonly bad: string;
  /** Checks a parsed value; `at` and `key` as for `violation`. */
  readonly check: (value: unknown, at: string, key: string, answer: ParsedAnswer) => Checked<T>;
  /** Checks the bytes of a value. */
  readonly rule: Rule;
  /** The values of an open set that the API description names; empty for other fields. */
  readonly named: readonly string[];
  /** Whether the field is a number whose digits are kept. */
  readonly isDecimal: boolean;
}

/** The answer that a parsed value belongs to. */
export interface ParsedAnswer {
  /** The source text of a decimal. */
  readonly digits: ExactJson['digits'];
  /** The object at a JSON pointer with all numbers as text, or its violation. */
  readonly exactObject: (pointer: string) => Checked<Record<string, unknown>>;
}

/**
 * The fields of an object except its `id`. Every object of the service has an `id`, a non-empty string; without it the
 * object itself is a violation.
 */
export type FieldTable = Readonly<Record<string, FieldType<unknown>>>;

/** An object with the checked values of its fields. */
export type Shape<Table extends FieldTable> = { readonly id: string } & {
  readonly [Name in keyof Table]: Table[Name] extends FieldType<infer T> ? Checked<T> : never;
};

/** Checks the fields of a parsed object that has a usable id; `at` is the object's JSON pointer. */
export type CheckFields<Table extends FieldTable> = (
  fields: Fields,
  id: string,
  at: string,
  answer: ParsedAnswer,
) => Shape<Table>;

/** The check of a kind of object. */
export function checkFieldsOf<Table extends FieldTable>(table: Table): CheckFields<Table> {
  const checks = Object.entries(table).map(([key, { check }]) => ({ key, check }));
  return (fields, id, at, answer) => {
    const checked: Record<string, unknown> = { id };
    for (const { key, check } of checks) checked[key] = check(fields[key], at, key, answer);
    return checked as Shape<Table>;
  };
}

/** The names of the decimals in these tables. */
export function decimalsIn(...tables: readonly FieldTable[]): string[] {
  return tables.flatMap((table) => Object.keys(table).filter((name) => table[name]?.isDecimal));
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

/** An id without escapes: an escape may be a lone surrogate, which `usableId` rejects. */
export const idRule: Rule = { kind: 'text', takes: ascii | unescaped, isGood: null };

/** A string of ASCII without escapes. */
export const asciiRule: Rule = { kind: 'text', takes: ascii, isGood: null };

const decimalRule: Rule = { kind: 'digits', takes: whole | fraction, isGood: null };

const none = { named: [], isDecimal: false } as const;

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
  check(value, at, key, { digits }) {
    const source = digits(value);
    if (source === null) return absentOr(value, at, key, 'is not a number');
    return decimalText(source) ?? violation(at, key, 'has too many digits');
  },
  rule: decimalRule,
  isDecimal: true,
};

const minus = 0x2d;

/** A decimal of 0 or more; `-0.00` is zero. */
export const amount: FieldType<string> = {
  ...decimal,
  bad: 'not a number, negative, or an exponent that takes more than 100 digits',
  check(value, at, key, answer) {
    const checked = decimal.check(value, at, key, answer);
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
  bad: 'not an object, nested deeper than 100, all of a profile longer than 262,144 characters, or a number in it as with `balance`',
  check: (value, at, key, { exactObject }) =>
    isFields(value) ? exactObject(`${at}/${key}`) : absentOr(value, at, key, 'is not an object'),
  rule: { kind: 'other', takes: object, isGood: null },
};

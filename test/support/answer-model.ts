// A second implementation of the checks of the service's answers, on parsed JSON. Tests compare it with the gateway's
// implementation.
import { isLosslessNumber, LosslessNumber, parse } from 'lossless-json';
import { decimalText, isNegative, signed } from '../../src/upstream/shape/decimal.ts';
import { type FieldTable, type FieldType, uuid } from '../../src/upstream/shape/field-types.ts';
import { amount, count } from '../../src/upstream/shape/field-types.ts';
import { correctTimestamp, timestampMs, utcDate } from '../../src/upstream/shape/timestamp.ts';

/** Stands for a violation. */
export const wrong = 'a violation';

/** The members of a JSON object, with numbers as LosslessNumber; undefined if the text is not a JSON object. */
export function membersOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const root = parse(text, null, { onDuplicateKey: ({ newValue }) => newValue });
    return isObject(root) ? root : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The values that the gateway should read from an object; `wrong` for a violation, null if the object is null or
 * missing.
 */
export function modelOf(table: FieldTable, sent: unknown): Record<string, unknown> | string | null {
  if (sent === null || sent === undefined) return null;
  if (!isObject(sent)) return wrong;
  const fields = Object.entries(table).map(([name, type]): [string, unknown] => [
    name,
    fieldOf(type, sent[name]),
  ]);
  const isUsable = fields.every(([name, value]) => !table[name]?.isRequired || value !== wrong);
  return isUsable ? Object.fromEntries(fields) : wrong;
}

function fieldOf(type: FieldType<unknown>, sent: unknown): unknown {
  const isAbsent = sent === null || sent === undefined;
  if (isAbsent) return type.isRequired ? wrong : null;
  return valueOf(type, sent) ?? wrong;
}

function valueOf(type: FieldType<unknown>, sent: unknown): unknown {
  const text = typeof sent === 'string' ? sent : null;
  const digits = isLosslessNumber(sent) ? decimalText(String(sent)) : null;
  switch (type.shown) {
    case 'String':
      return text?.isWellFormed() === true ? text : null;
    case 'ID!':
      if (type.bad === uuid.bad) return text !== null && /^[\da-f-]{36}$/i.test(text) ? text : null;
      return text?.isWellFormed() === true && text !== '' ? text : null;
    case 'Int':
    case 'Int!':
      return countOf(type, sent);
    case 'Boolean':
      return typeof sent === 'boolean' ? sent : null;
    case 'Decimal':
      return digits !== null && type.bad === amount.bad && isNegative(digits) ? null : digits;
    case 'DateTime':
      return text === null
        ? null
        : timestampMs(text) === null
          ? correctTimestamp(text, null)
          : text;
    case 'Date':
      return text === null ? null : utcDate(text);
    case 'JSONObject':
      return isObject(sent) ? copyOf(sent) : null;
    default:
      return 'values' in type && (type.values as unknown[]).includes(text) ? text : null;
  }
}

function countOf(type: FieldType<unknown>, sent: unknown): number | null {
  const digits = isLosslessNumber(sent) ? decimalText(String(sent)) : null;
  // Any digit but 0 after the point makes the number no whole one.
  if (typeof sent === 'string' && /^\d{1,10}$/.test(sent))
    return countOf(type, new LosslessNumber(String(Number(sent))));
  const number = digits === null || Number(digits.split('.')[1] ?? 0) > 0 ? NaN : Number(digits);
  const min = type.bad === count(1).bad ? 1 : 0;
  return Number.isInteger(number) && number >= min && number < 2 ** 31 ? number : null;
}

/** A copy with numbers as text; null if a number has too many digits. */
function copyOf(sent: object): unknown {
  const copy: unknown = JSON.parse(
    JSON.stringify(sent, (_key, value: unknown) =>
      value instanceof LosslessNumber ? (decimalText(String(value)) ?? wrong) : value,
    ),
  );
  const text = JSON.stringify(copy);
  return text.includes(wrong) || /\\ud[89a-f]/.test(text) ? null : copy;
}

/**
 * The `signedAmount` of a transaction: null if `amount` or `credit` is null, otherwise `wrong` if one of them is a
 * violation.
 */
export function signedAmountOf({ amount, credit }: Readonly<Record<string, unknown>>): unknown {
  if (amount === null || credit === null) return null;
  return amount === wrong || credit === wrong ? wrong : signed(amount as string, credit !== true);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value)
  );
}

// Copies `investmentAccount`, whose fields are not documented (docs/service.md), with its numbers as text.
import { type AnswerCheck, Wrong } from './check.ts';
import { decimalText } from './decimal.ts';
import { type Fields, JsonNumber } from './exact-json.ts';

/** The deepest nesting that is copied. Deeper values could not be serialized safely. */
const maxDepth = 100;

/** The largest number of characters in all investmentAccounts of a profile together, without white space. */
export const maxInvestmentLength = 262_144;

/** The largest number of characters that writing out exponents may add: clients can repeat them with aliases. */
const maxGained = 1_048_576;

/** Returns a Wrong beyond a limit. A rejected object does not count towards `maxInvestmentLength`. */
export function copyInvestment(
  fields: Fields,
  answer: AnswerCheck,
): Record<string, unknown> | Wrong {
  const { length } = answer;
  try {
    return copyObject(fields, 1, answer);
  } catch (error) {
    answer.length = length;
    if (error instanceof Wrong) return error;
    throw error;
  }
}

/** Copies an object; throws a Wrong beyond a limit. The copy has no prototype, so `__proto__` is an ordinary key. */
export function copyObject(
  fields: Fields,
  depth: number,
  answer: AnswerCheck,
): Record<string, unknown> {
  const copy = Object.create(null) as Record<string, unknown>;
  const keys = Object.keys(fields);
  count('{}'.length + Math.max(keys.length - 1, 0), answer);
  for (const key of keys) {
    count(JSON.stringify(key).length + ':'.length, answer);
    copy[key] = copyValue(fields[key], depth, answer);
  }
  return copy;
}

function copyValue(value: unknown, depth: number, answer: AnswerCheck): unknown {
  if (value instanceof JsonNumber) return copyNumber(value.text, answer);
  if (typeof value !== 'object' || value === null) {
    count(JSON.stringify(value).length, answer);
    return value;
  }
  if (depth === maxDepth) throw new Wrong('nests too deeply');
  if (!Array.isArray(value)) return copyObject(value as Fields, depth + 1, answer);
  count('[]'.length + Math.max(value.length - 1, 0), answer);
  return value.map((item) => copyValue(item, depth + 1, answer));
}

function copyNumber(text: string, answer: AnswerCheck): string {
  count(text.length, answer);
  const decimal = decimalText(text);
  if (decimal === null) throw new Wrong('holds a number of too many digits');
  answer.gained += Math.max(0, decimal.length - text.length);
  if (answer.gained > maxGained) throw new Wrong('holds too many exponents');
  return decimal;
}

function count(characters: number, answer: AnswerCheck): void {
  answer.length += characters;
  if (answer.length > maxInvestmentLength) throw new Wrong('is too long');
}

// Copies `investmentAccount`, whose fields are not documented (docs/service.md), with its numbers as text.
import { Wrong } from './check.ts';
import { decimalText } from './decimal.ts';
import { type Fields, JsonNumber } from './exact-json.ts';

/** More than any sensible answer; deeper nesting could not be serialized safely. */
const maxDepth = 100;

/** How many characters the investmentAccounts of a profile may have together, white space not counted. */
export const maxInvestmentLength = 262_144;

/** How many characters a profile may gain by writing out exponents: each alias of a client repeats them. */
const maxGained = 1_048_576;

/** The parts of these limits that the investmentAccounts of an answer have used. */
export class Taken {
  length = 0;
  gained = 0;
}

/** A copy of an investmentAccount; one that is too long takes nothing. */
export function copyInvestment(fields: Fields, taken: Taken): Record<string, unknown> | Wrong {
  const { length } = taken;
  try {
    return copyObject(fields, 1, taken);
  } catch (error) {
    taken.length = length;
    if (error instanceof Wrong) return error;
    throw error;
  }
}

/** A copy of an object in it; throws a Wrong. The copy has no prototype, so `__proto__` is an ordinary key. */
export function copyObject(fields: Fields, depth: number, taken: Taken): Record<string, unknown> {
  const copy = Object.create(null) as Record<string, unknown>;
  const keys = Object.keys(fields);
  count('{}'.length + Math.max(keys.length - 1, 0), taken);
  for (const key of keys) {
    count(JSON.stringify(key).length + ':'.length, taken);
    copy[key] = copyValue(fields[key], depth, taken);
  }
  return copy;
}

function copyValue(value: unknown, depth: number, taken: Taken): unknown {
  if (value instanceof JsonNumber) return copyNumber(value.text, taken);
  if (typeof value !== 'object' || value === null) {
    count(JSON.stringify(value).length, taken);
    return value;
  }
  if (depth === maxDepth) throw new Wrong('nests too deeply');
  if (!Array.isArray(value)) return copyObject(value as Fields, depth + 1, taken);
  count('[]'.length + Math.max(value.length - 1, 0), taken);
  return value.map((item) => copyValue(item, depth + 1, taken));
}

function copyNumber(text: string, taken: Taken): string {
  count(text.length, taken);
  const decimal = decimalText(text);
  if (decimal === null) throw new Wrong('holds a number of too many digits');
  taken.gained += Math.max(0, decimal.length - text.length);
  if (taken.gained > maxGained) throw new Wrong('holds too many exponents');
  return decimal;
}

function count(characters: number, taken: Taken): void {
  taken.length += characters;
  if (taken.length > maxInvestmentLength) throw new Wrong('is too long');
}

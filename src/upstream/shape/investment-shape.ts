// Parses `investmentAccount`, whose fields are not documented (docs/service.md): passed through with numbers as text.
import { contractViolation, GatewayError } from '../../errors.ts';
import { type Fields, isFields } from './check.ts';
import { decimalText } from './decimal.ts';
import { eachValue, endOfValue, JsonNumber, parseEveryNumber } from './exact-json.ts';

/** The investmentAccount at a JSON pointer, or its violation. */
export type InvestmentReader = (pointer: string) => Record<string, unknown> | GatewayError;

/** More than any sensible answer; deeper nesting could not be serialized safely. */
const maxDepth = 100;

/**
 * How many characters the numbers of a profile may gain by writing out their exponents. A million of the shortest would
 * become fifty million characters, once for each alias that a client selects.
 */
const maxGained = 1_048_576;

/**
 * How many characters the investmentAccounts of a profile may have together: they are parsed within 20 ms. Four million
 * characters of numbers would block the process for a second.
 */
export const maxInvestmentLength = 262_144;

/** An investmentAccount that is being parsed. */
interface Reading {
  /** Its JSON pointer. */
  readonly at: string;
  /** The characters gained in all investmentAccounts of the profile. */
  readonly gained: { characters: number };
}

/**
 * A reader for the profile `text`, which must be valid JSON. Numbers can have any key in an investmentAccount, so it is
 * parsed a second time, with the digits of all numbers.
 */
export function createInvestmentReader(text: string): InvestmentReader {
  let sources: ReadonlyMap<string, string> | null = null;
  let left = maxInvestmentLength;
  const gained = { characters: 0 };
  return (at) => {
    sources ??= investmentSources(text);
    const source = sources.get(at) ?? '{}';
    if (source.length > left) return contractViolation(`${at} is too long`, at);
    left -= source.length;
    try {
      return plainObject(parseEveryNumber(source) as Fields, { at, gained }, 1);
    } catch (error) {
      if (error instanceof GatewayError) return error;
      if (error instanceof RangeError) return contractViolation(`${at} nests too deeply`, at);
      throw error;
    }
  };
}

/**
 * Parses an investmentAccount that a scanner has accepted: without exponents, deep nesting or too great a length.
 */
export function readInvestment(json: string): Record<string, unknown> {
  const reading: Reading = { at: '', gained: { characters: 0 } };
  return plainObject(parseEveryNumber(json) as Fields, reading, 1);
}

/** The source of each investmentAccount by its JSON pointer. The last of duplicate keys wins, as in JSON.parse. */
function investmentSources(text: string): ReadonlyMap<string, string> {
  let sources = new Map<string, string>();
  const visitAccount = (index: number, key: string | number, at: number) => {
    const end = endOfValue(text, at);
    const pointer = `/accounts/${index}/investmentAccount`;
    if (key === 'investmentAccount') sources.set(pointer, text.slice(at, end));
    return end;
  };
  const visitAccounts = (index: string | number, at: number) =>
    text.charAt(at) === '{'
      ? eachValue(text, at, (key, start) => visitAccount(Number(index), key, start))
      : endOfValue(text, at);
  eachValue(text, text.indexOf('{'), (key, at) => {
    if (key !== 'accounts') return endOfValue(text, at);
    sources = new Map();
    return text.charAt(at) === '[' ? eachValue(text, at, visitAccounts) : endOfValue(text, at);
  });
  return sources;
}

/** Without a prototype, `__proto__` is an ordinary key. */
function plainObject(fields: Fields, reading: Reading, depth: number): Record<string, unknown> {
  const plain = Object.create(null) as Record<string, unknown>;
  for (const key of Object.keys(fields)) plain[key] = plainValue(fields[key], reading, depth);
  return plain;
}

function plainValue(value: unknown, reading: Reading, depth: number): unknown {
  if (value instanceof JsonNumber) return plainNumber(value, reading);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === maxDepth) throw wrong(reading, 'nests too deeply');
  return isFields(value)
    ? plainObject(value, reading, depth + 1)
    : (value as readonly unknown[]).map((item) => plainValue(item, reading, depth + 1));
}

function plainNumber({ text }: JsonNumber, reading: Reading): string {
  const decimal = decimalText(text);
  if (decimal === null) throw wrong(reading, 'holds a number of too many digits');
  reading.gained.characters += Math.max(0, decimal.length - text.length);
  if (reading.gained.characters > maxGained) throw wrong(reading, 'holds too many exponents');
  return decimal;
}

function wrong({ at }: Reading, what: string): GatewayError {
  return contractViolation(`${at} ${what}`, at);
}

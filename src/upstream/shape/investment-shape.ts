// Copies `investmentAccount`, whose fields are not documented (docs/service.md), with its numbers as text.
import { contractViolation, GatewayError } from '../../errors.ts';
import { decimalText } from './decimal.ts';
import { type Fields, JsonNumber } from './exact-json.ts';

/** More than any sensible answer; deeper nesting could not be serialized safely. */
const maxDepth = 100;

/** How many characters the investmentAccounts of a profile may have together, white space not counted. */
export const maxInvestmentLength = 262_144;

/**
 * How many characters the numbers of a profile may gain by writing out their exponents. A million of the shortest would
 * become fifty million characters, once for each alias that a client selects.
 */
const maxGained = 1_048_576;

/** The parts of these limits that the investmentAccounts of an answer have used. */
export class Taken {
  length = 0;
  gained = 0;
}

/** A copy of the investmentAccount at a JSON pointer, or its violation; one that is too long takes nothing. */
export function copyInvestment(
  fields: Fields,
  at: string,
  taken: Taken,
): Record<string, unknown> | GatewayError {
  const copier = new Copier(at, taken);
  try {
    const copy = copier.copyObject(fields, 1);
    taken.length = copier.length;
    return copy;
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
}

class Copier {
  readonly #at: string;
  readonly #taken: Taken;
  length: number;

  constructor(at: string, taken: Taken) {
    this.#at = at;
    this.#taken = taken;
    this.length = taken.length;
  }

  /** Without a prototype, `__proto__` is an ordinary key. */
  copyObject(fields: Fields, depth: number): Record<string, unknown> {
    const copy = Object.create(null) as Record<string, unknown>;
    const keys = Object.keys(fields);
    this.#count('{}'.length + Math.max(keys.length - 1, 0));
    for (const key of keys) {
      this.#count(JSON.stringify(key).length + ':'.length);
      copy[key] = this.#copy(fields[key], depth);
    }
    return copy;
  }

  #copy(value: unknown, depth: number): unknown {
    if (value instanceof JsonNumber) return this.#number(value.text);
    if (typeof value !== 'object' || value === null) {
      this.#count(JSON.stringify(value).length);
      return value;
    }
    if (depth === maxDepth) throw this.#wrong('nests too deeply');
    if (!Array.isArray(value)) return this.copyObject(value as Fields, depth + 1);
    this.#count('[]'.length + Math.max(value.length - 1, 0));
    return value.map((item) => this.#copy(item, depth + 1));
  }

  #number(text: string): string {
    this.#count(text.length);
    const decimal = decimalText(text);
    if (decimal === null) throw this.#wrong('holds a number of too many digits');
    this.#taken.gained += Math.max(0, decimal.length - text.length);
    if (this.#taken.gained > maxGained) throw this.#wrong('holds too many exponents');
    return decimal;
  }

  #count(characters: number): void {
    this.length += characters;
    if (this.length > maxInvestmentLength) throw this.#wrong('is too long');
  }

  #wrong(what: string): GatewayError {
    return contractViolation(`${this.#at} ${what}`, this.#at);
  }
}

// An object that is kept as the JSON from which it was read, with the place of each value.
import type { JsonOutput } from './json-output.ts';
import { type Literal, nullLiteral, type SourceText } from './json-bytes.ts';

export interface SourceShape {
  /** All fields in their usual order. */
  readonly names: readonly string[];
  /** The numbers that are written as strings with their digits. */
  readonly decimals: readonly string[];
}

/** A field to write, with the JSON text that goes before it. */
export interface SelectedField {
  readonly head: Literal;
  readonly field: number;
  readonly isDigits: boolean;
  readonly isNullable: boolean;
}

/** An object of an answer. Most values are copied to the client's answer as sent; getters decode single values. */
export class SourceObject {
  readonly shape: SourceShape;
  readonly #text: SourceText;
  /** The start and end of each value. The start is 0 if the value has no place, and negative to add a minus sign. */
  readonly #places: readonly number[];
  readonly #first: number;
  /** Values without a place, by the index of their field; a GatewayError for a wrong value. */
  readonly #decoded: ReadonlyMap<number, unknown> | null;

  /** The values must have been checked. The places of this object begin at index `first` of `places`. */
  constructor(
    shape: SourceShape,
    text: SourceText,
    places: readonly number[],
    first: number,
    decoded: ReadonlyMap<number, unknown> | null = null,
  ) {
    this.shape = shape;
    this.#decoded = decoded;
    this.#text = text;
    this.#places = places;
    this.#first = first;
  }

  /** Writes the fields in order. Stops and returns false at an error or a null that is not allowed. */
  write(fields: readonly SelectedField[], output: JsonOutput): boolean {
    const text = this.#text;
    const places = this.#places;
    const first = this.#first;
    for (const { head, field, isDigits, isNullable } of fields) {
      const start = places[first + 2 * field] ?? 0;
      const end = places[first + 2 * field + 1] ?? 0;
      output.literal(head);
      if (start !== 0 && !isDigits) output.copy(text, start, end);
      else if (start !== 0) output.quote(text, Math.abs(start), end, start < 0);
      else {
        const value = this.#decoded?.get(field) ?? null;
        if (value instanceof Error || (value === null && !isNullable)) return false;
        if (value === null) output.literal(nullLiteral);
        else output.value(value);
      }
    }
    return true;
  }

  decode(field: number): unknown {
    const at = this.#first + 2 * field;
    const start = this.#places[at] ?? 0;
    if (start === 0) return this.#decoded?.get(field) ?? null;
    const end = this.#places[at + 1] ?? 0;
    const { names, decimals } = this.shape;
    const isDecimal = decimals.includes(names[field] ?? '');
    const number = isDecimal ? NaN : this.#text.whole(start, end);
    if (number >= 0) return number;
    const sent = this.#text.slice(Math.abs(start), end);
    if (!isDecimal) return JSON.parse(sent);
    return start < 0 ? `-${sent}` : sent;
  }
}

/**
 * Creates a shape, and a getter for each of its fields; objects of other shapes have undefined there. With a class for
 * each shape, creating an object would take seven times as long: V8 optimizes a constructor for four classes.
 */
export function createShape(names: readonly string[], decimals: readonly string[]): SourceShape {
  for (const name of names) {
    if (Object.hasOwn(SourceObject.prototype, name)) continue;
    Object.defineProperty(SourceObject.prototype, name, {
      get(this: SourceObject) {
        const field = this.shape.names.indexOf(name);
        return field < 0 ? undefined : this.decode(field);
      },
    });
  }
  return { names, decimals };
}

// An object that is kept as the JSON from which it was read, with the place of each value.
import type { JsonOutput } from './json-output.ts';
import { type Literal, nullLiteral, type SourceText } from './json-bytes.ts';

/** How a field is decoded and written. */
export type FieldKind =
  /** Any JSON, written as it was sent. */
  | 'json'
  /** The digits of a number, written as a string. */
  | 'digits'
  /** Decoded by this function, and never copied. */
  | ((json: string) => unknown);

/** The fields of one kind of object, in their usual order. */
export class SourceShape {
  readonly names: readonly string[];
  readonly kinds: readonly FieldKind[];

  constructor(fields: Readonly<Record<string, FieldKind>>) {
    this.names = Object.keys(fields);
    this.kinds = Object.values(fields);
  }

  /** Returns the index of a field, or -1 if the shape has no such field. */
  fieldOf(name: string): number {
    return this.names.indexOf(name);
  }

  /** Returns the index of a field; -1 if there is no such field, or if the field must be decoded by a function. */
  writable(name: string): number {
    const field = this.fieldOf(name);
    return typeof this.kinds[field] === 'function' ? -1 : field;
  }
}

/** The start and end of each value, quotes included; 0 for null. A negative start adds a minus sign. */
export type Places = readonly number[];

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
  readonly #places: Places;
  readonly #first: number;

  /** The values must have been checked. The places of this object begin at index `first` of `places`. */
  constructor(shape: SourceShape, text: SourceText, places: Places, first: number) {
    this.shape = shape;
    this.#text = text;
    this.#places = places;
    this.#first = first;
  }

  /** Writes the fields in order, and returns true. Stops and returns false at a null that is not allowed. */
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
      else if (isNullable) output.literal(nullLiteral);
      else return false;
    }
    return true;
  }

  decode(field: number): unknown {
    const start = this.#start(field);
    if (start === 0) return null;
    const sent = this.#text.slice(Math.abs(start), this.#end(field));
    const kind = this.shape.kinds[field];
    if (typeof kind === 'function') return kind(sent);
    if (kind === 'json') return JSON.parse(sent);
    return start < 0 ? `-${sent}` : sent;
  }

  /** The number of bytes of a value; 0 for null. */
  lengthOf(field: number): number {
    return this.#end(field) - Math.abs(this.#start(field));
  }

  #start(field: number): number {
    return this.#places[this.#first + 2 * field] ?? 0;
  }

  #end(field: number): number {
    return this.#places[this.#first + 2 * field + 1] ?? 0;
  }
}

export type SourceClass<T> = new (
  text: SourceText,
  places: Places,
  first: number,
) => SourceObject & T;

/** Creates the class of a shape's objects, with a getter for each field. */
export function sourceClass<T>(shape: SourceShape): SourceClass<T> {
  class Source extends SourceObject {
    constructor(text: SourceText, places: Places, first: number) {
      super(shape, text, places, first);
    }
  }
  for (const [field, name] of shape.names.entries()) {
    const isKept = typeof shape.kinds[field] === 'function';
    Object.defineProperty(Source.prototype, name, {
      get(this: SourceObject) {
        const value = this.decode(field);
        // Kept, because the value may be large and a client may select it many times.
        if (isKept && value !== null) Object.defineProperty(this, name, { value });
        return value;
      },
    });
  }
  return Source as unknown as SourceClass<T>;
}

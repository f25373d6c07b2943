// An object that still is the JSON it was read from: where each of its values stands, and what it is.
import type { JsonOutput } from './json-output.ts';
import { type Literal, nullLiteral } from './literal.ts';
import type { SourceText } from './source-text.ts';

/** How a field is decoded and written. */
export type FieldKind =
  /** A string, written as it stands, with its escapes. */
  | 'text'
  /** true or false. */
  | 'flag'
  /** The digits of a number, written as a string. */
  | 'digits'
  /** Neither: a getter says what it shows. */
  | 'other';

/** The fields of a kind of object, in the order in which they mostly come. */
export class SourceShape {
  readonly names: readonly string[];
  readonly kinds: readonly FieldKind[];
  readonly #fields: ReadonlyMap<string, number>;

  constructor(fields: Readonly<Record<string, FieldKind>>) {
    this.names = Object.keys(fields);
    this.kinds = Object.values(fields);
    this.#fields = new Map(this.names.map((name, field) => [name, field]));
  }

  /** The number of a field; -1 for any other name. */
  fieldOf(name: string): number {
    return this.#fields.get(name) ?? -1;
  }

  /** The number of a field that can be written; -1 for any other name. */
  writable(name: string): number {
    const field = this.fieldOf(name);
    return this.kinds[field] === 'other' ? -1 : field;
  }
}

/**
 * Where values begin and end, quotes included, two numbers a field; twice 0 for one that is null or absent. A beginning
 * below zero is that of a number of which the opposite is meant.
 */
export type Places = readonly number[];

/** A field that is written, with what stands before it. */
export interface SelectedField {
  readonly head: Literal;
  /** As in the shape. */
  readonly field: number;
  readonly isDigits: boolean;
  /** Whether there may be no value. */
  readonly isNullable: boolean;
}

/**
 * Most values are written into an answer just as they were sent. They are decoded for whoever asks for them by name, each
 * time anew.
 */
export class SourceObject {
  readonly shape: SourceShape;
  readonly #text: SourceText;
  readonly #places: Places;
  readonly #first: number;

  /**
   * The values must have been checked, and all of the text is valid UTF-8. `first` is where the places of this object begin,
   * in a list that it may share with others.
   */
  constructor(shape: SourceShape, text: SourceText, places: Places, first: number) {
    this.shape = shape;
    this.#text = text;
    this.#places = places;
    this.#first = first;
  }

  /** Adds fields to an output, one after the other; false, at the first that lacks the value it must have. */
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

  textOf(field: number): string | null {
    const start = this.#start(field);
    if (start === 0) return null;
    const sent = this.#text.slice(start, this.#end(field));
    return sent.includes('\\') ? (JSON.parse(sent) as string) : sent.slice(1, -1);
  }

  flagOf(field: number): boolean | null {
    const start = this.#start(field);
    return start === 0 ? null : this.#text.bytes[start] === letterT;
  }

  /** Any value, as the JSON that was sent. */
  jsonOf(field: number): string | null {
    const start = this.#start(field);
    if (start === 0) return null;
    const sent = this.#text.slice(Math.abs(start), this.#end(field));
    return start < 0 ? `-${sent}` : sent;
  }

  /** How many bytes a value has; 0 for null. */
  lengthOf(field: number): number {
    return this.#end(field) - Math.abs(this.#start(field));
  }

  /** Whether a field has one of these values, which are JSON. */
  isOneOf(field: number, values: readonly Literal[]): boolean {
    return this.#text.isOneOf(values, this.#start(field), this.#end(field));
  }

  #start(field: number): number {
    return this.#places[this.#first + 2 * field] ?? 0;
  }

  #end(field: number): number {
    return this.#places[this.#first + 2 * field + 1] ?? 0;
  }
}

const letterT = 0x74;

/** A class of objects that have the fields of `T`. */
export type SourceClass<T> = new (
  text: SourceText,
  places: Places,
  first: number,
) => SourceObject & T;

/** The class of objects of a shape, with a getter for each of its fields but the other ones. */
export function sourceClass<T>(shape: SourceShape): SourceClass<T> {
  class Source extends SourceObject {
    constructor(text: SourceText, places: Places, first: number) {
      super(shape, text, places, first);
    }
  }
  for (const [field, kind] of shape.kinds.entries()) {
    const name = shape.names[field];
    if (name === undefined || kind === 'other') continue;
    const decode = decoders[kind];
    Object.defineProperty(Source.prototype, name, {
      get(this: SourceObject) {
        return decode(this, field);
      },
    });
  }
  return Source as unknown as SourceClass<T>;
}

type Decode = (object: SourceObject, field: number) => unknown;

const decoders: Readonly<Record<Exclude<FieldKind, 'other'>, Decode>> = {
  text: (object, field) => object.textOf(field),
  flag: (object, field) => object.flagOf(field),
  digits: (object, field) => object.jsonOf(field),
};

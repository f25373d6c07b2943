// An object that still is the JSON it was read from: where each of its values stands, and what it is.
import { isAt } from './json-reader.ts';
import type { JsonOutput } from './json-output.ts';

/** How a field is decoded and written. */
export type FieldKind =
  /** A string, written as it stands. */
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

  constructor(fields: Readonly<Record<string, FieldKind>>) {
    this.names = Object.keys(fields);
    this.kinds = Object.values(fields);
  }

  /** The number of a field that can be written; -1 for any other name. */
  writable(name: string): number {
    const field = this.names.indexOf(name);
    return this.kinds[field] === 'other' ? -1 : field;
  }
}

/** Where values begin and end, quotes included, two numbers a field; twice 0 for one that is null or absent. */
export type Places = readonly number[];

/**
 * Most values are written into an answer just as they were sent. They are decoded for whoever asks for them by name, each
 * time anew.
 */
export class SourceObject {
  readonly shape: SourceShape;
  readonly #json: Buffer;
  readonly #places: Places;
  readonly #first: number;

  /**
   * The values must have been checked: strings are without escapes, and all is valid UTF-8. `first` is where the places
   * of this object begin, in a list that it may share with others.
   */
  constructor(shape: SourceShape, json: Buffer, places: Places, first: number) {
    this.shape = shape;
    this.#json = json;
    this.#places = places;
    this.#first = first;
  }

  /** Whether a field has a value. */
  has(field: number): boolean {
    return this.#start(field) !== 0;
  }

  /** Adds the JSON of a field that has a value to an output. */
  write(field: number, output: JsonOutput): void {
    const [start, end] = [this.#start(field), this.#end(field)];
    if (this.shape.kinds[field] === 'digits') output.quote(this.#json, start, end);
    else output.copy(this.#json, start, end);
  }

  /** Adds the digits of a field with a minus. */
  writeNegated(field: number, output: JsonOutput): void {
    output.quote(this.#json, this.#start(field), this.#end(field), true);
  }

  textOf(field: number): string | null {
    const start = this.#start(field);
    return start === 0 ? null : this.#json.toString('utf8', start + 1, this.#end(field) - 1);
  }

  flagOf(field: number): boolean | null {
    const start = this.#start(field);
    return start === 0 ? null : this.#json[start] === letterT;
  }

  /** Any value, as the JSON that was sent. */
  jsonOf(field: number): string | null {
    const start = this.#start(field);
    return start === 0 ? null : this.#json.toString('utf8', start, this.#end(field));
  }

  /** Whether a field has one of these values, which are JSON. */
  isOneOf(field: number, values: readonly Uint8Array[]): boolean {
    const start = this.#start(field);
    const length = this.#end(field) - start;
    for (const value of values) {
      if (value.length === length && isAt(this.#json, start, value)) return true;
    }
    return false;
  }

  /** Whether the digits of a field are more than zeros. */
  hasDigits(field: number): boolean {
    const end = this.#end(field);
    for (let at = this.#start(field); at < end; at++) {
      const byte = this.#json[at] ?? 0;
      if (byte > zero && byte <= nine) return true;
    }
    return false;
  }

  #start(field: number): number {
    return this.#places[this.#first + 2 * field] ?? 0;
  }

  #end(field: number): number {
    return this.#places[this.#first + 2 * field + 1] ?? 0;
  }
}

const [zero, nine, letterT] = [0x30, 0x39, 0x74] as const;

/** A class of objects that have the fields of `T`. */
export type SourceClass<T> = new (json: Buffer, places: Places, first: number) => SourceObject & T;

/** The class of objects of a shape, with a getter for each of its fields but the other ones. */
export function sourceClass<T>(shape: SourceShape): SourceClass<T> {
  class Source extends SourceObject {
    constructor(json: Buffer, places: Places, first: number) {
      super(shape, json, places, first);
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

// Reads an object of an answer where it stands, and where its values do, if each is as its rule says.
import { braces, type JsonReader, unexpected, valueKinds } from '../json/json-reader.ts';
import { type FieldKind, SourceShape } from '../json/source-object.ts';
import type { Rule } from './source-rules.ts';

/** What nests deeper, in a value that is shown or in one that is not, is for the other way to judge. */
export const maxDepth = 64;

/** An object's fields, by their rules. `derived` ones are made of others, and not read. */
export class Layout {
  readonly shape: SourceShape;
  /** How many numbers its places are. */
  readonly size: number;
  readonly #keys: readonly Uint8Array[];
  readonly #rules: readonly Rule[];

  constructor(
    rules: Readonly<Record<string, Rule>>,
    derived: Readonly<Record<string, FieldKind>> = {},
  ) {
    const kinds = Object.entries(rules).map(([name, { kind }]) => [name, kind] as const);
    this.shape = new SourceShape({ ...Object.fromEntries(kinds), ...derived });
    this.size = 2 * kinds.length;
    this.#keys = kinds.map(([name]) => Buffer.from(`"${name}"`));
    this.#rules = Object.values(rules);
  }

  /**
   * Reads an object, and sets its places, from `first` on. Throws `unexpected` where a value is not good, where a key
   * comes twice, and where the object has no id, as each of these does, or an empty one.
   */
  read(json: JsonReader, utf8: Buffer, places: number[], first: number): void {
    for (let at = 0; at < this.size; at++) places[first + at] = 0;
    if (!json.enter(braces)) throw unexpected;
    let likely = 0;
    do {
      const field = json.key(this.#keys, likely);
      if (field < 0) json.any(maxDepth);
      else this.#readField(field, json, utf8, places, first + 2 * field);
      likely = field + 1;
    } while (json.goOn(braces));
    const idLength = (places[first + 1] ?? 0) - (places[first] ?? 0);
    if (idLength <= quotes) throw unexpected;
  }

  #readField(field: number, json: JsonReader, utf8: Buffer, places: number[], at: number): void {
    const kind = json.any(maxDepth);
    if (places[at] !== 0) throw unexpected;
    if (kind === valueKinds.null) return;
    const { start, end } = json;
    const rule = this.#rules[field];
    if (rule === undefined || (rule.takes & kind) === 0) throw unexpected;
    if (rule.isGood !== null && !rule.isGood(utf8, start, end)) throw unexpected;
    places[at] = start;
    places[at + 1] = end;
  }
}

const quotes = 2;

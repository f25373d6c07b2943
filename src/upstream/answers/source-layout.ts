// Scans an object of an answer: checks each value by the rule of its field, and records the place of the value.
import { braces, type JsonReader, unexpected, valueKinds } from '../../json/json-reader.ts';
import { Literal } from '../../json/json-bytes.ts';
import { type FieldKind, SourceShape } from '../../json/source-object.ts';
import type { AnswerObserver } from '../observer.ts';
import type { OpenSet, Rule } from '../shape/field-types.ts';

/** The deepest nesting of a value that is scanned or skipped. An answer with deeper nesting is left to the parser. */
export const maxDepth = 64;

export class Layout {
  readonly shape: SourceShape;
  /** The number of an object's places, two per field. */
  readonly size: number;
  readonly #keys: readonly Literal[];
  /** For each field, the text before its value if the field directly follows the previous one, without white space. */
  readonly #leads: readonly Literal[];
  readonly #rules: readonly Pick<Rule, 'takes' | 'isGood'>[];
  /** The offsets of the places of required fields. */
  readonly #required: readonly number[];
  readonly #openSets: readonly (OpenSet & { readonly at: number })[];

  /** `derived` fields come last. The service does not send them: the code that creates the object sets their places. */
  constructor(
    rules: Readonly<Record<string, Rule>>,
    derived: Readonly<Record<string, FieldKind>> = {},
  ) {
    const names = Object.keys(rules);
    const kinds = Object.entries(rules).map(([name, { kind }]) => [name, kind] as const);
    this.shape = new SourceShape({ ...Object.fromEntries(kinds), ...derived });
    this.size = 2 * this.shape.names.length;
    this.#keys = names.map((name) => new Literal(`"${name}"`));
    this.#leads = names.map((name) => new Literal(`,"${name}":`));
    // Copies of the rules that all have the same properties, because V8 then reads the properties faster.
    this.#rules = Object.values(rules).map(({ takes, isGood }) => ({ takes, isGood }));
    this.#required = Object.values(rules).flatMap(({ isRequired }, n) => (isRequired ? 2 * n : []));
    this.#openSets = Object.values(rules).flatMap(({ openSet }, n) =>
      openSet ? [{ ...openSet, at: 2 * n }] : [],
    );
  }

  /** Sets the places of an object from index `first`; throws `unexpected` if the answer must be parsed. */
  read(json: JsonReader, places: number[], first: number, observer?: AnswerObserver): void {
    for (let at = 0; at < this.size; at++) places[first + at] = 0;
    this.#readFields(json, places, first);
    for (const required of this.#required) if (places[first + required] === 0) throw unexpected;
    for (const openSet of this.#openSets) {
      const start = places[first + openSet.at] ?? 0;
      const end = places[first + openSet.at + 1] ?? 0;
      if (start === 0 || json.text.isOneOf(openSet.literals, start, end)) continue;
      observer?.value(openSet.field, JSON.parse(json.text.slice(start, end)) as string);
    }
  }

  #readFields(json: JsonReader, places: number[], first: number): void {
    if (!json.enter(braces)) return;
    let field = 0;
    do {
      field = json.key(this.#keys, field);
      if (field < 0) json.any(maxDepth);
      else this.#readField(field, json, places, first + 2 * field);
      field++;
      while (json.skip(this.#leads[field])) {
        this.#readField(field, json, places, first + 2 * field);
        field++;
      }
    } while (json.goOn(braces));
  }

  #readField(field: number, json: JsonReader, places: number[], at: number): void {
    const kind = json.any(maxDepth);
    if (places[at] !== 0) throw unexpected;
    if (kind === valueKinds.null) return;
    const { text, start, end } = json;
    const rule = this.#rules[field];
    if (rule === undefined || (rule.takes & kind) === 0) throw unexpected;
    if (rule.isGood !== null && !rule.isGood(text, start, end)) throw unexpected;
    places[at] = start;
    places[at + 1] = end;
  }
}

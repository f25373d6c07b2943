// Reads an object of an answer: checks each value by the type of its field, and records the place of the value.
import type { GatewayError } from '../../errors.ts';
import { braces, type JsonReader, valueKinds } from '../../json/json-reader.ts';
import { Literal } from '../../json/json-bytes.ts';
import { createShape, type SourceShape } from '../../json/source-object.ts';
import { type AnswerCheck, Wrong } from '../shape/check.ts';
import type { FieldTable, FieldType } from '../shape/field-types.ts';

/** The values that have no place, or the violation that takes the place of the whole object; null for neither. */
export type Outcome = Map<number, unknown> | GatewayError | null;

export class Layout {
  readonly shape: SourceShape;
  /** The number of an object's places, two per field. */
  readonly size: number;
  readonly #types: readonly FieldType<unknown>[];
  readonly #keys: readonly Literal[];
  /** For each field, the text before its value if the field directly follows the previous one, without white space. */
  readonly #leads: readonly Literal[];
  readonly #rules: readonly Pick<FieldType<unknown>, 'documented' | 'takes' | 'isGood'>[];
  /** The offsets of the places of required fields. */
  readonly #required: readonly number[];

  /** `derived` are decimals that the service does not send; `read` sets no places for them. */
  constructor(fields: FieldTable, ...derived: readonly string[]) {
    const names = Object.keys(fields);
    const types = Object.values(fields);
    const decimals = names.filter((_, n) => types[n]?.shown === 'Decimal');
    this.shape = createShape([...names, ...derived], [...decimals, ...derived]);
    this.size = 2 * this.shape.names.length;
    this.#types = types;
    this.#keys = names.map((name) => new Literal(`"${name}"`));
    this.#leads = names.map((name) => new Literal(`,"${name}":`));
    // The copies all have the same properties, because V8 then reads the properties faster.
    this.#rules = types.map(({ documented, takes, isGood }) => ({ documented, takes, isGood }));
    this.#required = types.flatMap(({ isRequired }, n) => (isRequired ? 2 * n : []));
  }

  /** Reads an object and sets its places, from index `first` on. `index` is its index in the list at `pointer`. */
  read(
    json: JsonReader,
    places: number[],
    first: number,
    answer: AnswerCheck,
    pointer: string,
    index?: number,
  ): Outcome {
    for (let at = 0; at < this.size; at++) places[first + at] = 0;
    if (!json.isAt(braces)) {
      json.any();
      return answer.violation(pointerTo(pointer, index), 'is not an object');
    }
    let uncopied = this.#readFields(json, places, first, answer);
    for (const at of this.#required) if (places[first + at] === 0) uncopied ??= new Map();
    if (uncopied === null) return null;
    answer.objects++;
    return this.#decode(uncopied, places, first, answer, pointerTo(pointer, index));
  }

  /** Sets the places of values, and returns the JSON of values that cannot be copied. The last of repeated keys wins. */
  #readFields(json: JsonReader, places: number[], first: number, answer: AnswerCheck) {
    let uncopied: Map<number, string> | null = null;
    let field = 0;
    for (let isMore = json.enter(braces); isMore; isMore = json.goOn(braces)) {
      field = json.key(this.#keys, field);
      if (field < 0) json.any();
      else
        do {
          const rule = this.#rules[field];
          if (rule === undefined) break;
          const isDocumented = rule.documented !== null && json.oneOf(rule.documented);
          const kind = isDocumented ? valueKinds.ascii : json.any();
          const { text, start, end } = json;
          const isCopied =
            isDocumented ||
            ((rule.takes & kind) !== 0 &&
              (rule.isGood === null || rule.isGood(text, start, end, answer)));
          places[first + 2 * field] = isCopied ? start : 0;
          places[first + 2 * field + 1] = isCopied ? end : 0;
          if (isCopied || kind === valueKinds.null) uncopied?.delete(field);
          else (uncopied ??= new Map()).set(field, text.slice(start, end));
          field++;
        } while (json.skip(this.#leads[field]));
    }
    return uncopied;
  }

  /** Decodes the values that cannot be copied. Wrong values and absent required values become violations. */
  #decode(
    uncopied: ReadonlyMap<number, string>,
    places: readonly number[],
    first: number,
    answer: AnswerCheck,
    pointer: string,
  ): Outcome {
    const values = new Map<number, unknown>();
    let field = -1;
    for (const { isRequired, bad, what = `is ${bad}`, decode } of this.#types) {
      field++;
      const sent = uncopied.get(field);
      if (places[first + 2 * field] !== 0 || (sent === undefined && !isRequired)) continue;
      const value = sent === undefined ? null : (decode?.(sent, answer) ?? null);
      if (value !== null && !(value instanceof Wrong)) values.set(field, value);
      else {
        const violation = answer.violation(
          `${pointer}/${this.shape.names[field]}`,
          value?.message ?? what,
        );
        if (isRequired) return violation;
        values.set(field, violation);
      }
    }
    return values;
  }
}

function pointerTo(list: string, index: number | undefined): string {
  return index === undefined ? list : `${list}/${index}`;
}

// Reads an answer of the service: the objects and lists of objects that a table names, with all their checks.
import { GatewayError } from '../../errors.ts';
import { braces, brackets, JsonReader, notJson } from '../../json/json-reader.ts';
import { Literal, SourceText } from '../../json/json-bytes.ts';
import { SourceObject } from '../../json/source-object.ts';
import type { AnswerCheck, Checked } from '../shape/check.ts';
import type { FieldTable, Shape } from '../shape/field-types.ts';
import { Layout, type Outcome } from './object-layout.ts';

/** How the items of a list are read. */
export interface ListItems<T> {
  readonly layout: Layout;
  readonly maxItems: number;
  /** The largest number of wrong values; with more, the whole list is a violation. */
  readonly maxWrong: number;
  /** The places of the item begin at index `first`. */
  readonly create: (
    text: SourceText,
    places: number[],
    first: number,
    outcome: Outcome,
    answer: AnswerCheck,
    index: number,
  ) => T;
}

export interface AnswerObject {
  readonly fields: FieldTable;
  /** Whether an object without members counts as null. */
  readonly isNullIfEmpty?: boolean;
  /** Only for a list whose items are not simply objects with these fields. */
  readonly items?: ListItems<unknown>;
}

/**
 * The objects of an answer, by their place: the name of a member of the answer, or '' for the answer itself; with `[]`
 * for the elements of a list.
 */
export type AnswerObjects = Readonly<Record<string, AnswerObject>>;

type Item<T extends AnswerObject> =
  T extends Readonly<Record<'items', ListItems<infer Created>>>
    ? Created
    : Shape<T['fields']> | GatewayError;

/** What an answer has at each place. An object without a usable id is a GatewayError; the rest of its list is kept. */
export type Found<Objects extends AnswerObjects> = {
  readonly [Place in keyof Objects]: Checked<
    Place extends `${string}[]` ? readonly Item<Objects[Place]>[] : Shape<Objects[Place]['fields']>
  >;
};

/** The largest number of wrong values in an answer, whose members may be repeated any number of times. */
const maxWrongOfAll = 20_000;

/**
 * Creates a function that reads valid UTF-8. The function throws a violation if the text is not JSON, or if it is not an
 * object and the places are members. Throws an Error if there is a place that it could not read.
 */
export function answerReader<Objects extends AnswerObjects>(objects: Objects) {
  const places = Object.keys(objects);
  const members = places.map(memberOf);
  const isWhole = members.includes('');
  if (new Set(members).size < places.length || (isWhole && places.length > 1)) {
    throw new Error(`the objects of an answer overlap: '${places.join("', '")}'`);
  }
  const keys = members.map((member) => new Literal(`"${member}"`));
  const parts = Object.entries(objects).map(([place, object], n) => {
    const pointer = isWhole ? '' : `/${members[n]}`;
    return place.endsWith('[]') ? listPart(object, pointer) : objectPart(object, pointer);
  });
  const none = Object.fromEntries(places.map((place) => [place, null]));

  function readMembers(json: JsonReader, answer: AnswerCheck, found: Record<string, unknown>) {
    if (!json.isAt(braces)) {
      json.any();
      json.finish();
      throw answer.violation('', 'is not an object');
    }
    let likely = 0;
    for (let isMore = json.enter(braces); isMore; isMore = json.goOn(braces)) {
      const key = json.key(keys, likely);
      const [place, part] = [places[key], parts[key]];
      if (place === undefined || part === undefined) json.any();
      else found[place] = json.isNull() ? null : part(json, answer);
      if (answer.violations.length > maxWrongOfAll) {
        throw answer.violation('', `has more than ${maxWrongOfAll} wrong values`);
      }
      likely = key + 1;
    }
  }

  return (utf8: Buffer, answer: AnswerCheck): Found<Objects> => {
    const json = new JsonReader(new SourceText(utf8));
    const found: Record<string, unknown> = { ...none };
    try {
      const [place = ''] = places;
      if (isWhole) found[place] = parts[0]?.(json, answer);
      else readMembers(json, answer, found);
      json.finish();
    } catch (error) {
      if (error !== notJson) throw error;
      answer.violations.length = 0;
      throw answer.violation('', 'is not JSON');
    }
    return found as Found<Objects>;
  };
}

const placeForm = /^([\w-]*)(?:\[\])?$/;

/** Returns the name of the member at a place; '' for the whole answer. */
function memberOf(place: string): string {
  const [, member] = placeForm.exec(place) ?? [];
  if (member !== undefined) return member;
  throw new Error(
    `no object of an answer can be at '${place}': use '', '[]', 'member' or 'member[]', where a member is not a path`,
  );
}

/** Reads an object or list that is not null. */
type Part = (json: JsonReader, answer: AnswerCheck) => unknown;

function objectPart({ fields, isNullIfEmpty = false }: AnswerObject, pointer: string): Part {
  const { layout, create } = objectItems(fields);
  return (json, answer) => {
    if (isNullIfEmpty && json.isEmpty(braces)) return null;
    const places: number[] = [];
    const outcome = layout.read(json, places, 0, answer, pointer);
    return create(json.text, places, 0, outcome, answer, 0);
  };
}

/** In a list of objects. An answer has room for 85,000 accounts with only an id, and each takes memory. */
const maxObjects = 5000;

function objectItems(fields: FieldTable): ListItems<object> {
  const layout = new Layout(fields);
  return {
    layout,
    maxItems: maxObjects,
    maxWrong: 1000,
    create: (text, places, first, outcome) =>
      outcome instanceof Error
        ? outcome
        : new SourceObject(layout.shape, text, places, first, outcome),
  };
}

/** The places of a list's values. The array is reused, because growing an array is slow. */
const usualPlaces = 4000;
const placesOfItems: number[] = Array.from({ length: usualPlaces }, () => 0);

function listPart({ fields, items = objectItems(fields) }: AnswerObject, pointer: string): Part {
  const { layout, maxItems, maxWrong, create } = items;
  const { size } = layout;
  return (json, answer) => {
    if (!json.isAt(brackets)) {
      json.any();
      return answer.violation(pointer, 'is not a list');
    }
    const mostWrong = answer.violations.length + maxWrong;
    const outcomes: Outcome[] = [];
    for (let isMore = json.enter(brackets); isMore; isMore = json.goOn(brackets)) {
      const n = outcomes.length;
      if (n > maxItems || answer.violations.length > mostWrong) json.any();
      else outcomes.push(layout.read(json, placesOfItems, n * size, answer, pointer, n));
    }
    answer.objects += outcomes.length;
    const places = placesOfItems.slice(0, outcomes.length * size);
    if (placesOfItems.length > usualPlaces) placesOfItems.length = usualPlaces;
    if (answer.violations.length > mostWrong)
      return answer.violation(pointer, `has more than ${maxWrong} wrong values`);
    if (outcomes.length > maxItems)
      return answer.violation(pointer, `has more than ${maxItems} items`);
    return outcomes.map((outcome, n) => create(json.text, places, n * size, outcome, answer, n));
  };
}

/** Returns a part that an answer must have; throws the violation if the part is wrong or absent. */
export function required<T>(part: Checked<T>, pointer: string, answer: AnswerCheck): T {
  const found = part ?? answer.violation(pointer, 'is absent');
  if (found instanceof GatewayError) throw found;
  return found;
}

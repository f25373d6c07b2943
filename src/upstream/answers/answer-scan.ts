// Scans answers of the service byte by byte. Answers in an undocumented or unusual form are left to the parser.
import { braces, brackets, JsonReader, unexpected, valueKinds } from '../../json/json-reader.ts';
import { Literal, SourceText } from '../../json/json-bytes.ts';
import { sourceClass } from '../../json/source-object.ts';
import type { AnswerObserver } from '../observer.ts';
import type { FieldTable } from '../shape/field-types.ts';
import { Layout, maxDepth } from './source-layout.ts';

/** A top-level member of an answer: an object, or a list of objects. */
interface Part<T> {
  readonly brackets: typeof braces | typeof brackets;
  /** Reads a value that begins with `brackets.open`. */
  readonly read: (json: JsonReader, observer?: AnswerObserver) => T;
}

export function objectPart<T>(fields: FieldTable): Part<T> {
  const layout = new Layout(fields);
  const Source = sourceClass<T>(layout.shape);
  return {
    brackets: braces,
    read(json, observer) {
      const places: number[] = [];
      layout.read(json, places, 0, observer);
      return new Source(json.text, places, 0);
    },
  };
}

/** The largest number of items in a list that is scanned. A longer list is left to the parser, which is slower. */
const maxItems = 200;

/** Start and end of up to ten fields of each item. The array is reused, because growing an array is slow. */
const placesOfItems: number[] = Array.from({ length: maxItems * 20 }, () => 0);

/** A part that is a list of objects. Each `Item` is created from its places, which begin at index `first`. */
export function listPart<T>(
  layout: Layout,
  Item: new (text: SourceText, places: number[], first: number) => T,
): Part<readonly T[]> {
  const { size } = layout;
  return {
    brackets,
    read(json, observer) {
      if (!json.enter(brackets)) return [];
      let count = 0;
      do {
        if (count === maxItems) throw unexpected;
        layout.read(json, placesOfItems, count * size, observer);
        count++;
      } while (json.goOn(brackets));
      const places = placesOfItems.slice(0, count * size);
      const items: T[] = [];
      for (let item = 0; item < count; item++) items.push(new Item(json.text, places, item * size));
      return items;
    },
  };
}

/** The parts found in an answer; a part that the service sent as null is null. */
type Found<Parts> = {
  readonly [Key in keyof Parts]?: Parts[Key] extends Part<infer T> ? T | null : never;
};

/** Creates a scan of valid UTF-8. The scan returns null if the answer has an unusual form and must be parsed. */
export function answerScan<Parts extends Readonly<Record<string, Part<unknown>>>>(byKey: Parts) {
  const names = Object.keys(byKey);
  const keys = names.map((name) => new Literal(`"${name}"`));
  const parts = Object.values(byKey);

  function read(json: JsonReader, observer?: AnswerObserver): Found<Parts> {
    const found: Record<string, unknown> = {};
    let likely = 0;
    if (json.enter(braces)) {
      do {
        const key = json.key(keys, likely);
        const [name = '', part] = [names[key], parts[key]];
        if (name in found) throw unexpected;
        if (part === undefined) json.any(maxDepth);
        else if (json.isAt(part.brackets)) found[name] = part.read(json, observer);
        else if (json.any(maxDepth) === valueKinds.null) found[name] = null;
        else throw unexpected;
        likely = key + 1;
      } while (json.goOn(braces));
    }
    json.finish();
    return found as Found<Parts>;
  }

  return (utf8: Buffer, observer?: AnswerObserver): Found<Parts> | null => {
    try {
      return read(new JsonReader(new SourceText(utf8)), observer);
    } catch (error) {
      if (error === unexpected) return null;
      throw error;
    }
  };
}

// Scans an answer byte by byte, if it is exactly as the service documents it (docs/service.md).
import { braces, brackets, JsonReader, unexpected, valueKinds } from '../../json/json-reader.ts';
import { Literal, SourceText } from '../../json/json-bytes.ts';
import { sourceClass } from '../../json/source-object.ts';
import type { AnswerObserver } from '../observer.ts';
import type { FieldTable } from '../shape/field-types.ts';
import { Layout, maxDepth } from './source-layout.ts';

/** An object at the top of an answer, or a list of objects. */
interface Part<T> {
  readonly brackets: typeof braces | typeof brackets;
  /** Reads a value that begins with such a bracket. */
  readonly read: (json: JsonReader, text: SourceText, observer?: AnswerObserver) => T;
}

/** The part that is an object; `others` decode its fields of kind `other`. */
export function objectPart<T>(
  fields: FieldTable,
  others?: Readonly<Record<string, (json: string) => unknown>>,
): Part<T> {
  const layout = new Layout(fields);
  const Source = sourceClass<T>(layout.shape, others);
  return {
    brackets: braces,
    read(json, text, observer) {
      const places: number[] = [];
      layout.read(json, text, places, 0, observer);
      return new Source(text, places, 0);
    },
  };
}

/** A longer list is valid too, but does not have to be fast. */
const maxItems = 200;

/** The places of a list while it is read, two for each of ten fields; reused, because growing a list is expensive. */
const placesOfItems: number[] = Array.from({ length: maxItems * 20 }, () => 0);

/** The part that is a list of objects, each made of its places, which begin at `first`. */
export function listPart<T>(
  layout: Layout,
  Item: new (text: SourceText, places: number[], first: number) => T,
): Part<readonly T[]> {
  const { size } = layout;
  return {
    brackets,
    read(json, text, observer) {
      if (!json.enter(brackets)) return [];
      let count = 0;
      do {
        if (count === maxItems) throw unexpected;
        layout.read(json, text, placesOfItems, count * size, observer);
        count++;
      } while (json.goOn(brackets));
      const places = placesOfItems.slice(0, count * size);
      const items: T[] = [];
      for (let item = 0; item < count; item++) items.push(new Item(text, places, item * size));
      return items;
    },
  };
}

/** The parts that an answer has; a part that was sent as null is null. */
type Found<Parts> = {
  readonly [Key in keyof Parts]?: Parts[Key] extends Part<infer T> ? T | null : never;
};

/**
 * Makes the scan of answers with these parts, in their usual order; other members are skipped. It returns null for an
 * answer that is not as documented, or not as it is usually written: a value of another type, an exponent, a repeated
 * key. That is left to the parser of the answer, which reports what is wrong, if anything is; both give the same result.
 * `utf8` must be valid UTF-8.
 */
export function answerScan<Parts extends Readonly<Record<string, Part<unknown>>>>(byKey: Parts) {
  const names = Object.keys(byKey);
  const keys = names.map((name) => new Literal(`"${name}"`));
  const parts = Object.values(byKey);

  function read(json: JsonReader, text: SourceText, observer?: AnswerObserver): Found<Parts> {
    const found: Record<string, unknown> = {};
    let likely = 0;
    if (json.enter(braces)) {
      do {
        const key = json.key(keys, likely);
        const [name = '', part] = [names[key], parts[key]];
        if (name in found) throw unexpected;
        if (part === undefined) json.any(maxDepth);
        else if (json.isAt(part.brackets)) found[name] = part.read(json, text, observer);
        else if (json.any(maxDepth) === valueKinds.null) found[name] = null;
        else throw unexpected;
        likely = key + 1;
      } while (json.goOn(braces));
    }
    json.finish();
    return found as Found<Parts>;
  }

  return (utf8: Buffer, observer?: AnswerObserver): Found<Parts> | null => {
    const text = new SourceText(utf8);
    try {
      return read(new JsonReader(text), text, observer);
    } catch (error) {
      if (error === unexpected) return null;
      throw error;
    }
  };
}

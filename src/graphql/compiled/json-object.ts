// Objects that have their fields as JSON already: what the service sent is written as it came.
import type { JsonBytes } from './json-text.ts';
import type { Plan } from './plan.ts';

/** An object that knows the JSON of its fields. `TextTransaction` of src/upstream is one. */
interface JsonObject {
  /** Undefined for a field that it does not know. */
  json(field: string): JsonBytes | undefined;
}

/** A field of a selection, and what stands before its value; no name where that is all. */
export interface JsonField {
  readonly head: string;
  readonly name: string | null;
}

/** Writes an object of which only these fields are selected from its JSON, where it has that, and else by the plan. */
export function jsonObjectOf(fields: readonly JsonField[], plan: Plan): Plan {
  return {
    append(text, value, run) {
      if (!isJsonObject(value)) return plan.append(text, value, run);
      for (const { head, name } of fields) {
        const json = name === null ? '' : value.json(name);
        if (json === undefined) throw new Error(`${name} has no JSON`);
        text = text + head + json;
      }
      return `${text}}`;
    },
    load: plan.load,
  };
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof (value as Partial<JsonObject> | null | undefined)?.json === 'function';
}

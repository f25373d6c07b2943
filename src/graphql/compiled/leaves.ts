// How the values of scalars and enums are written.
import { type GraphQLLeafType, isEnumType } from 'graphql';
import { jsonBytes, stringBytes } from './json-text.ts';
import type { Plan } from './plan.ts';
import { unusual } from './unusual.ts';

/** Adds a value to a text, after what it was made for. */
type LeafAppend = (text: string, value: unknown) => string;

/** `head` stands before a value; `ifNull` is what is written for none, null where there must be one. */
type LeafWriter = (head: string, ifNull: string | null) => LeafAppend;

/**
 * The plan for values of a leaf type; undefined for a type that is not known here. A value that the type would not let
 * out as it is, is unusual.
 */
export function leafPlan(
  type: GraphQLLeafType,
  head: string,
  ifNull: string | null,
): Plan | undefined {
  const writer = isEnumType(type)
    ? enumWriter(type.getValues().map(({ name }) => name))
    : writers.get(type.name);
  return writer && { append: writer(head, ifNull), load: undefined };
}

/** The plan for a text that is made here, of nothing that JSON would escape. */
export function plainTextPlan(head: string, ifNull: string | null): Plan {
  return { append: writePlainText(head, ifNull), load: undefined };
}

const writers: ReadonlyMap<string, LeafWriter> = new Map([
  ['ID', writeText],
  ['String', writeText],
  // These were checked letter by letter where they came in.
  ['Date', writePlainText],
  ['DateTime', writePlainText],
  ['Decimal', writePlainText],
  ['Boolean', writeFlag],
  ['Int', writeInt],
  ['JSONObject', writeObject],
]);

function writeText(head: string, ifNull: string | null): LeafAppend {
  return (text, value) =>
    typeof value === 'string' ? text + head + stringBytes(value) : appendNull(text, value, ifNull);
}

/** Text that cannot hold what JSON would escape. */
function writePlainText(head: string, ifNull: string | null): LeafAppend {
  const opened = `${head}"`;
  return (text, value) =>
    typeof value === 'string' ? `${text + opened + value}"` : appendNull(text, value, ifNull);
}

function writeFlag(head: string, ifNull: string | null): LeafAppend {
  const [yes, no] = [`${head}true`, `${head}false`];
  return (text, value) =>
    typeof value === 'boolean' ? text + (value ? yes : no) : appendNull(text, value, ifNull);
}

/** What is no 32-bit integer is an error of graphql-js. */
function writeInt(head: string, ifNull: string | null): LeafAppend {
  return (text, value) =>
    typeof value === 'number' && (value | 0) === value
      ? text + head + String(value)
      : appendNull(text, value, ifNull);
}

function writeObject(head: string, ifNull: string | null): LeafAppend {
  return (text, value) =>
    isPlainObject(value) ? text + head + jsonBytes(value) : appendNull(text, value, ifNull);
}

function isPlainObject(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    !(value instanceof Error) &&
    !Array.isArray(value)
  );
}

/** A value of an enum is its name: nothing here maps one to another. */
function enumWriter(names: readonly string[]): LeafWriter {
  return (head, ifNull) => {
    const written = new Map<unknown, string>(names.map((name) => [name, `${head}"${name}"`]));
    return (text, value) => {
      const added = written.get(value);
      return added === undefined ? appendNull(text, value, ifNull) : text + added;
    };
  };
}

function appendNull(text: string, value: unknown, ifNull: string | null): string {
  if (ifNull === null || (value !== null && value !== undefined)) throw unusual;
  return text + ifNull;
}

// How the values of scalars and enums are written.
import { type GraphQLLeafType, isEnumType } from 'graphql';
import type { JsonOutput } from '../../json/json-output.ts';
import { bytesOf } from '../../json/json-text.ts';
import { SourceObject, type SourceShape } from '../../json/source-object.ts';
import type { Plan } from './plan.ts';
import { unusual } from './unusual.ts';

/** Adds a value to an output, after what it was made for. */
type LeafWrite = (output: JsonOutput, value: unknown) => void;

/** Where values are written. */
export interface LeafPlace {
  /** What stands before each of them. */
  readonly head: Uint8Array;
  /** Whether there may be none. */
  readonly isNullable: boolean;
}

type LeafWriter = (place: LeafPlace) => LeafWrite;

/**
 * The plan for values of a leaf type; undefined for a type that is not known here. A value that the type would not let
 * out as it is, is unusual.
 */
export function leafPlan(type: GraphQLLeafType, place: LeafPlace): Plan | undefined {
  const writer = isEnumType(type)
    ? enumWriter(new Set(type.getValues().map(({ name }) => name)))
    : writers.get(type.name);
  return writer && { write: writer(place), load: undefined };
}

/** The plan for a text that is made here, of nothing that JSON would escape. */
export function plainTextPlan(place: LeafPlace): Plan {
  return { write: writePlainText(place), load: undefined };
}

/**
 * The plan for a field of which the parent may have the JSON: it is written as it was sent. `sourceOf` gives the object
 * that has it; `plan` is for any other parent.
 */
export function sourcePlan(
  name: string,
  sourceOf: (parent: unknown) => unknown,
  place: LeafPlace,
  plan: Plan,
): Plan {
  // Parents at one place are of one shape, or of two where the service answers differently.
  let shape: SourceShape | null = null;
  let field = -1;
  return {
    write(output, parent, run) {
      const source = sourceOf(parent);
      if (!(source instanceof SourceObject)) {
        plan.write(output, parent, run);
        return;
      }
      if (source.shape !== shape) {
        shape = source.shape;
        field = shape.writable(name);
      }
      if (field < 0) plan.write(output, parent, run);
      else writeSource(output, source, field, place);
    },
    load: undefined,
  };
}

function writeSource(
  output: JsonOutput,
  source: SourceObject,
  field: number,
  { head, isNullable }: LeafPlace,
): void {
  const isThere = source.has(field);
  if (!isThere && !isNullable) throw unusual;
  output.all(head);
  if (isThere) source.write(field, output);
  else output.all(nullBytes);
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

function writeText(place: LeafPlace): LeafWrite {
  return (output, value) => {
    if (typeof value !== 'string') {
      writeNull(output, value, place);
      return;
    }
    output.all(place.head);
    output.string(value);
  };
}

/** Text that cannot hold what JSON would escape. */
function writePlainText(place: LeafPlace): LeafWrite {
  return (output, value) => {
    if (typeof value !== 'string') {
      writeNull(output, value, place);
      return;
    }
    output.all(place.head);
    output.plainString(value);
  };
}

function writeFlag(place: LeafPlace): LeafWrite {
  return (output, value) => {
    if (typeof value !== 'boolean') {
      writeNull(output, value, place);
      return;
    }
    output.all(place.head);
    output.all(value ? trueBytes : falseBytes);
  };
}

/** What is no 32-bit integer is an error of graphql-js. */
function writeInt(place: LeafPlace): LeafWrite {
  return (output, value) => {
    if (typeof value !== 'number' || (value | 0) !== value) {
      writeNull(output, value, place);
      return;
    }
    output.all(place.head);
    output.ascii(String(value));
  };
}

function writeObject(place: LeafPlace): LeafWrite {
  return (output, value) => {
    if (!isPlainObject(value)) {
      writeNull(output, value, place);
      return;
    }
    output.all(place.head);
    output.value(value);
  };
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
function enumWriter(names: ReadonlySet<unknown>): LeafWriter {
  return (place) => (output, value) => {
    if (!names.has(value)) {
      writeNull(output, value, place);
      return;
    }
    output.all(place.head);
    output.plainString(value as string);
  };
}

const nullBytes = bytesOf('null');
const trueBytes = bytesOf('true');
const falseBytes = bytesOf('false');

function writeNull(output: JsonOutput, value: unknown, { head, isNullable }: LeafPlace): void {
  if (!isNullable || (value !== null && value !== undefined)) throw unusual;
  output.all(head);
  output.all(nullBytes);
}

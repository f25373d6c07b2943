// Writes the values of scalars and enums.
import { type GraphQLLeafType, isEnumType } from 'graphql';
import type { JsonOutput } from '../../json/json-output.ts';
import { falseLiteral, type Literal, nullLiteral, trueLiteral } from '../../json/literal.ts';
import type { Plan } from './value-plan.ts';
import { bailout } from './bailout.ts';

/** Adds a value to an output, after the text of its place. */
type LeafWrite = (output: JsonOutput, value: unknown) => void;

/** The place of values in an answer. */
export interface LeafPlace {
  /** The JSON text before each value. */
  readonly head: Literal;
  /** Whether the value may be null. */
  readonly isNullable: boolean;
}

type LeafWriter = (place: LeafPlace) => LeafWrite;

/**
 * The plan for values of a leaf type; undefined for an unknown type. A value that the type would not serialize unchanged
 * causes a bailout.
 */
export function leafPlan(type: GraphQLLeafType, place: LeafPlace): Plan | undefined {
  const writer = isEnumType(type)
    ? enumWriter(new Set(type.getValues().map(({ name }) => name)))
    : writers.get(type.name);
  return writer && { write: writer(place), load: undefined };
}

/** The plan for a text that the gateway generates, in which JSON escapes no character. */
export function plainTextPlan(place: LeafPlace): Plan {
  return { write: writePlainText(place), load: undefined };
}

const writers: ReadonlyMap<string, LeafWriter> = new Map([
  ['ID', writeText],
  ['String', writeText],
  // These were checked character by character when they were read.
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
    output.literal(place.head);
    output.string(value);
  };
}

/** Writes a text in which JSON escapes no character. */
function writePlainText(place: LeafPlace): LeafWrite {
  return (output, value) => {
    if (typeof value !== 'string') {
      writeNull(output, value, place);
      return;
    }
    output.literal(place.head);
    output.plainString(value);
  };
}

function writeFlag(place: LeafPlace): LeafWrite {
  return (output, value) => {
    if (typeof value !== 'boolean') {
      writeNull(output, value, place);
      return;
    }
    output.literal(place.head);
    output.literal(value ? trueLiteral : falseLiteral);
  };
}

/** For graphql-js, any value that is not a 32-bit integer is an error. */
function writeInt(place: LeafPlace): LeafWrite {
  return (output, value) => {
    if (typeof value !== 'number' || (value | 0) !== value) {
      writeNull(output, value, place);
      return;
    }
    output.literal(place.head);
    output.ascii(String(value));
  };
}

function writeObject(place: LeafPlace): LeafWrite {
  return (output, value) => {
    if (!isPlainObject(value)) {
      writeNull(output, value, place);
      return;
    }
    output.literal(place.head);
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

/** The value of an enum is its name: the schema maps none to another value. */
function enumWriter(names: ReadonlySet<unknown>): LeafWriter {
  return (place) => (output, value) => {
    if (!names.has(value)) {
      writeNull(output, value, place);
      return;
    }
    output.literal(place.head);
    output.plainString(value as string);
  };
}

function writeNull(output: JsonOutput, value: unknown, { head, isNullable }: LeafPlace): void {
  if (!isNullable || (value !== null && value !== undefined)) throw bailout;
  output.literal(head);
  output.literal(nullLiteral);
}

// Writes the values of scalars and enums.
import { type GraphQLEnumType, type GraphQLLeafType, isEnumType } from 'graphql';
import type { JsonOutput } from '../../json/json-output.ts';
import { falseLiteral, type Literal, nullLiteral, trueLiteral } from '../../json/literal.ts';
import { isObject, type Plan } from './value-plan.ts';
import { bailout } from './bailout.ts';

/** The place of values in an answer. */
export interface LeafPlace {
  /** The JSON text before each value. */
  readonly head: Literal;
  /** Whether the value may be null. */
  readonly isNullable: boolean;
}

/** Makes the `write` of a place, which adds the text of the place and the value. */
type LeafWriter = (place: LeafPlace) => Plan['write'];

/**
 * The plan for values of a leaf type; undefined for an unknown type. A value that the type would not serialize unchanged
 * causes a bailout.
 */
export function leafPlan(type: GraphQLLeafType, place: LeafPlace): Plan | undefined {
  const writer = isEnumType(type) ? enumWriter(type) : writers.get(type.name);
  return writer && { write: writer(place), load: undefined };
}

/** Values that pass a check are added by `add`; null, if allowed, is added here. */
function writerOf<T>(
  isValid: (value: unknown) => value is T,
  add: (output: JsonOutput, value: T) => void,
): LeafWriter {
  return ({ head, isNullable }) =>
    (output, value) => {
      const isNull = isNullable && (value === null || value === undefined);
      const valid = isValid(value);
      if (!isNull && !valid) throw bailout;
      output.literal(head);
      if (valid) add(output, value);
      else output.literal(nullLiteral);
    };
}

const text = writerOf(isText, (output, value) => output.string(value));
/** The value was checked when it was read: JSON escapes none of its characters. */
const plainText = writerOf(isText, (output, value) => output.plainString(value));

const writers: ReadonlyMap<string, LeafWriter> = new Map([
  ['ID', text],
  ['String', text],
  ['Date', plainText],
  ['DateTime', plainText],
  ['Decimal', plainText],
  [
    'Boolean',
    writerOf(isFlag, (output, value) => output.literal(value ? trueLiteral : falseLiteral)),
  ],
  ['Int', writerOf(isInt, (output, value) => output.ascii(String(value)))],
  ['JSONObject', writerOf(isPlainObject, (output, value) => output.value(value))],
]);

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isFlag(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

/** For graphql-js, any other number is an error. */
function isInt(value: unknown): value is number {
  return typeof value === 'number' && (value | 0) === value;
}

function isPlainObject(value: unknown): value is object {
  return isObject(value) && !Array.isArray(value);
}

/** The value of an enum is its name: the schema maps none to another value. */
function enumWriter(type: GraphQLEnumType): LeafWriter {
  const names = new Set<unknown>(type.getValues().map(({ name }) => name));
  return writerOf(
    (value): value is string => names.has(value),
    (output, value) => output.plainString(value),
  );
}

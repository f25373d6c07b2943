// What the scalars of schema/scalars.graphql take as arguments, and what they let out.
import { GraphQLScalarType } from 'graphql';

/**
 * The scalars of docs/exactness.md, as resolvers; description and @specifiedBy are the SDL's. Values come out as they are:
 * `upstream` has checked them. Only a value of another JSON type is refused, which is a defect of the gateway.
 */
export const scalars = {
  Date: new GraphQLScalarType({ name: 'Date', serialize: textOf('Date'), parseValue: parseDay }),
  DateTime: answerOnly('DateTime', textOf('DateTime')),
  Decimal: answerOnly('Decimal', textOf('Decimal')),
  JSONObject: answerOnly('JSONObject', serializeObject),
};

/** A scalar that no argument has; should one get it, it is refused there until it has a parser of its own. */
function answerOnly<T>(name: string, serialize: (value: unknown) => T) {
  return new GraphQLScalarType<never, T>({
    name,
    serialize,
    parseValue() {
      throw new TypeError(`${name} is for answers only, it cannot be an argument.`);
    },
  });
}

function textOf(name: string): (value: unknown) => string {
  return (value) => {
    if (typeof value === 'string') return value;
    throw new TypeError(`${name} is not a string but ${typeof value}.`);
  };
}

function serializeObject(value: unknown): Record<string, unknown> {
  if (isObject(value)) return value;
  throw new TypeError('JSONObject is not an object.');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** graphql-js puts the value and where it stands before the message, for literals as for variables. */
function parseDay(value: unknown): string {
  if (typeof value === 'string' && isDay(value)) return value;
  throw new TypeError('A Date is a day of the calendar, written yyyy-MM-dd, such as "2026-01-31".');
}

/** Date.parse alone would take other forms too, and move 2026-02-30 to March. */
function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const midnight = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(text);
}

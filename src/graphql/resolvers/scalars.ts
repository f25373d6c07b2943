// The scalars of schema/scalars.graphql: parsing of arguments and serialization of values.
import { GraphQLScalarType } from 'graphql';

/**
 * `upstream` has checked all values, so a value of the wrong JSON type indicates a defect of the gateway. `serialize` may
 * not change a value, because the fast path copies the values of the service without it.
 */
export const scalars = {
  Date: new GraphQLScalarType({ name: 'Date', serialize: textOf('Date'), parseValue: parseDay }),
  // The others are only in answers: no argument has their type.
  DateTime: new GraphQLScalarType({ name: 'DateTime', serialize: textOf('DateTime') }),
  Decimal: new GraphQLScalarType({ name: 'Decimal', serialize: textOf('Decimal') }),
  JSONObject: new GraphQLScalarType({ name: 'JSONObject', serialize: objectOf }),
};

function objectOf(value: unknown): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new TypeError('A JSONObject must be an object.');
}

function textOf(name: string): (value: unknown) => string {
  return (value) => {
    if (typeof value === 'string') return value;
    throw new TypeError(`${name} is not a string but ${typeof value}.`);
  };
}

/** Throws if the value is not a calendar day; graphql-js puts the value and some text before the message. */
function parseDay(value: unknown): string {
  if (typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value)) {
    // Date parsing turns 2026-02-30 into a day in March.
    const midnight = new Date(`${value}T00:00:00Z`);
    const isDay = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(value);
    if (isDay) return value;
  }
  throw new TypeError(
    'A Date must be a calendar day in the format yyyy-MM-dd, such as "2026-01-31".',
  );
}

// Limits the field values in the lists of an answer, because aliases and references can repeat a list.
import {
  defaultFieldResolver,
  getNullableType,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isListType,
  isObjectType,
} from 'graphql';
import { GatewayError } from '../../errors.ts';
import type { GatewayContext } from '../context.ts';
import { countFieldsWithin } from './document-size.ts';
import { boundErrors, moreErrors } from './field-errors.ts';

/** Enough for 45 slices of 100 transactions with ten fields; `nodes` itself counts as an eleventh. */
const maxValues = 50_000;

/** A slice counts as at least this many values, so an operation has at most 500 slices. */
export const minOfSlice = 100;

const excess = `The operation selects more than ${maxValues} field values in lists.`;

/** After a fallback, graphql-js counts from the start, because Apollo Server passes on a copy of the context. */
const valuesLeft = new WeakMap<object, number>();

/**
 * Counts the values of a field before they are read. Throws OPERATION_TOO_COMPLEX beyond `maxValues`. After 500 such
 * errors and one that states that there are more, returns false for a field that is to be null, because errors take
 * time.
 */
export function countValues(values: number, context: object): boolean {
  const before = valuesLeft.get(context) ?? maxValues;
  if (values <= before) {
    valuesLeft.set(context, before - values);
    return true;
  }
  const left = Math.min(before, 0) - minOfSlice;
  valuesLeft.set(context, left);
  if (left < -maxValues - minOfSlice) return false;
  const message = left < -maxValues ? moreErrors : excess;
  throw new GatewayError('OPERATION_TOO_COMPLEX', { message });
}

type Context = Pick<GatewayContext, 'keep'>;

/** Makes each list in the schema count its values, except for the fields `Type.name` that are `counted`. */
export function countLists(schema: GraphQLSchema, counted: ReadonlySet<string>): void {
  for (const type of Object.values(schema.getTypeMap())) {
    // The lists of introspection do not depend on the service.
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      if (!isListType(getNullableType(field.type))) continue;
      if (counted.has(`${type.name}.${field.name}`)) continue;
      const { resolve = defaultFieldResolver } = field;
      const resolveList: GraphQLFieldResolver<unknown, Context> = (
        parent,
        args,
        context: Context,
        info,
      ) => {
        const value: unknown = resolve(parent, args, context, info);
        return value instanceof Promise
          ? value.then((list: unknown) => countedList(list, context, info))
          : countedList(value, context, info);
      };
      field.resolve = resolveList;
    }
  }
}

function countedList(value: unknown, context: Context, info: GraphQLResolveInfo): unknown {
  // A list of scalars has no fields within.
  const valuesOfEach = Math.max(countFieldsWithin(info, 'ownFields'), 1);
  const isWithin = !Array.isArray(value) || countValues(value.length * valuesOfEach, context);
  return isWithin ? boundErrors(value, context) : null;
}

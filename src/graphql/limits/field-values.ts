// Counts the field values in the lists of an answer, because aliases and references can repeat a list.
import {
  defaultFieldResolver,
  getNullableType,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isListType,
  isObjectType,
} from 'graphql';
import type { GatewayContext } from '../context.ts';
import { countFieldsWithin } from './document-size.ts';
import { boundErrors } from './field-errors.ts';

type Context = Pick<GatewayContext, 'allowance' | 'keep'>;

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
  const isWithin =
    !Array.isArray(value) || context.allowance.takeValues(value.length * valuesOfEach);
  return isWithin ? boundErrors(value, context) : null;
}

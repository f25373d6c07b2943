// Errors that stand in place of the service's values: how many of them one execution raises.
import { defaultFieldResolver, type GraphQLFieldResolver } from 'graphql';
import { GatewayError } from '../../errors.ts';

/** Errors in one answer, whatever the service sent and however often an operation selects it. */
export const maxErrors = 1000;

/** Of each execution, by its context. */
const raised = new WeakMap<object, number>();

/**
 * A field's value, with null in place of each error once more are raised than an answer lists: graphql-js takes some 20 µs
 * for each, and an operation can select a wrong value thousands of times.
 */
export function boundErrors<T>(value: T, context: object): T | null {
  if (value instanceof GatewayError) return mayRaise(context) ? value : null;
  if (!Array.isArray(value) || !value.some(isError)) return value;
  return value.map((item: unknown) => boundErrors(item, context)) as T;
}

/** For the fields without a resolver of their own. */
export const resolveField: GraphQLFieldResolver<unknown, object> = (source, args, context, info) =>
  boundErrors(defaultFieldResolver(source, args, context, info), context);

function isError(value: unknown): boolean {
  return value instanceof GatewayError;
}

function mayRaise(context: object): boolean {
  const before = raised.get(context) ?? 0;
  raised.set(context, before + 1);
  // One more than is listed, which says that there are more.
  return before <= maxErrors;
}

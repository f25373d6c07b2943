// Limits the memory for the results of graphql-js, which operations keep while they wait for further calls.
import {
  defaultFieldResolver,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLFieldResolver,
  isNonNullType,
} from 'graphql';
import { noMemory } from '../../errors.ts';
import type { GatewayContext } from '../context.ts';
import { boundErrors } from './field-errors.ts';

/** The memory for an object in a result, for another value, and for a character, as measured. */
const [bytesPerObject, bytesPerValue, bytesPerCharacter] = [320, 80, 2];

/** The contexts of executions whose results have taken too much memory. */
const full = new WeakSet<object>();

/** One error for all fields: graphql-js uses an error that has a path as it is, which takes no memory. */
const dropped = new GraphQLError(noMemory.message, { originalError: noMemory, path: [] });

/** Resolves a field without a resolver of its own. If too little memory is left, `boundMemory` drops the result. */
export const resolveField: GraphQLFieldResolver<unknown, Pick<GatewayContext, 'keep'>> = (
  source,
  args,
  context,
  info,
) => {
  const value: unknown = boundErrors(defaultFieldResolver(source, args, context, info), context);
  if (context.keep(bytesOf(value))) return value;
  full.add(context);
  if (isNonNullType(info.returnType)) throw dropped;
  return null;
};

function bytesOf(value: unknown): number {
  if (typeof value === 'string') return bytesPerValue + bytesPerCharacter * value.length;
  return typeof value === 'object' && value !== null ? bytesPerObject : bytesPerValue;
}

export function boundMemory(
  result: FormattedExecutionResult,
  context: object,
): FormattedExecutionResult {
  if (!full.has(context)) return result;
  const { message, extensions } = noMemory;
  return { errors: [{ message, extensions: { ...extensions } }], data: null };
}

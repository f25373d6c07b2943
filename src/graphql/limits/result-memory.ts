// Limits the memory for the results of graphql-js, which operations keep while they wait for further calls.
import {
  defaultFieldResolver,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLFieldResolver,
  isNonNullType,
} from 'graphql';
import { type GatewayError, noMemory } from '../../errors.ts';
import type { GatewayContext } from '../context.ts';
import type { Allowance } from './allowance.ts';
import { failedAnswer, tooLong } from './answer-size.ts';
import { boundErrors } from './field-errors.ts';

/** The memory for an object in a result, for another value, and for a character, as measured. */
const [bytesPerObject, bytesPerValue, bytesPerCharacter] = [320, 80, 2];

type Context = Pick<GatewayContext, 'allowance' | 'keep'>;

/**
 * One error for all fields: graphql-js uses an error that has a path as it is, which takes no memory. Its original error
 * is a known one, because any other would be logged as a defect.
 */
const dropped = new GraphQLError('the result is dropped', { path: [], originalError: tooLong });

/** Resolves a field without a resolver of its own. Beyond a limit, `boundMemory` drops the result. */
export const resolveField: GraphQLFieldResolver<unknown, Context> = (
  source,
  args,
  context,
  info,
) => {
  const value: unknown = boundErrors(defaultFieldResolver(source, args, context, info), context);
  const failure = failureOf(value, context);
  if (failure === null) return value;
  context.allowance.failure = failure;
  if (isNonNullType(info.returnType)) throw dropped;
  return null;
};

/** Counts a value. Returns an error if the answer would be too long, or if too little memory is left. */
function failureOf(value: unknown, context: Context): GatewayError | null {
  if (typeof value === 'string' && !context.allowance.takeCharacters(value.length)) return tooLong;
  return context.keep(bytesOf(value)) ? null : noMemory;
}

function bytesOf(value: unknown): number {
  if (typeof value === 'string') return bytesPerValue + bytesPerCharacter * value.length;
  return typeof value === 'object' && value !== null ? bytesPerObject : bytesPerValue;
}

export function boundMemory(
  result: FormattedExecutionResult,
  { failure }: Pick<Allowance, 'failure'>,
): FormattedExecutionResult {
  return failure === null ? result : failedAnswer(failure);
}

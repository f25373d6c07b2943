// Errors with the same cause on several paths: formatted once, and restored for the client.
import { GraphQLError } from 'graphql';
import { expect, test } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import { errorAt, foldErrors, unfoldErrors } from '../../../src/graphql/limits/repeated-errors.ts';

function errorOf(message: string, path: string): GraphQLError {
  const originalError = new GatewayError('NOT_FOUND', { message });
  return new GraphQLError(message, { originalError, path: [path] });
}

/** An error as Apollo Server formats it: a plain object instead of an instance that `errorAt` creates. */
const formatted = ({ message, path }: GraphQLError) => ({ message, path: path ?? [] });

test('an error that is copied to another path differs only in its path', () => {
  const error = errorOf('none', 'list');
  const same = errorAt(error, ['list', 1]);
  expect(same).toBeInstanceOf(GraphQLError);
  expect(same.originalError).toBe(error.originalError);
  expect(same.toJSON()).toEqual({ ...error.toJSON(), path: ['list', 1] });
  expect(error.path).toEqual(['list']);
});

test('only consecutive errors with the same cause are folded, and unfolding restores all in order', () => {
  const [one, other] = [errorOf('one', 'a'), errorOf('other', 'b')];
  const errors = [
    errorAt(one, ['a', 0]),
    errorAt(one, ['a', 1]),
    errorOf('alone', 'c'),
    errorOf('alone', 'd'),
    errorAt(other, ['b', 0]),
    errorAt(one, ['a', 2]),
    errorAt(one, ['a', 3]),
  ];
  const all = errors.map(formatted);
  const context = {};
  foldErrors(errors, context);
  expect(errors.map(({ message }) => message)).toEqual(['one', 'alone', 'alone', 'other', 'one']);
  const answer = unfoldErrors({ data: null, errors: errors.map(formatted) }, context);
  expect(answer).toEqual({ data: null, errors: all });
});

test('an answer without repeated errors is returned unchanged', () => {
  const context = {};
  const errors = [errorOf('alone', 'c'), errorOf('alone', 'd')];
  foldErrors(errors, context);
  const answer = { data: null, errors: errors.map(formatted) };
  expect(unfoldErrors(answer, context)).toBe(answer);
  expect(unfoldErrors({ data: {} }, context)).toEqual({ data: {} });
});

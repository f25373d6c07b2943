// Which errors of an answer are a failure that the example web app reports.
import { CombinedGraphQLErrors, ServerError, ServerParseError } from '@apollo/client/errors';
import { describe, expect, test } from 'vitest';
import { failureOf, sliceFailureOf } from '../../../examples/web/src/failure.ts';

const violation = 'UPSTREAM_CONTRACT_VIOLATION';

/** The error of an operation with one GraphQL error for each path; undefined stands for an error without a path. */
function errorAt(...paths: readonly ((string | number)[] | undefined)[]) {
  const extensions = { code: violation };
  const errors = paths.map((path) => ({ message: '', extensions, ...(path && { path }) }));
  return new CombinedGraphQLErrors({ errors });
}

const amount = ['transactions', 'edges', 3, 'node', 'signedAmount'];

describe('the failure of a slice', () => {
  test.each([
    ['an operation without errors', undefined],
    ['a value of a row', errorAt(amount)],
    ['several values', errorAt(amount, ['transactions', 'edges', 4, 'node', 'status'])],
    ['a row', errorAt(['transactions', 'edges', 3, 'node'])],
    ['a row without an edge', errorAt(['transactions', 'nodes', 3])],
    ['the balance', errorAt(['account', 'balance'])],
  ])('is not %s', (_, error) => {
    expect(sliceFailureOf(error)).toBeNull();
  });

  test.each([
    ['the slice', errorAt(['transactions'])],
    ['the slice and a value', errorAt(amount, ['transactions'])],
    ['a value without which there is no slice', errorAt(['transactions', 'pageInfo', 'endCursor'])],
    ['the account', errorAt(['account'])],
    ['the whole operation', errorAt(undefined)],
  ])('is an error of %s', (_, error) => {
    expect(sliceFailureOf(error)).toEqual({ code: violation, remedy: null, retryAfter: null });
  });

  test('is OFFLINE without an answer', () => {
    expect(sliceFailureOf(new TypeError('fetch failed'))?.code).toBe('OFFLINE');
  });

  const response = new Response('<h1>Bad gateway</h1>', { status: 502 });
  const bodyText = '<h1>Bad gateway</h1>';

  test.each<[string, unknown]>([
    ['an error status', new ServerError('502', { response, bodyText })],
    ['a page', new ServerParseError(new SyntaxError('no JSON'), { response, bodyText })],
  ])('is UPSTREAM_UNAVAILABLE if a proxy answered with %s', (_, error) => {
    expect(sliceFailureOf(error)).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE', remedy: 'retry' });
  });
});

test('the failure of an operation is its first error, whatever its path', () => {
  expect(failureOf(errorAt(amount))?.code).toBe(violation);
  expect(failureOf(undefined)).toBeNull();
});

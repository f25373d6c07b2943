// The code under which an operation is counted, and the codes that count as faults.
import { expect, test } from 'vitest';
import { errorKinds } from '../../../src/errors.ts';
import { codeOf, isFault } from '../../../src/telemetry/ended-operation.ts';

test('only codes for errors of the gateway or the service count as faults', () => {
  expect(Object.keys(errorKinds).filter(isFault).sort()).toEqual([
    'INTERNAL_SERVER_ERROR',
    'OVERLOADED',
    'UPSTREAM_CONTRACT_VIOLATION',
    'UPSTREAM_REJECTED',
    'UPSTREAM_TIMEOUT',
    'UPSTREAM_UNAVAILABLE',
  ]);
});

test.each([
  [[], 'OK'],
  [['NOT_FOUND'], 'NOT_FOUND'],
  [['NOT_FOUND', 'BAD_USER_INPUT'], 'NOT_FOUND'],
  [['NOT_FOUND', 'UPSTREAM_TIMEOUT', 'UPSTREAM_REJECTED'], 'UPSTREAM_TIMEOUT'],
  [['UPSTREAM_TIMEOUT', 'INTERNAL_SERVER_ERROR'], 'INTERNAL_SERVER_ERROR'],
])('an operation with the codes %j counts as %s', (codes, expected) => {
  expect(codeOf(codes)).toBe(expected);
});

// Failures: how Retry-After is parsed, which failures are transient, and which details of an error are kept.
import { expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import {
  abortFailure,
  connectionFailure,
  isTransient,
  parseRetryAfter,
  UpstreamStatusError,
} from '../../../src/upstream/exchange/failure.ts';

const nowMs = Date.parse('2024-05-01T10:00:00.500Z');

it.each([
  ['0', 0],
  ['7', 7],
  ['86400', 86_400],
  ['86401', 86_400],
  ['9'.repeat(400), 86_400],
  ['Wed, 01 May 2024 10:00:30 GMT', 30],
  ['Wed, 01 May 2024 09:00:00 GMT', 0],
  ['7 \t', 7],
  ['Wed, 01 May 2024 10:00:30 GMT ', 30],
  ['Thu, 01 May 2054 10:00:00 GMT', 86_400],
  ['Wednesday, 01-May-24 10:00:30 GMT', 30],
  ['Wed May  1 10:00:30 2024', 30],
  ['Wed May 01 10:00:30 2024', 30],
  ['Wed May  1 10:00:30 2024 PST', null],
  ['Wednesday, 01 May 2024 10:00:30 GMT', null],
  ['', null],
  ['-1', null],
  ['1.5', null],
  ['7s', null],
  [' 7', null],
  ['2024-05-01T10:00:30Z', null],
  ['Wed, 99 May 2024 10:00:30 GMT', null],
  ['Wed, 01 May 2024 10:00:30 PST', null],
  [['7', '8'], null],
  [undefined, null],
])('parseRetryAfter(%j) returns %s', (value, seconds) => {
  expect(parseRetryAfter(value, nowMs)).toBe(seconds);
});

it.each([
  [connectionFailure(new Error('reset')), true],
  [new UpstreamStatusError(502, undefined, 'NOT_FOUND', nowMs), true],
  [new UpstreamStatusError(503, '7', 'NOT_FOUND', nowMs), true],
  [new UpstreamStatusError(500, undefined, 'NOT_FOUND', nowMs), false],
  [new UpstreamStatusError(504, undefined, 'NOT_FOUND', nowMs), false],
  [new UpstreamStatusError(429, undefined, 'NOT_FOUND', nowMs), false],
  [new UpstreamStatusError(404, undefined, 'NOT_FOUND', nowMs), false],
  [new GatewayError('UPSTREAM_TIMEOUT'), false],
  [new Error('a defect'), false],
])('isTransient(%s) returns %s', (error, expected) => {
  expect(isTransient(error)).toBe(expected);
});

it('connectionFailure keeps only the code and message of the error', () => {
  const error = Object.assign(new Error('Bad'), { code: 'HPE_INVALID', data: 'secret' });
  const { cause } = connectionFailure(error);
  expect(cause).toEqual(new Error('HPE_INVALID: Bad'));
  expect(Object.keys(cause as Error)).toEqual([]);
});

it('abortFailure returns the reason of the signal if it is a GatewayError, otherwise UPSTREAM_TIMEOUT', () => {
  const reason = new GatewayError('SHUTTING_DOWN');
  expect(abortFailure(AbortSignal.abort(reason))).toBe(reason);
  expect(abortFailure(AbortSignal.abort('x'))).toMatchObject({
    code: 'UPSTREAM_TIMEOUT',
    cause: 'x',
  });
});

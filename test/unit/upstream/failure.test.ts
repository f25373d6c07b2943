// Failures: how Retry-After is parsed, which failures are transient, and which details of an error are kept.
import { expect, it } from 'vitest';
import { GatewayError } from '../../../src/errors.ts';
import {
  abortFailure,
  connectionFailure,
  isTransient,
  causeCodeOf,
  parseRetryAfter,
  retryAfterIn,
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
  expect(cause).toEqual(Object.assign(new Error('HPE_INVALID: Bad'), { code: 'HPE_INVALID' }));
  expect(Object.keys(cause as Error)).toEqual(['code']);
});

it.each([
  [Object.assign(new Error('x'), { code: undefined }), 'Error'],
  [Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
  [new Error('Proxy response (502) !== 200 when HTTP Tunneling'), 'PROXY_502'],
])('connectionFailure has a code for %o: %s', (error, code) => {
  const failure = connectionFailure(error);
  expect(causeCodeOf(failure)).toBe(code);
  expect(String(failure.cause)).not.toContain('undefined');
});

it.each([
  [429, { 'x-ratelimit-reset': '30' }, '30'],
  [429, { 'x-ratelimit-reset': String(Math.ceil(nowMs / 1000) + 7) }, '8'],
  [429, { 'x-ratelimit-reset': String(nowMs + 6500) }, '7'],
  [429, { 'x-ratelimit-reset': String(nowMs - 5000) }, '0'],
  [429, { 'x-ratelimit-reset': 'soon' }, undefined],
  [429, { 'x-ratelimit-reset': '30', 'retry-after': '5' }, '5'],
  [503, { 'x-ratelimit-reset': '30' }, undefined],
])('retryAfterIn(%i, %o) returns %s', (status, headers, expected) => {
  expect(retryAfterIn(status, headers, nowMs)).toBe(expected);
});

it('abortFailure returns the reason of the signal if it is a GatewayError, otherwise UPSTREAM_TIMEOUT', () => {
  const reason = new GatewayError('SHUTTING_DOWN');
  expect(abortFailure(AbortSignal.abort(reason))).toBe(reason);
  expect(abortFailure(AbortSignal.abort('x'))).toMatchObject({
    code: 'UPSTREAM_TIMEOUT',
    cause: 'x',
  });
});

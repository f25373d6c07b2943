// Tokens that are decoded but not verified: their shape and their validity period.
import { describe, expect, test } from 'vitest';
import type { GatewayError } from '../../../src/errors.ts';
import { decodeToken } from '../../../src/identity/token.ts';

const nowSeconds = 1_800_000_000;
const decode = (token: string) => decodeToken(token, nowSeconds * 1000);

function part(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function jwt(
  claims: unknown,
  header: unknown = { alg: 'RS256' },
  signature = 'c2lnbmF0dXJl',
): string {
  return `${part(header)}.${part(claims)}.${signature}`;
}

/** The error with which a token is rejected; null if it is accepted. */
function refusalOf(token: string): GatewayError | null {
  try {
    void decode(token);
    return null;
  } catch (error) {
    return error as GatewayError;
  }
}

const codeOf = (token: string) => refusalOf(token)?.code ?? 'fine';
const messageOf = (token: string) => refusalOf(token)?.message;

test('decoding a token returns its claims', () => {
  const claims = { sub: 'ana', exp: nowSeconds + 60 };
  expect(decode(jwt(claims))).toEqual(claims);
  expect(decode(jwt({ name: 'João' }))).toEqual({ name: 'João' });
});

describe('the validity check of a token', () => {
  test.each([
    ['accepts an exp in the future', { exp: nowSeconds + 1 }, 'fine'],
    ['accepts an exp 29 seconds in the past', { exp: nowSeconds - 29 }, 'fine'],
    ['rejects an exp 30 seconds in the past', { exp: nowSeconds - 30 }, 'UNAUTHENTICATED'],
    ['rejects an exp of 0', { exp: 0 }, 'UNAUTHENTICATED'],
    ['accepts an nbf that equals the current time', { nbf: nowSeconds }, 'fine'],
    ['accepts an nbf 30 seconds in the future', { nbf: nowSeconds + 30 }, 'fine'],
    ['rejects an nbf 31 seconds in the future', { nbf: nowSeconds + 31 }, 'UNAUTHENTICATED'],
    ['rejects an exp that is a string', { exp: String(nowSeconds + 60) }, 'UNAUTHENTICATED'],
    ['rejects an exp that is null', { exp: null }, 'UNAUTHENTICATED'],
    ['rejects an nbf that is an object', { nbf: {} }, 'UNAUTHENTICATED'],
  ])('%s', (_title, claims, expected) => {
    expect(codeOf(jwt(claims))).toBe(expected);
  });

  test('rejects an exp that is not a finite number', () => {
    const payload = Buffer.from('{"exp":1e999}').toString('base64url');
    expect(codeOf(`${part({ alg: 'RS256' })}.${payload}.c2ln`)).toBe('UNAUTHENTICATED');
  });
});

describe('the token decoder', () => {
  const cases: [string, string][] = [
    ['no parts', ''],
    ['one part', 'abc'],
    ['two parts', `${part({ alg: 'RS256' })}.${part({})}`],
    ['four parts', `${jwt({})}.abc`],
    ['five parts, like a JWE', 'e30.e30.e30.e30.e30'],
    ['no signature', jwt({}, { alg: 'RS256' }, '')],
    ['base64 padding', jwt({}, { alg: 'RS256' }, 'c2lnbmF0dXJlMQ==')],
    ['a header that is not JSON', `AAAA.${part({})}.c2ln`],
    ['a payload that is not JSON', `${part({ alg: 'RS256' })}.AAAA.c2ln`],
    ['a header that is a list', jwt({}, [])],
    ['a payload that is a list', jwt([])],
    ['a payload that is null', jwt(null)],
    ['a payload that is a string', jwt('claims')],
    ['no algorithm', jwt({}, {})],
    ['an algorithm that is not a string', jwt({}, { alg: 1 })],
    ['the algorithm none', jwt({}, { alg: 'none' })],
    ['the algorithm NoNe', jwt({}, { alg: 'NoNe' })],
    ['the algorithm none followed by a space', jwt({}, { alg: 'none ' })],
    ['an algorithm in lower case', jwt({}, { alg: 'rs256' })],
    ['a critical header parameter', jwt({}, { alg: 'RS256', crit: ['exp'] })],
    ['a header that declares an unencoded payload', jwt({}, { alg: 'RS256', b64: false })],
    ['a payload that is not UTF-8', `${part({ alg: 'RS256' })}.eyJhIjoi_yJ9.c2ln`],
    ['16,385 characters', jwt({}).padEnd(16_385, 'x')],
  ];
  test.each(cases)('rejects a token with %s', (_name, token) => {
    expect(codeOf(token)).toBe('UNAUTHENTICATED');
  });

  test('accepts a token with 16,384 characters', () => {
    expect(codeOf(jwt({}).padEnd(16_384, 'x'))).toBe('fine');
  });

  test('rejects a token with deeply nested brackets', () => {
    const bomb = Buffer.from('['.repeat(11_000)).toString('base64url');
    expect(codeOf(`${part({ alg: 'RS256' })}.${bomb}.c2ln`)).toBe('UNAUTHENTICATED');
  });
});

test('the error messages for an expired and for a malformed token do not quote the token', () => {
  const token = jwt({ exp: 1, sub: 'marked' });
  const messages = [token, `${token}.x`].map(messageOf).join();
  expect(messages).toContain('expired');
  for (const part of token.split('.')) expect(messages).not.toContain(part);
});

// Callers: how they are read from the Authorization and x-tenant-id headers and from claims, how long tokens are
// cached, and which headers are sent upstream.
import { describe, expect, test, vi } from 'vitest';
import { createCallers, forwarded, type RequestHead } from '../../../src/identity/caller.ts';
import type { RateLimit } from '../../../src/identity/rate-limit.ts';
import { decodeToken, type TokenClaims } from '../../../src/identity/token.ts';
import { retainedBytes } from '../../support/memory.ts';

const startMs = 1_800_000_000_000;

/** Callers whose token reader accepts any token, with a clock that the test sets. */
function setUp({
  claims = {},
  tenantClaim = null as string | null,
  kindClaim = 'kind',
  jwtJwksUrl = null as string | null,
  rateLimit = null as RateLimit | null,
} = {}) {
  const clock = { nowMs: startMs };
  const good: TokenClaims = { tenant: 'aurora', exp: startMs / 1000 + 30, ...claims };
  const readToken = vi.fn(() => Promise.resolve(good));
  const now = () => clock.nowMs;
  const callers = createCallers({
    readToken,
    jwtJwksUrl,
    jwtTenantClaim: tenantClaim,
    jwtEntityTypeClaim: kindClaim,
    rateLimit,
    now,
  });
  return { callers, readToken, clock };
}

function headers(authorization = 'Bearer a.b.c', tenant = 'aurora'): RequestHead {
  return headOf([authorization], [tenant]);
}

/** The headers as node:http gives them with `joinDuplicateHeaders`. */
function headOf(authorizations: readonly string[], tenants: readonly string[]): RequestHead {
  const headers = {
    ...(authorizations.length > 0 && { authorization: authorizations.join(', ') }),
    ...(tenants.length > 0 && { 'x-tenant-id': tenants.join(', ') }),
  };
  return { headers };
}

test('a caller has its headers unchanged, a key, the instant at which its token expires, and no kind without a claim', async () => {
  const { callers } = setUp();
  expect(await callers.read(headers('bEARER  a.b.c', 'coop:1'))).toEqual({
    authorization: 'bEARER  a.b.c',
    tenant: 'coop:1',
    kind: null,
    key: expect.stringMatching(/^[\w-]{43}$/) as string,
    expiresAtMs: startMs + 30_000,
  });
});

test('the key of a caller depends on its token and tenant, not on the case of "Bearer"', async () => {
  const { callers } = setUp();
  const keys = [
    headers('Bearer a.b.c', 'one'),
    headers('bearer a.b.c', 'one'),
    headers('Bearer a.b.c', 'two'),
    headers('Bearer a.b.d', 'one'),
  ].map(async (given) => (await callers.read(given)).key);
  const [first, same, ...others] = await Promise.all(keys);
  expect(same).toBe(first);
  expect(new Set([first, ...others]).size).toBe(3);
});

describe('the Authorization header', () => {
  test.each([
    [[]],
    [['']],
    [['Bearer']],
    [['Bearer ']],
    [['Basic YTpi']],
    [['a.b.c']],
    [['Bearer a.b.c d']],
    [['Bearer a.b.c, Bearer a.b.c']],
    [['Bearer a.b.c', 'Bearer a.b.c']],
    [['Bearer a.b.c', '']],
  ])('is rejected if it is not exactly one bearer token: %j', async (authorization) => {
    const { callers, readToken } = setUp();
    const read = callers.read(headOf(authorization, ['aurora']));
    await expect(read).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(readToken).not.toHaveBeenCalled();
  });
});

describe('the x-tenant-id header', () => {
  test.each([
    [[]],
    [['']],
    [['a b']],
    [['a,b']],
    [['a\n']],
    [['ação']],
    [['x'.repeat(129)]],
    [['aurora', 'aurora']],
    [['aurora', '']],
  ])('is rejected if its values are %j', async (tenant) => {
    const { callers } = setUp();
    const read = callers.read(headOf(['Bearer a.b.c'], tenant));
    await expect(read).rejects.toMatchObject({ code: 'TENANT_REQUIRED' });
  });

  test('may have 128 characters, of every allowed kind', async () => {
    const tenant = 'aZ09._:-'.repeat(16);
    expect(await setUp().callers.read(headers(undefined, tenant))).toMatchObject({ tenant });
  });
});

describe('the check of the tenant claim (JWT_TENANT_CLAIM)', () => {
  test('accepts a token whose claim is the tenant of the request', async () => {
    const { callers } = setUp({ tenantClaim: 'tenant' });
    expect(await callers.read(headers())).toMatchObject({ tenant: 'aurora' });
  });

  test.each([
    ['that names another tenant', { tenant: 'litoral' }],
    ['without the claim', { tenant: undefined }],
    ['with a claim that is not a string', { tenant: ['aurora'] }],
  ])('rejects a token %s', async (_name, claims) => {
    const { callers } = setUp({ tenantClaim: 'tenant', claims });
    await expect(callers.read(headers())).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(callers.read(headers())).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});

test.each([
  ['if signatures are verified, counts once for all of its signatures', 'https://keys.example', 1],
  ['if signatures are not verified, counts once for all spellings of a signature', null, 2],
])('a token, %s', async (_title, jwtJwksUrl, expected) => {
  const counted: string[] = [];
  const rateLimit = (tokenKey: string) => {
    counted.push(tokenKey);
    return null;
  };
  const { callers } = setUp({ jwtJwksUrl, rateLimit });
  // The last two decode to the same bytes.
  for (const token of ['a.b.AAAA', 'a.b.AAAA', 'a.b.AQ', 'a.b.AR']) {
    await callers.read(headers(`Bearer ${token}`));
  }
  expect(counted).toHaveLength(4);
  expect(new Set(counted).size).toBe(expected);
});

describe('the kind of holder', () => {
  test.each(['PERSON', 'COMPANY'])('is %s if the claim has that value', async (kind) => {
    const { callers } = setUp({ claims: { 'urn:kind': kind }, kindClaim: 'urn:kind' });
    expect(await callers.read(headers())).toMatchObject({ kind });
    expect(await callers.read(headers())).toMatchObject({ kind });
  });

  test.each([undefined, null, 'person', 'Company', ' PERSON', 7, ['PERSON'], 'x'.repeat(129)])(
    'is unknown if the claim is %j',
    async (kind) => {
      const { callers } = setUp({ claims: { kind } });
      expect(await callers.read(headers())).toMatchObject({ kind: null });
      expect(await callers.read(headers())).toMatchObject({ kind: null });
    },
  );

  test('is not taken from Object.prototype', async () => {
    const { callers } = setUp({ kindClaim: 'constructor' });
    expect(await callers.read(headers())).toMatchObject({ kind: null });
  });
});

describe('a token', () => {
  test('is read only once for each tenant', async () => {
    const { callers, readToken } = setUp();
    await callers.read(headers());
    await callers.read(headers());
    expect(readToken).toHaveBeenCalledTimes(1);
    await callers.read(headers(undefined, 'another'));
    expect(readToken).toHaveBeenCalledTimes(2);
  });

  test('is read again once its exp has passed', async () => {
    const { callers, readToken, clock } = setUp();
    await callers.read(headers());
    clock.nowMs = startMs + 30_000;
    await callers.read(headers());
    expect(readToken).toHaveBeenCalledTimes(2);
  });

  test('is read again after a minute if it has no exp', async () => {
    const { callers, readToken, clock } = setUp({ claims: { exp: undefined } });
    await callers.read(headers());
    clock.nowMs = startMs + 59_999;
    await callers.read(headers());
    expect(readToken).toHaveBeenCalledTimes(1);
    clock.nowMs = startMs + 60_000;
    await callers.read(headers());
    expect(readToken).toHaveBeenCalledTimes(2);
  });

  test('is read again if it was rejected', async () => {
    const { callers, readToken } = setUp();
    readToken.mockRejectedValueOnce(new Error('refused'));
    await expect(callers.read(headers())).rejects.toThrow('refused');
    expect(await callers.read(headers())).toMatchObject({ tenant: 'aurora' });
  });
});

test('the token cache keeps the 20,000 most recently used tokens', async () => {
  const { callers, readToken } = setUp();
  for (let i = 0; i <= 20_000; i++) await callers.read(headers(`Bearer a.b.${i}`));
  readToken.mockClear();
  await callers.read(headers('Bearer a.b.1'));
  expect(readToken).not.toHaveBeenCalled();
  await callers.read(headers('Bearer a.b.0'));
  expect(readToken).toHaveBeenCalledOnce();
});

test('the token cache does not retain large parsed payloads', async () => {
  const readToken = (token: string) => decodeToken(token, startMs);
  const callers = createCallers({
    readToken,
    jwtJwksUrl: null,
    jwtTenantClaim: null,
    jwtEntityTypeClaim: 'kind',
    rateLimit: null,
    now: () => startMs,
  });
  const filler = Array.from({ length: 4000 }, () => ({}));
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const before = retainedBytes();
  for (let i = 0; i < 500; i++) {
    const token = `${encode({ alg: 'RS256' })}.${encode({ i, filler })}.AAAA`;
    await callers.read(headers(`Bearer ${token}`));
  }
  // If the parsed tokens were kept, they would take 100 MB.
  expect(retainedBytes() - before).toBeLessThan(10_000_000);
  await expect(callers.read(headers())).rejects.toThrow();
});

describe('the trace headers sent upstream', () => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

  test.each([
    [{}, {}],
    [{ traceparent }, { traceparent }],
    [
      { traceparent, tracestate: 'a=1,b=2' },
      { traceparent, tracestate: 'a=1,b=2' },
    ],
    [{ tracestate: 'a=1' }, {}],
    [{ traceparent: `${traceparent}, ${traceparent}` }, {}],
    [{ traceparent: 'nonsense', tracestate: 'a=1' }, {}],
    [{ cookie: 'a=1', 'x-forwarded-for': '::1' }, {}],
  ])('for a request with the headers %j are %j', async (trace, expected) => {
    const caller = await setUp().callers.read(headers());
    expect(forwarded(caller, 'id-1', trace)).toEqual({
      authorization: 'Bearer a.b.c',
      tenant: 'aurora',
      requestId: 'id-1',
      ...expected,
    });
  });

  const members = (count: number) => Array.from({ length: count }, (_, nth) => `k${nth}=v`).join();

  test.each([
    ['one member', 'a=1', true],
    ['keys of all kinds', '0tenant/a*-_@sys=1,a@b@c=1', true],
    ['space around members, and empty members', ' a=1\t,, b=2 ,', true],
    ['values with spaces and other printable characters', 'a= x y~!', true],
    ['the longest key and value', `${'k'.repeat(256)}=${'v'.repeat(256)}`, true],
    ['32 members', members(32), true],
    ['33 members', members(33), false],
    ['a key that is too long', `${'k'.repeat(257)}=v`, false],
    ['a value that is too long', `k=${'v'.repeat(257)}`, false],
    ['a key twice', 'a=1,a=2', false],
    ['a member without a value', 'a=', false],
    ['a member without a key', '=1', false],
    ['a member without an equals sign', 'a=1,garbage', false],
    ['two equals signs', 'a=b=c', false],
    ['an upper-case key', 'A=1', false],
    ['a key that begins with an at sign', '@a=1', false],
    ['a character that is not ASCII', 'a=\u00e9', false],
    ['a no-break space at its end', 'a=1\u00a0', false],
    ['no member', ' , ', false],
    ['no characters', '', false],
  ])('include a tracestate with %s only if it is valid', async (_what, tracestate, isValid) => {
    const caller = await setUp().callers.read(headers());
    const sent = forwarded(caller, 'id-1', { traceparent, tracestate });
    expect(sent.tracestate).toBe(isValid ? tracestate : undefined);
    expect(sent.traceparent).toBe(traceparent);
  });
});

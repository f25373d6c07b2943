// The bank's tokens: their claims, the published key, and how the bank reads a token.
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose';
import { expect, it } from 'vitest';
import { readClaims } from '../../../src/sandbox/tokens.ts';
import { firstHolder, startSharedBank } from './ask-bank.ts';

const bank = await startSharedBank();

it('tokens are signed with a published key, last 365 days, and name the holder, its kind and its tenant', async () => {
  const keys = createRemoteJWKSet(new URL(bank.keySetUrl));
  const { issuer, audience } = bank;
  const token = await bank.tokenFor(firstHolder(bank).id);
  const { payload, protectedHeader } = await jwtVerify(token, keys, { issuer, audience });
  expect(protectedHeader).toMatchObject({ alg: 'ES256', typ: 'JWT' });
  const { id, kind, tenant } = firstHolder(bank);
  expect(payload).toMatchObject({ sub: id, entityType: kind, tenant });
  expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(365 * 86_400);
  expect(payload.nbf).toBe(payload.iat);
});

it('tokens are for the given tenant, or by default for the first tenant of the holder', async () => {
  const entries = bank.holders.filter(({ id }) => id === firstHolder(bank).id);
  const { id } = firstHolder(bank);
  const tenants = entries.map(({ tenant }) => bank.tokenFor({ id, tenant }));
  const claims = (await Promise.all(tenants)).map(decodeJwt);
  expect(claims.map(({ tenant }) => tenant)).toEqual(entries.map(({ tenant }) => tenant));
  expect(decodeJwt(await bank.tokenFor(id))).toEqual(claims[0]);
});

it('tokens have the given claims, but no claim that is given as undefined', async () => {
  const overrides = { entityType: undefined, exp: 1, extra: { a: [1] } };
  const claims = decodeJwt(await bank.tokenFor(firstHolder(bank).id, overrides));
  expect(claims).toMatchObject({ exp: 1, extra: { a: [1] } });
  expect(claims).not.toHaveProperty('entityType');
});

it('tokens can be for a subject that is not in the bank', async () => {
  const claims = decodeJwt(await bank.tokenFor('nobody'));
  expect(claims.sub).toBe('nobody');
  expect(claims).not.toHaveProperty('entityType');
});

it('the token for an id is reused until a holder with this id is added to the bank', async () => {
  const { id } = firstHolder(bank);
  expect(await bank.tokenFor(id)).toBe(await bank.tokenFor(id));
  const added = bank.addHolder({ id: 'nobody' });
  expect(decodeJwt(await bank.tokenFor(added.id))).toHaveProperty('entityType', 'PERSON');
});

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

it.each<[string, string | undefined, unknown]>([
  ['a missing header', undefined, null],
  ['another scheme', `Basic e30.${encoded({ sub: 'a' })}.x`, null],
  ['a token of two parts', `Bearer e30.${encoded({ sub: 'a' })}`, null],
  ['a payload that is not JSON', 'Bearer e30.e30x.x', null],
  ['a payload that is not an object', `Bearer e30.${encoded(null)}.x`, null],
  ['a token with any signature', `Bearer e30.${encoded({ sub: 'a' })}.x`, { sub: 'a' }],
  ['a token without a signature', `bearer e30.${encoded({ sub: 'a' })}.`, { sub: 'a' }],
  ['an exp in the future', `Bearer e30.${encoded({ exp: 11 })}.x`, { exp: 11 }],
  ['an exp in the past', `Bearer e30.${encoded({ exp: 10 })}.x`, null],
])('readClaims returns $2 for %s', (_name, header, claims) => {
  expect(readClaims(header, 10_000)).toEqual(claims);
});

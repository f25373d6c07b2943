// Which keys of a JWK set are used, and that neither their number nor their size makes tokens expensive.
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createTokenVerifier } from '../../../src/identity/token.ts';
import { VerificationKeys } from '../../../src/identity/verification-keys.ts';
import { createSigner, signToken } from '../../support/tokens.ts';

const algorithms = ['RS256', 'ES256', 'EdDSA', 'PS256'];
const [rsa, ec, ed] = [createSigner('RS256'), createSigner('ES256'), createSigner('EdDSA')];
/** Without `alg` and `use`, which are optional. */
const rsaKey = { kty: 'RSA', kid: rsa.kid, n: rsa.jwk.n, e: rsa.jwk.e };
const { d } = rsa.privateKey.export({ format: 'jwk' });
const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({
  format: 'jwk',
});

function parse(...keys: readonly object[]): VerificationKeys {
  return new VerificationKeys(JSON.stringify({ keys }), algorithms);
}

describe('a key', () => {
  test('is found by algorithm and key id, and by its algorithm alone', () => {
    const keys = parse(rsa.jwk, ec.jwk, ed.jwk);
    for (const { alg, kid } of [rsa, ec, ed]) {
      expect(keys.find(alg, kid)).toHaveLength(1);
      expect(keys.find(alg, undefined)).toHaveLength(1);
    }
    expect(keys.find('RS256', 'ES256')).toEqual([]);
    expect(keys.find('RS256', null)).toEqual([]);
    expect(keys.find('RS512', 'RS256')).toEqual([]);
    expect(keys.unusable).toBe(0);
  });

  test('without an algorithm is used for all allowed algorithms of its type', () => {
    const keys = parse(rsaKey);
    expect(keys.find('RS256', rsa.kid)).toHaveLength(1);
    expect(keys.find('PS256', rsa.kid)).toHaveLength(1);
    expect(keys.find('ES256', rsa.kid)).toEqual([]);
  });

  test.each([
    ['for encryption', { ...rsaKey, use: 'enc' }],
    ['for other operations', { ...rsaKey, key_ops: ['sign'] }],
    ['whose operations are no list', { ...rsaKey, key_ops: 'verify' }],
    ['with another algorithm', { ...rsaKey, alg: 'RS512' }],
    ['of a secret', { kty: 'oct', k: 'c2VjcmV0', alg: 'HS256' }],
    ['of another curve', { ...ec.jwk, crv: 'secp256k1' }],
    ['of an unknown type', { kty: 'AKP', alg: 'ML-DSA-44', pub: 'x' }],
    ['without a type', {}],
    ['named like a member of objects', { ...ec.jwk, crv: 'constructor' }],
  ])('%s is ignored', (_name, jwk) => {
    const keys = parse(jwk);
    for (const alg of [...algorithms, 'RS512', 'HS256'])
      expect(keys.find(alg, undefined)).toEqual([]);
    expect(keys.unusable).toBe(0);
  });

  test.each([
    ['shorter than 2,048 bits', short],
    ['longer than 8,192 bits', { ...rsaKey, n: 'x'.repeat(1369) }],
    ['with a large exponent', { ...rsaKey, e: 'x'.repeat(12) }],
    ['without a member', { kty: 'RSA', n: rsaKey.n }],
    ['with a list in place of a text', { ...rsaKey, n: [rsaKey.n] }],
    ['that is not a point of its curve', { ...ec.jwk, y: ec.jwk.x }],
    ['that is private', { ...rsaKey, d }],
  ])('%s cannot be used', (_name, jwk) => {
    const keys = parse(jwk);
    expect(keys.find('RS256', undefined)).toEqual([]);
    expect(keys.find('ES256', undefined)).toEqual([]);
    expect(keys.unusable).toBe(1);
  });
});

test('at most 100 keys of a set are used', () => {
  const keys = parse(...Array.from({ length: 102 }, (_, n) => ({ ...ec.jwk, kid: `key ${n}` })));
  expect(keys.find('ES256', undefined)).toHaveLength(100);
  expect(keys.unusable).toBe(2);
});

const manyOperations = Array.from({ length: 25_000 }, (_, n) => `o${n}`);

test.each([
  [
    'thousands of keys that cannot be used',
    Array.from({ length: 8000 }, () => ({ kty: 'RSA', kid: 'EC' })),
  ],
  [
    'thousands of keys for encryption',
    Array.from({ length: 5000 }, () => ({ kty: 'EC', crv: 'P-256', use: 'enc' })),
  ],
  ['a key with a long list of operations', [{ ...ec.jwk, key_ops: [...manyOperations, 'verify'] }]],
  ['a key with a long list of certificates', [{ ...ec.jwk, x5c: manyOperations }]],
  ['a hundred keys', Array.from({ length: 100 }, () => ec.jwk)],
])('a set with %s does not make tokens expensive', async (_name, others) => {
  const text = JSON.stringify({ keys: [...others, ed.jwk] });
  expect(text.length).toBeLessThan(262_144);
  const known = new VerificationKeys(text, algorithms);
  const read = createTokenVerifier({
    keys: { current: () => known, latest: () => Promise.resolve(known) },
    ...{ jwtIssuer: null, jwtAudience: null, jwtAlgorithms: algorithms, now: () => 0 },
  });
  const forged = (kid: string) => `${signToken({ ...ec, kid }, { exp: 1 }).slice(0, -4)}AAAA`;
  const tokens = ['unknown', 'EC', 'ES256'].flatMap((kid) =>
    Array.from({ length: 20 }, () => forged(kid)),
  );
  const before = process.cpuUsage();
  for (const token of tokens)
    await expect(read(token)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  const { user, system } = process.cpuUsage(before);
  // Ten keys are tried for a token, each of which takes up to 0.25 ms.
  expect((user + system) / 1000 / tokens.length).toBeLessThan(10);
});

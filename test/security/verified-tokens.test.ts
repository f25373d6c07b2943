// Verification by the gateway: forged, altered, expired and foreign tokens are rejected (RFC 8725, RFC 7515 section
// 10).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { boundMemory, expectRefusal } from '../support/attack.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { type KeyServer, startKeyServer } from '../support/key-server.ts';
import { type Answer, codesOf, firstHolder, post } from '../support/query.ts';
import {
  algorithms,
  createSigner,
  hmacToken,
  type Signer,
  signTexts,
  signToken,
  unsignedToken,
} from '../support/tokens.ts';

boundMemory();

const issuer = 'https://issuer.example';
const audience = 'account-bff';
const reader = JSON.stringify({ query: '{ accounts { id } }' });
const refused = { status: 401, code: 'UNAUTHENTICATED' };

const signers = Object.fromEntries(algorithms.map((alg) => [alg, createSigner(alg)])) as Record<
  (typeof algorithms)[number],
  Signer
>;
const { RS256: rsa, ES256: ec, EdDSA: ed } = signers;
/** Keys of another issuer, with the same key ids. */
const foreign = Object.fromEntries(
  algorithms.map((alg) => [alg, createSigner(alg)]),
) as typeof signers;

/**
 * The gateway's clock is an hour ahead. The bank allows no clock skew, but by the bank's clock, no accepted token has
 * expired.
 */
const aheadMs = 3_600_000;
const nowSeconds = Math.floor((Date.now() + aheadMs) / 1000);

let keyServer: KeyServer;
let gateway: TestGateway;
beforeAll(async () => {
  keyServer = await startKeyServer(...Object.values(signers));
  gateway = await startTestGateway(
    { JWT_JWKS_URL: keyServer.url, JWT_ISSUER: issuer, JWT_AUDIENCE: audience },
    { now: () => Date.now() + aheadMs },
  );
});
afterAll(async () => {
  await gateway.close();
  await keyServer[Symbol.asyncDispose]();
});

type Claims = Readonly<Record<string, unknown>>;

/** The claims of a valid token, with changes; undefined omits a claim. */
function claims(other: Claims = {}): Claims {
  const { id, tenant, kind } = firstHolder(gateway.bank);
  const standard = { iss: issuer, aud: audience, exp: nowSeconds + 600 };
  return { ...standard, sub: id, tenant, entityType: kind, ...other };
}

/** Sends any string as a bearer token. */
function askWith(token: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, 'x-tenant-id': 'aurora' };
  return post(gateway, reader, { headers });
}

function goodHeaders() {
  return { authorization: `Bearer ${signToken(ec, claims())}` };
}

async function expectLetIn(token: string): Promise<void> {
  const answer = await askWith(token);
  expect([answer.status, codesOf(answer)]).toEqual([200, []]);
}

async function expectKeptOut(token: string): Promise<void> {
  const answer = await expectRefusal(gateway, refused, () => askWith(token), goodHeaders());
  // Without characters after the scheme, no token was sent.
  const challenge = /\S/.test(token) ? 'Bearer error="invalid_token"' : 'Bearer';
  expect(answer.headers.get('www-authenticate')).toBe(challenge);
  for (const part of token.split('.').filter((one) => one.length > 8)) {
    expect(answer.text).not.toContain(part);
  }
}

/** Replaces one part of a token; `index` is 0 for the header, 1 for the payload and 2 for the signature. */
function withPart(token: string, index: number, part: string): string {
  return token.split('.').with(index, part).join('.');
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}

describe.each(algorithms)('with a key for %s', (alg) => {
  const signer = signers[alg];

  test.each<[string, Claims]>([
    ['with valid claims', {}],
    ['for several audiences, including this one', { aud: ['other', audience] }],
    ['that expired 15 seconds ago', { exp: nowSeconds - 15 }],
    ['that becomes valid in 15 seconds', { nbf: nowSeconds + 15 }],
    ['with unknown claims', { ['__proto__']: 'x', roles: ['admin'], tenant: 7 }],
  ])('a token %s is accepted', async (_name, other) => {
    await expectLetIn(signToken(signer, claims(other)));
  });

  test.each<[string, Claims]>([
    ['of another issuer', { iss: `${issuer}.evil.example` }],
    ['of an issuer with an extra slash', { iss: `${issuer}/` }],
    ['of no issuer', { iss: undefined }],
    ['of a list of issuers', { iss: [issuer] }],
    ['for another audience', { aud: 'somebody' }],
    ['for no audience', { aud: undefined }],
    ['for an empty list of audiences', { aud: [] }],
    ['for an audience within an object', { aud: { [audience]: true } }],
    ['for an audience in another case', { aud: audience.toUpperCase() }],
    ['that never expires', { exp: undefined }],
    ['that expired long ago', { exp: 1 }],
    ['that expired a minute ago', { exp: nowSeconds - 60 }],
    ['whose exp is a string', { exp: String(nowSeconds + 600) }],
    ['whose exp is null', { exp: null }],
    ['that becomes valid in a minute', { nbf: nowSeconds + 60 }],
    ['whose nbf is a string', { nbf: '0' }],
    ['whose iat is a string', { iat: 'now' }],
  ])('a token %s is rejected', async (_name, other) => {
    await expectKeptOut(signToken(signer, claims(other)));
  });

  test.each<[string, (token: string) => string]>([
    [
      'another payload',
      (token) => withPart(token, 1, encode(JSON.stringify(claims({ sub: 'x' })))),
    ],
    [
      'another header',
      (token) => withPart(token, 0, encode(JSON.stringify({ alg, kid: signer.kid, x: 1 }))),
    ],
    ['no signature', (token) => withPart(token, 2, '')],
    ['half of its signature', (token) => token.slice(0, -40)],
    ['an extra byte of signature', (token) => `${token}AA`],
    ['the signature of another token', (token) => withPart(token, 2, partOf(otherToken(), 2))],
    ['the same signature in another spelling', respelled],
    ['a signature of zeros', (token) => withPart(token, 2, encode('\0'.repeat(64)))],
    ['a signature by a foreign key', () => signToken(foreign[alg], claims())],
  ])('a token with %s is rejected', async (_name, change) => {
    await expectKeptOut(change(signToken(signer, claims())));
  });

  /** Changes the last character of a signature so that the signature still decodes to the same bytes. */
  function respelled(token: string): string {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet.indexOf(token.slice(-1));
    return token.slice(0, -1) + (alphabet[last ^ 1] ?? '');
  }

  function otherToken(): string {
    return signToken(signer, claims({ jti: 'other' }));
  }

  function partOf(token: string, index: number): string {
    return token.split('.')[index] ?? '';
  }
});

describe('the algorithm of a token', () => {
  test.each(['none', 'None', 'NONE', 'nOnE', ' none', 'none ', 'none\0', 'n\u043ene', ''])(
    'is rejected if it is empty or a spelling of "none": %j',
    async (alg) => {
      const token = unsignedToken(claims(), { alg, kid: rsa.kid });
      await expectKeptOut(token);
      await expectKeptOut(`${token}${encode('signature')}`);
    },
  );

  test.each([[undefined], [null], [0], [['RS256']], [{ alg: 'RS256' }]])(
    'is rejected because it is not a string: %j',
    async (alg) => {
      await expectKeptOut(unsignedToken(claims(), { alg, kid: rsa.kid }, 'signature'));
    },
  );
});

describe('a token that is not signed as its key requires', () => {
  const pem = () => rsa.publicKey.export({ type: 'spki', format: 'pem' });

  test.each<[string, () => string]>([
    ['the PEM text of the public key', () => hmacToken(pem(), claims(), { kid: rsa.kid })],
    [
      'the trimmed PEM text of the public key',
      () => hmacToken(String(pem()).trim(), claims(), { kid: rsa.kid }),
    ],
    [
      'the DER bytes of the public key',
      () =>
        hmacToken(rsa.publicKey.export({ type: 'spki', format: 'der' }), claims(), {
          kid: rsa.kid,
        }),
    ],
    ['the public JWK', () => hmacToken(JSON.stringify(rsa.jwk), claims(), { kid: rsa.kid })],
    [
      'the modulus of the public key',
      () => hmacToken(String(rsa.jwk.n), claims(), { kid: rsa.kid }),
    ],
    ['the PEM text (HS384)', () => hmacToken(pem(), claims(), { alg: 'HS384', kid: rsa.kid })],
    ['the PEM text (HS512)', () => hmacToken(pem(), claims(), { alg: 'HS512', kid: rsa.kid })],
    ['an empty string', () => hmacToken('', claims(), { kid: rsa.kid })],
  ])('is rejected: HMAC with %s as the secret', async (_name, token) => {
    await expectKeptOut(token());
  });

  test.each<[string, () => string]>([
    ['RS256 with a key for PS256', () => signToken({ ...rsa, kid: 'PS256' }, claims())],
    ['PS256 with a key for RS256', () => signToken({ ...rsa, alg: 'PS256' }, claims())],
    ['ES256 declared as RS256', () => signToken(ec, claims(), { alg: 'RS256' })],
    ['RS256 declared as ES256', () => signToken(rsa, claims(), { alg: 'ES256' })],
    ['EdDSA declared as ES256', () => signToken(ed, claims(), { alg: 'ES256', kid: ec.kid })],
    ['ES384, which is not allowed', () => signToken(ec, claims(), { alg: 'ES384' })],
    ['RS512, which is not allowed', () => signToken(rsa, claims(), { alg: 'RS512' })],
    ['RS256 in lower case', () => signToken(rsa, claims(), { alg: 'rs256' })],
    ['RS1', () => signToken(rsa, claims(), { alg: 'RS1' })],
    ['an encrypted token', () => signToken(rsa, claims(), { alg: 'RSA-OAEP', enc: 'A256GCM' })],
  ])('is rejected: %s', async (_name, token) => {
    await expectKeptOut(token());
  });
});

describe('a key that the header of a token names', () => {
  let evil: KeyServer;
  beforeAll(async () => {
    evil = await startKeyServer(...Object.values(foreign));
  });
  afterAll(() => evil[Symbol.asyncDispose]());

  test.each<[string, () => Claims]>([
    ['jku', () => ({ jku: evil.url })],
    ['jku and no kid', () => ({ jku: evil.url, kid: undefined })],
    ['x5u', () => ({ x5u: evil.url })],
    ['jwk', () => ({ jwk: foreign.RS256.jwk })],
    ['jwk and no kid', () => ({ jwk: foreign.RS256.jwk, kid: undefined })],
    ['x5c', () => ({ x5c: ['MIIB'] })],
    ['x5t', () => ({ x5t: 'AAAA' })],
    ['a kid that is an address', () => ({ kid: evil.url })],
    ['a kid that is a path', () => ({ kid: '../../../../dev/null' })],
    ['a kid that is SQL', () => ({ kid: "x' UNION SELECT 'secret" })],
    ['a kid that is a command', () => ({ kid: '|/usr/bin/id' })],
    ['a kid of 8 KB', () => ({ kid: 'k'.repeat(8192) })],
    ['a kid that is not a string', () => ({ kid: 0 })],
    ['a kid that is null', () => ({ kid: null })],
    ['a kid that is a list', () => ({ kid: [rsa.kid] })],
    ['a kid named __proto__', () => ({ kid: '__proto__' })],
    ['an empty kid', () => ({ kid: '' })],
  ])('is not used if the key set does not have it: %s', async (_name, header) => {
    await expectKeptOut(signToken(foreign.RS256, claims(), header()));
    expect(evil.reads).toHaveLength(0);
  });
});

describe('a token', () => {
  const head = { alg: 'ES256', kid: 'ES256' };

  test.each<[string, () => string]>([
    ['an unknown crit', () => signToken(ec, claims(), { crit: ['exp2'], exp2: 1 })],
    ['an empty crit', () => signToken(ec, claims(), { crit: [] })],
    ['crit with a missing header', () => signToken(ec, claims(), { crit: ['x'] })],
    ['a payload that is not encoded', () => signToken(ec, claims(), { b64: false, crit: ['b64'] })],
    ['b64 alone', () => signToken(ec, claims(), { b64: false })],
    ['a header that is a list', () => signTexts(ec, '["ES256"]', JSON.stringify(claims()))],
    ['a header that is not JSON', () => signTexts(ec, '{alg:ES256}', JSON.stringify(claims()))],
    [
      'a header that is not UTF-8',
      () =>
        signTexts(
          ec,
          Buffer.from('{"alg":"ES256","kid":"ES256","x":"\xff"}', 'latin1'),
          JSON.stringify(claims()),
        ),
    ],
    ['a payload that is a list', () => signTexts(ec, JSON.stringify(head), '[]')],
    ['a payload that is not JSON', () => signTexts(ec, JSON.stringify(head), '{')],
    [
      'a payload that is not UTF-8',
      () =>
        signTexts(
          ec,
          JSON.stringify(head),
          Buffer.from(JSON.stringify(claims({ x: '\xff' })), 'latin1'),
        ),
    ],
    [
      'a payload after a BOM',
      () => signTexts(ec, JSON.stringify(head), `\ufeff${JSON.stringify(claims())}`),
    ],
    [
      'an infinite exp',
      () =>
        signTexts(
          ec,
          JSON.stringify(head),
          JSON.stringify(claims()).replace(/"exp":\d+/, '"exp":1e999'),
        ),
    ],
    ['five parts, as an encrypted token has', () => `${signToken(ec, claims())}.AAAA.AAAA`],
    ['four parts', () => `${signToken(ec, claims())}.AAAA`],
    ['two parts', () => signToken(ec, claims()).split('.').slice(0, 2).join('.')],
    ['padding', () => `${signToken(ec, claims())}==`],
    ['the alphabet of base64', () => signToken(ec, claims()).replace(/.$/, '+')],
    [
      'JSON',
      () => {
        const [header, payload, signature] = signToken(ec, claims()).split('.');
        return JSON.stringify({ protected: header, payload, signature });
      },
    ],
  ])('is rejected because it is malformed or unsupported: %s', async (_name, token) => {
    await expectKeptOut(token());
  });

  test('is judged by the last of two members with the same name, as RFC 7515 section 4 allows', async () => {
    const payload = JSON.stringify(claims());
    await expectKeptOut(signTexts(ec, '{"alg":"ES256","kid":"ES256","alg":"none"}', payload));
    await expectKeptOut(signTexts(ec, '{"kid":"ES256","alg":"ES256","kid":"RS256"}', payload));
    await expectKeptOut(signTexts(ec, JSON.stringify(head), payload.replace('}', ',"exp":1}')));
    await expectKeptOut(signTexts(ec, JSON.stringify(head), payload.replace('}', ',"aud":"x"}')));
    await expectLetIn(signTexts(ec, '{"alg":"none","kid":"ES256","alg":"ES256"}', payload));
  });
});

test('a key whose algorithm is not in JWT_ALGORITHMS is not used', async () => {
  const env = { JWT_JWKS_URL: keyServer.url, JWT_ALGORITHMS: 'ES256' };
  await using strict = await startTestGateway(env, { bank: gateway.bank });
  const ask = (signer: Signer) => {
    const token = signToken(signer, claims());
    const headers = { authorization: `Bearer ${token}`, 'x-tenant-id': 'aurora' };
    return post(strict, reader, { headers });
  };
  expect((await ask(ec)).status).toBe(200);
  const good = { authorization: `Bearer ${signToken(ec, claims())}` };
  for (const signer of [rsa, ed, signers.PS256]) {
    await expectRefusal(strict, refused, () => ask(signer), good);
  }
});

test('a token without a kid is verified with each suitable key', async () => {
  const [old, fresh] = [createSigner('ES256', 'old'), createSigner('ES256', 'fresh')];
  await using keys = await startKeyServer(old, fresh);
  await using other = await startTestGateway({ JWT_JWKS_URL: keys.url }, { bank: gateway.bank });
  const ask = (signer: Signer) => {
    const token = signToken(signer, claims(), { kid: undefined });
    const headers = { authorization: `Bearer ${token}`, 'x-tenant-id': 'aurora' };
    return post(other, reader, { headers });
  };
  expect((await ask(old)).status).toBe(200);
  expect((await ask(fresh)).status).toBe(200);
  expect((await ask(foreign.ES256)).status).toBe(401);
});

// Tokens that are verified with the keys of a local key server.
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import {
  CompactSign,
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  SignJWT,
} from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ByteBudget } from '../../../src/byte-budget.ts';
import { Listener } from '../../../src/http/listener.ts';
import type { TokenReader } from '../../../src/identity/token.ts';
import { createKeySet } from '../../../src/identity/key-set.ts';
import { createTokenVerifier } from '../../../src/identity/token.ts';

const nowSeconds = 1_800_000_000;

/** A key server. The test sets its keys and the status of its answers. */
interface KeyServer {
  readonly url: string;
  readonly server: Server;
  keys: JWK[];
  status: number;
  reads: number;
}

let keyServer: KeyServer;

beforeEach(async () => {
  const server = createServer();
  const listener = new Listener(server, new ByteBudget(0), (_request, response) => {
    keyServer.reads++;
    response.writeHead(keyServer.status).end(JSON.stringify({ keys: keyServer.keys }));
  });
  const url = await listener.listen(0, '127.0.0.1');
  keyServer = { url, server, keys: [], status: 200, reads: 0 };
});
afterEach(() => stop(keyServer.server));

function stop(server: Server): void {
  server.close();
  server.closeAllConnections();
}

interface Signer {
  readonly alg: string;
  readonly kid: string;
  readonly privateKey: CryptoKey;
}

async function publishKey(alg: string, kid: string = alg): Promise<Signer> {
  const { privateKey, publicKey } = await generateKeyPair(alg);
  keyServer.keys.push({ ...(await exportJWK(publicKey)), kid, alg });
  return { alg, kid, privateKey };
}

function sign({ alg, kid, privateKey }: Signer, claims: JWTPayload = {}): Promise<string> {
  const payload = { iss: 'issuer', aud: 'gateway', exp: nowSeconds + 60, ...claims };
  return new SignJWT(payload).setProtectedHeader({ alg, kid }).sign(privateKey);
}

/** The monotonic clock and the time of day, which a test advances. */
let steadyMs = 0;
let nowMs = 0;
beforeEach(() => void (nowMs = nowSeconds * 1000));

function verifier(): TokenReader {
  const { url } = keyServer;
  return createTokenVerifier({
    keys: createKeySet({
      usesProxy: false,
      url,
      now: () => steadyMs,
      algorithms,
      onFailure: () => undefined,
      onUnusable: (count) => void unusable.push(count),
    }),
    jwtIssuer: 'issuer',
    jwtAudience: 'gateway',
    jwtAlgorithms: algorithms,
    now: () => nowMs,
  });
}

const algorithms = ['RS256', 'ES256', 'EdDSA', 'PS256'];

/** The numbers of unusable keys that were reported. */
const unusable: number[] = [];
beforeEach(() => void (unusable.length = 0));

async function codeOf(token: string, read: TokenReader = verifier()): Promise<unknown> {
  try {
    await read(token);
    return 'fine';
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}

describe('the token verifier', () => {
  test.each(['RS256', 'PS256', 'ES256', 'EdDSA'])(
    'accepts a valid token with the algorithm %s',
    async (alg) => {
      const token = await sign(await publishKey(alg), { sub: 'ana' });
      expect(await verifier()(token)).toMatchObject({ sub: 'ana', exp: nowSeconds + 60 });
    },
  );

  test('accepts a token whose nbf has a fraction as soon as the skew allows it', async () => {
    const token = await sign(await publishKey('ES256'), { nbf: nowSeconds + 30.5 });
    nowMs += 499;
    expect(await codeOf(token)).toBe('UNAUTHENTICATED');
    nowMs += 1;
    expect(await codeOf(token)).toBe('fine');
  });

  test.each([
    ['rejects a token of another issuer', { iss: 'somebody' }, 'UNAUTHENTICATED'],
    ['rejects a token for another audience', { aud: 'somebody' }, 'UNAUTHENTICATED'],
    [
      'accepts a token for several audiences, one of which is JWT_AUDIENCE',
      { aud: ['somebody', 'gateway'] },
      'fine',
    ],
    ['accepts a token that expired less than 30 seconds ago', { exp: nowSeconds - 29 }, 'fine'],
    [
      'rejects a token that expired more than 30 seconds ago',
      { exp: nowSeconds - 31 },
      'UNAUTHENTICATED',
    ],
    [
      'rejects a token that becomes valid in more than 30 seconds',
      { nbf: nowSeconds + 31 },
      'UNAUTHENTICATED',
    ],
  ])('%s', async (_title, claims, expected) => {
    expect(await codeOf(await sign(await publishKey('ES256'), claims))).toBe(expected);
  });

  test('rejects a token without exp', async () => {
    const { privateKey, kid } = await publishKey('ES256');
    const jwt = new SignJWT({ iss: 'issuer', aud: 'gateway' });
    const token = await jwt.setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey);
    expect(await codeOf(token)).toBe('UNAUTHENTICATED');
  });
});

describe('a token', () => {
  test('is rejected if it is signed with another key', async () => {
    await publishKey('ES256');
    const { privateKey } = await generateKeyPair('ES256');
    expect(await codeOf(await sign({ alg: 'ES256', kid: 'ES256', privateKey }))).toBe(
      'UNAUTHENTICATED',
    );
  });

  test('is rejected if its signature belongs to another payload', async () => {
    const token = await sign(await publishKey('ES256'));
    const [header = '', , signature = ''] = token.split('.');
    const payload = Buffer.from(JSON.stringify({ sub: 'eve' })).toString('base64url');
    expect(await codeOf(`${header}.${payload}.${signature}`)).toBe('UNAUTHENTICATED');
  });

  test('is rejected if it is signed by HMAC with the public key', async () => {
    const { kid } = await publishKey('RS256');
    const secret = Buffer.from(JSON.stringify(keyServer.keys[0]));
    const payload = { iss: 'issuer', aud: 'gateway', exp: nowSeconds + 60 };
    const token = await new SignJWT(payload).setProtectedHeader({ alg: 'HS256', kid }).sign(secret);
    expect(await codeOf(token)).toBe('UNAUTHENTICATED');
  });

  test('has the claims that its issuer wrote with escapes, even after a forged token with a similar name', async () => {
    const { alg, kid, privateKey } = await publishKey('ES256');
    const signed = (payload: string) =>
      new CompactSign(Buffer.from(payload)).setProtectedHeader({ alg, kid }).sign(privateKey);
    const start = `{"iss":"issuer","aud":"gateway","exp":${nowSeconds + 60}`;
    const [read, name] = [verifier(), 'https://x.example/tenant'];
    const escaped = name.replaceAll('/', '\\/');
    const similar = JSON.stringify(escaped.slice(0, name.length));
    const forged = await signed(`${start},${similar}:"a"}`);
    expect(await codeOf(`${forged.slice(0, -4)}AAAA`, read)).toBe('UNAUTHENTICATED');
    const claims = await read(await signed(`${start},"${escaped}":"a"}`));
    expect(claims[name]).toBe('a');
  });

  test('is rejected if its algorithm is not allowed', async () => {
    expect(await codeOf(await sign(await publishKey('RS512')))).toBe('UNAUTHENTICATED');
  });
});

describe('the key set', () => {
  test('is not read for a malformed or expired token', async () => {
    const signer = await publishKey('ES256');
    expect(await codeOf('not.a.jwt')).toBe('UNAUTHENTICATED');
    expect(await codeOf(await sign(signer, { exp: nowSeconds - 60 }))).toBe('UNAUTHENTICATED');
    expect(keyServer.reads).toBe(0);
  });

  test('causes UPSTREAM_UNAVAILABLE until it can be read', async () => {
    const [signer, read] = [await publishKey('ES256'), verifier()];
    const token = await sign(signer);
    keyServer.status = 500;
    expect(await codeOf(token, read)).toBe('UPSTREAM_UNAVAILABLE');
    keyServer.status = 200;
    steadyMs += 3000;
    expect(await codeOf(token, read)).toBe('fine');
  });

  test('causes UPSTREAM_UNAVAILABLE if its server is down at the first read', async () => {
    const token = await sign(await publishKey('ES256'));
    stop(keyServer.server);
    expect(await codeOf(token)).toBe('UPSTREAM_UNAVAILABLE');
  });

  test('is tried key by key for a token without a kid', async () => {
    const signers = [await publishKey('ES256', 'one'), await publishKey('ES256', 'two')];
    const read = verifier();
    for (const { alg, privateKey } of signers) {
      const payload = { iss: 'issuer', aud: 'gateway', exp: nowSeconds + 60 };
      const token = await new SignJWT(payload).setProtectedHeader({ alg }).sign(privateKey);
      expect(await codeOf(token, read)).toBe('fine');
    }
    const { privateKey } = await generateKeyPair('ES256');
    const token = await new SignJWT({}).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
    expect(await codeOf(token, read)).toBe('UNAUTHENTICATED');
  });

  test('may have several keys that fit a token; the token is then rejected for its claims as well', async () => {
    await publishKey('RS256', 'one');
    const { alg, privateKey } = await publishKey('RS256', 'two');
    const token = await new SignJWT({ iss: 'somebody', aud: 'gateway', exp: nowSeconds + 60 })
      .setProtectedHeader({ alg })
      .sign(privateKey);
    expect(await codeOf(token)).toBe('UNAUTHENTICATED');
  });

  test('is not searched further for a token without a kid if ten suitable keys do not verify the token', async () => {
    const signers: Signer[] = [];
    for (let n = 0; n < 11; n++) signers.push(await publishKey('ES256', `key ${n}`));
    const read = verifier();
    const codeFor = async (signer: Signer | undefined, header: object) => {
      if (signer === undefined) throw new Error('there is no such key');
      const { alg, privateKey } = signer;
      const payload = { iss: 'issuer', aud: 'gateway', exp: nowSeconds + 60 };
      const token = new SignJWT(payload).setProtectedHeader({ alg, ...header });
      return codeOf(await token.sign(privateKey), read);
    };
    expect(await codeFor(signers[9], {})).toBe('fine');
    expect(await codeFor(signers[10], {})).toBe('UNAUTHENTICATED');
    expect(await codeFor(signers[10], { kid: 'key 10' })).toBe('fine');
  });

  test('may have a key that cannot be used, which is reported once', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const short = { ...publicKey.export({ format: 'jwk' }), kid: 'short', alg: 'RS256' };
    keyServer.keys.push(short);
    const { alg, privateKey } = await publishKey('RS256', 'long');
    const read = verifier();
    const signed = (header: object, key = privateKey) =>
      new SignJWT({ iss: 'issuer', aud: 'gateway', exp: nowSeconds + 60 })
        .setProtectedHeader({ alg, ...header })
        .sign(key);
    expect(await codeOf(await signed({ kid: 'long' }), read)).toBe('fine');
    expect(await codeOf(await signed({}), read)).toBe('fine');
    const other = await generateKeyPair('RS256');
    expect(await codeOf(await signed({}, other.privateKey), read)).toBe('UNAUTHENTICATED');
    steadyMs += 3000;
    expect(await codeOf(await signed({ kid: 'short' }), read)).toBe('UNAUTHENTICATED');
    expect(keyServer.reads).toBe(2);
    expect(unusable).toEqual([1]);
  });
});

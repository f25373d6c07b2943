// Creates tokens with the keys of a test, including invalid tokens. It does not use the library with which the gateway
// verifies tokens.
import {
  constants,
  createHmac,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign as signBytes,
  type SignKeyObjectInput,
} from 'node:crypto';

/** The algorithms that a gateway accepts by default. */
export const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;

export type Algorithm = (typeof algorithms)[number];

/** A key pair with the kid and the algorithm under which it is published. */
export interface Signer {
  readonly alg: Algorithm;
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** The public key as a key set lists it. */
  readonly jwk: JsonWebKey & { readonly kid: string };
}

type Json = Readonly<Record<string, unknown>>;

/** Creates a key pair. Tests should share RSA pairs, because they are slow to create. */
export function createSigner(alg: Algorithm, kid: string = alg): Signer {
  const { privateKey, publicKey } = createKeys(alg);
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' };
  return { alg, kid, privateKey, publicKey, jwk };
}

function createKeys(alg: Algorithm): { privateKey: KeyObject; publicKey: KeyObject } {
  if (alg === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' });
  if (alg === 'EdDSA') return generateKeyPairSync('ed25519');
  return generateKeyPairSync('rsa', { modulusLength: 2048 });
}

/** A token; `header` adds to or replaces alg and kid. */
export function signToken(signer: Signer, claims: Json, header: Json = {}): string {
  const { alg, kid } = signer;
  return signTexts(signer, JSON.stringify({ alg, kid, ...header }), JSON.stringify(claims));
}

/** A signed token with these strings or bytes as its header and payload. */
export function signTexts(
  signer: Signer,
  header: string | Buffer,
  payload: string | Buffer,
): string {
  const input = `${encode(header)}.${encode(payload)}`;
  return `${input}.${signatureOf(signer, input).toString('base64url')}`;
}

function signatureOf({ alg, privateKey }: Signer, input: string): Buffer {
  const hash = alg === 'EdDSA' ? null : 'sha256';
  return signBytes(hash, Buffer.from(input), { key: privateKey, ...signatureOptions[alg] });
}

const signatureOptions: Readonly<Record<Algorithm, Omit<SignKeyObjectInput, 'key'>>> = {
  RS256: {},
  PS256: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 },
  ES256: { dsaEncoding: 'ieee-p1363' },
  EdDSA: {},
};

/** A token with an HMAC signature, as an attacker with only the public key might create it. */
export function hmacToken(secret: string | Buffer, claims: Json, header: Json = {}): string {
  const { alg = 'HS256' } = header;
  const head = encode(JSON.stringify({ alg, ...header }));
  const input = `${head}.${encode(JSON.stringify(claims))}`;
  const hash = `sha${String(alg).slice(2)}`;
  return `${input}.${createHmac(hash, secret).update(input).digest('base64url')}`;
}

/** A token with another value in place of a signature: these bytes, encoded in base64url, or this string as it is. */
export function unsignedToken(claims: Json, header: Json, signature: string | Buffer = ''): string {
  return [header, claims]
    .map((part) => encode(JSON.stringify(part)))
    .concat(typeof signature === 'string' ? signature : encode(signature))
    .join('.');
}

function encode(part: string | Buffer): string {
  return Buffer.from(part).toString('base64url');
}

// Tokens of a test's own keys, made without the library that the gateway checks them with; also such as nobody should make.
import {
  constants,
  createHmac,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign as signBytes,
  type SignKeyObjectInput,
} from 'node:crypto';

/** The algorithms that a gateway takes unless told otherwise. */
export const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;

export type Algorithm = (typeof algorithms)[number];

/** A key pair, with the name and the algorithm that it is published under. */
export interface Signer {
  readonly alg: Algorithm;
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** As a key set has it. */
  readonly jwk: JsonWebKey & { readonly kid: string };
}

type Json = Readonly<Record<string, unknown>>;

/** Makes a key pair; RSA takes its time, so share them. */
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

/** A token; `header` adds to alg and kid, or replaces them. */
export function signToken(signer: Signer, claims: Json, header: Json = {}): string {
  const { alg, kid } = signer;
  return signTexts(signer, JSON.stringify({ alg, kid, ...header }), JSON.stringify(claims));
}

/** A token whose header and payload are these texts or bytes, whatever is in them. */
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

/** A token that is signed with a text for a secret, as who has only a public key would do. */
export function hmacToken(secret: string | Buffer, claims: Json, header: Json = {}): string {
  const { alg = 'HS256' } = header;
  const head = encode(JSON.stringify({ alg, ...header }));
  const input = `${head}.${encode(JSON.stringify(claims))}`;
  const hash = `sha${String(alg).slice(2)}`;
  return `${input}.${createHmac(hash, secret).update(input).digest('base64url')}`;
}

/** A token with this text or these bytes for a signature. */
export function unsignedToken(claims: Json, header: Json, signature: string | Buffer = ''): string {
  return [header, claims]
    .map((part) => encode(JSON.stringify(part)))
    .concat(typeof signature === 'string' ? signature : encode(signature))
    .join('.');
}

function encode(part: string | Buffer): string {
  return Buffer.from(part).toString('base64url');
}

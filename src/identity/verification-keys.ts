// The keys of a JWK set that can verify tokens: checked, cut to these and imported once, when the set has been read, so
// that the cost of a token does not depend on the set.
import { createPublicKey, type KeyObject } from 'node:crypto';

/** Of one set; further keys are not used. Issuers publish two or three. */
const maxKeys = 100;

/** More than there are registered operations (RFC 7517 4.3). */
const maxOperations = 16;

/** RFC 7518 3.3; jose requires it too. */
const minModulusBits = 2048;

/** In base64url. A modulus of 8,192 bits and an exponent of 64 bits limit the time that a verification takes. */
const modulus = /^[\w-]{342,1368}$/;
const exponent = /^[\w-]{1,11}$/;
const coordinate = /^[\w-]{32,88}$/;

interface KeyType {
  readonly algorithms: RegExp;
  /** The members of a public key, and the form of their values. Others take no part in the import. */
  readonly members: Readonly<Record<string, RegExp>>;
}

/** By `kty`, or by `crv` for curves. */
const keyTypes = new Map<unknown, KeyType>([
  ['RSA', { algorithms: /^[RP]S\d+$/, members: { n: modulus, e: exponent } }],
  ['P-256', { algorithms: /^ES256$/, members: { crv: /^P-256$/, x: coordinate, y: coordinate } }],
  ['P-384', { algorithms: /^ES384$/, members: { crv: /^P-384$/, x: coordinate, y: coordinate } }],
  ['P-521', { algorithms: /^ES512$/, members: { crv: /^P-521$/, x: coordinate, y: coordinate } }],
  ['Ed25519', { algorithms: /^Ed/, members: { crv: /^Ed25519$/, x: coordinate } }],
]);

interface Entry {
  readonly algorithms: readonly string[];
  readonly kid: string | undefined;
  readonly key: KeyObject;
}

export class VerificationKeys {
  readonly #entries: readonly Entry[];
  /** How many keys for signatures of the wanted algorithms cannot be used, or exceed the maximum. */
  readonly unusable: number;

  /** `text` is a JWK set (RFC 7517 5). Throws if it is none; the error does not quote it. */
  constructor(text: string, algorithms: readonly string[]) {
    const entries: Entry[] = [];
    let [tried, unusable] = [0, 0];
    for (const jwk of parseSet(text)) {
      const fitting = algorithms.filter((alg) => isMeantFor(jwk, alg));
      if (fitting.length === 0) continue;
      const publicKey = publicKeyOf(jwk);
      const key = publicKey !== null && tried++ < maxKeys ? importKey(publicKey) : null;
      const kid = typeof jwk['kid'] === 'string' ? jwk['kid'] : undefined;
      if (key === null) unusable += 1;
      else entries.push({ algorithms: fitting, kid, key });
    }
    this.#entries = entries;
    this.unusable = unusable;
  }

  /** The keys for this algorithm with this key id; all of the algorithm if the token has no key id. */
  find(alg: string, kid: unknown): readonly KeyObject[] {
    const fitting = this.#entries.filter(
      (entry) => entry.algorithms.includes(alg) && (kid === undefined || entry.kid === kid),
    );
    return fitting.map(({ key }) => key);
  }
}

type Members = Readonly<Record<string, unknown>>;

function parseSet(text: string): readonly Members[] {
  let set: unknown;
  try {
    set = JSON.parse(text);
  } catch {
    // Unlike this error, the error of JSON.parse quotes the text.
    throw new Error('it is not JSON');
  }
  const keys = isObject(set) ? set['keys'] : null;
  if (!Array.isArray(keys) || !keys.every(isObject)) throw new Error('it is not a JWK set');
  return keys;
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function keyTypeOf({ kty, crv }: Members): KeyType | undefined {
  return keyTypes.get(kty === 'RSA' ? kty : crv);
}

function isMeantFor(jwk: Members, alg: string): boolean {
  const { use = 'sig', key_ops: operations = ['verify'], alg: only = alg } = jwk;
  if (use !== 'sig' || only !== alg || !Array.isArray(operations)) return false;
  const verifies = operations.length <= maxOperations && operations.includes('verify');
  return verifies && keyTypeOf(jwk)?.algorithms.test(alg) === true;
}

/** Null if a member is missing or malformed, or if the key is private: such a key must not be published. */
function publicKeyOf(jwk: Members): Record<string, string> | null {
  const publicKey: Record<string, string> = { kty: String(jwk['kty']) };
  for (const [name, form] of Object.entries(keyTypeOf(jwk)?.members ?? {})) {
    const value = jwk[name];
    if (typeof value !== 'string' || !form.test(value)) return null;
    publicKey[name] = value;
  }
  return jwk['d'] === undefined ? publicKey : null;
}

/** Null if it cannot be used, for example because it is not a point of its curve. */
function importKey(jwk: Record<string, string>): KeyObject | null {
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const { modulusLength = minModulusBits } = key.asymmetricKeyDetails ?? {};
    return modulusLength < minModulusBits ? null : key;
  } catch {
    return null;
  }
}

// Seals values with a key of this application, so that nobody else can read or change them.
import { createHash, randomBytes } from 'node:crypto';
import { defaults, seal, unseal } from 'iron-webcrypto';

export interface Sealing {
  /** `ttlSeconds`: for how long the value can be opened; 0 without an end. */
  seal(value: object, ttlSeconds: number): Promise<string>;
  /** The value; null if it was not sealed here, was changed, or is too old. */
  open(sealed: string): Promise<unknown>;
}

/** `secrets`: the current key first; values that were sealed with another one can be opened too. */
export function createSealing(secrets: readonly string[]): Sealing {
  // An id that depends only on the key: a key keeps it when another one is put before it.
  const ids = secrets.map((secret) => [idOf(secret), secret] as const);
  const keys = Object.fromEntries(ids);
  const [current = ['', '']] = ids;
  return {
    seal: (value, ttlSeconds) =>
      seal(value, { id: current[0], secret: current[1] }, { ...defaults, ttl: ttlSeconds * 1000 }),
    async open(sealed) {
      try {
        return await unseal(sealed, keys, defaults);
      } catch {
        // Iron does not tell a wrong value from any other error.
        return null;
      }
    },
  };
}

function idOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, 8);
}

/** 256 random bits, for a cookie. */
export function randomId(): string {
  return randomBytes(32).toString('base64url');
}

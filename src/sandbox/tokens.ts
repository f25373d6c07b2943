// Mints the bank's tokens (ES256, whose signatures are short), publishes the key, and reads callers' tokens without verifying signatures.
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT, type JWK } from 'jose';
import type { Directory } from './data/directory.ts';

/** The payload of a token. */
export type Claims = Readonly<Record<string, unknown>>;

/** The subject of a token: a holder, in its first tenant or in the given one. */
type TokenSubject = string | { readonly id: string; readonly tenant?: string };

export const issuer = 'https://sandbox-bank.example';
export const audience = 'account-service';

const yearSeconds = 365 * 86_400;

/** Mints tokens with one key pair, which is generated on first use. */
export interface TokenMint {
  /**
   * A token with the claims sub, tenant, entityType, iss, aud, iat, nbf and exp (one year later). `overrides`
   * replaces or adds claims; a claim that is undefined is removed. A holder that the bank does not have gets a token
   * without tenant and entityType.
   */
  tokenFor(subject: TokenSubject, overrides?: Claims): Promise<string>;
  /** The public key as a JWK set (RFC 7517). */
  keySet(): Promise<{ readonly keys: readonly JWK[] }>;
}

/** Creates a mint for the holders of a bank; `now` is the real clock (epoch ms), not that of the data. */
export function createTokenMint(directory: Directory, now: () => number): TokenMint {
  let keys: ReturnType<typeof createKeys> | undefined;
  const theKeys = () => (keys ??= createKeys());
  const plainTokens = new Map<string, Promise<string>>();

  const mint = async (claims: Claims) => {
    const { privateKey, kid } = await theKeys();
    const header = { alg: 'ES256', typ: 'JWT', kid };
    return new SignJWT(claims).setProtectedHeader(header).sign(privateKey);
  };
  return {
    tokenFor(subject, overrides) {
      const about = claimsAbout(directory, subject);
      if (overrides !== undefined)
        return mint({ ...about, ...standardClaims(now()), ...overrides });
      // Tokens without overrides are cached, because signing takes a millisecond and tests request the same few tokens
      // thousands of times.
      const key = JSON.stringify(about);
      const token = plainTokens.get(key) ?? mint({ ...about, ...standardClaims(now()) });
      plainTokens.set(key, token);
      return token;
    },
    async keySet() {
      return { keys: [(await theKeys()).publicKey] };
    },
  };
}

async function createKeys() {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  return { privateKey, kid, publicKey: { ...jwk, kid, alg: 'ES256', use: 'sig' } };
}

function claimsAbout(directory: Directory, subject: TokenSubject): Claims {
  const { id, tenant } = typeof subject === 'string' ? { id: subject } : subject;
  const holder = directory.holder(id, tenant);
  return holder ? { sub: id, tenant: holder.tenant, entityType: holder.kind } : { sub: id };
}

function standardClaims(nowMs: number): Claims {
  const iat = Math.floor(nowMs / 1000);
  return { iss: issuer, aud: audience, iat, nbf: iat, exp: iat + yearSeconds };
}

/**
 * The claims of the token in an Authorization header, or null if there is no bearer JWT or it has expired. The
 * signature is not verified, because a test may present tokens signed with its own keys.
 */
export function readClaims(authorization: string | undefined, nowMs: number): Claims | null {
  const payload = /^Bearer [\w-]+\.([\w-]+)\.[\w-]*$/i.exec(authorization ?? '')?.[1];
  const claims = payload === undefined ? null : parseObject(Buffer.from(payload, 'base64url'));
  const isLive = typeof claims?.['exp'] !== 'number' || claims['exp'] * 1000 > nowMs;
  return isLive ? claims : null;
}

function parseObject(text: Buffer): Claims | null {
  try {
    const value: unknown = JSON.parse(text.toString());
    return typeof value === 'object' && value !== null ? (value as Claims) : null;
  } catch {
    return null;
  }
}

// Tokens verified here: signature against a remote key set, issuer, audience, algorithm and time.
import {
  errors,
  jwtVerify,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  type JWTVerifyResult,
} from 'jose';
import { GatewayError } from '../errors.ts';
import {
  checkTime,
  expiryOf,
  parseToken,
  skewSeconds,
  type TokenReader,
  unauthenticated,
} from './token.ts';

export interface TokenVerifierSettings {
  /** Where the keys are, as `createKeySet` gives them. */
  readonly keys: JWTVerifyGetKey;
  /** What iss must be; null for anything. */
  readonly issuer: string | null;
  /** What aud must be or contain; null for anything. */
  readonly audience: string | null;
  /** The algorithms that a token may name (RFC 8725 3.1). */
  readonly algorithms: readonly string[];
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/**
 * A reader that lets in what the key set vouches for, until its exp, which a token must have. Rejects with
 * UNAUTHENTICATED, or with UPSTREAM_UNAVAILABLE where the key set would have to be read and cannot be.
 */
export function createTokenVerifier(settings: TokenVerifierSettings): TokenReader {
  const { issuer, audience, algorithms, now } = settings;
  const keys = readableKeys(settings.keys);
  const options = {
    ...(issuer === null ? undefined : { issuer }),
    ...(audience === null ? undefined : { audience }),
    algorithms: [...algorithms],
    clockTolerance: skewSeconds,
    requiredClaims: ['exp'],
  };
  return async (token) => {
    const nowMs = now();
    // Neither what is no JWT nor what has expired gets as far as the key set.
    checkTime(parseToken(token).claims, nowMs / 1000);
    checkSignatureText(token);
    try {
      const { payload } = await verify(token, keys, { ...options, currentDate: new Date(nowMs) });
      return { claims: payload, expiresAtMs: expiryOf(payload) };
    } catch (error) {
      if (error instanceof GatewayError) throw error;
      throw unauthenticated('The bearer token was not issued for this gateway.', error);
    }
  };
}

/**
 * The bits of base64url that no byte needs may be anything to a decoder (RFC 4648 3.5). Each such spelling would be another
 * token here, with a rate limit of its own.
 */
function checkSignatureText(token: string): void {
  const signature = token.slice(token.lastIndexOf('.') + 1);
  if (Buffer.from(signature, 'base64url').toString('base64url') === signature) return;
  throw unauthenticated('The signature of the bearer token is not in its usual spelling.');
}

async function verify(
  token: string,
  keys: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, keys, options);
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys)
      return verifyWithAny(token, error, options);
    throw error;
  }
}

/** A token that does not name its key, while the set has several of its kind: as when keys without names are rotated. */
async function verifyWithAny(
  token: string,
  keys: errors.JWKSMultipleMatchingKeys,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  for await (const key of keys) {
    try {
      return await jwtVerify(token, key, options);
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
    }
  }
  throw new errors.JWSSignatureVerificationFailed();
}

/** The key set, where an error about the set itself says that no token can be judged, whatever it is like. */
function readableKeys(keys: JWTVerifyGetKey): JWTVerifyGetKey {
  return async (header, token) => {
    try {
      return await keys(header, token);
    } catch (error) {
      throw isAboutToken(error) ? error : keySetUnavailable(error);
    }
  };
}

function isAboutToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  );
}

function keySetUnavailable(cause: unknown): GatewayError {
  const message = 'Tokens cannot be verified at the moment.';
  return new GatewayError('UPSTREAM_UNAVAILABLE', { message, cause });
}

// Tokens verified here: signature against a remote key set, issuer, audience, algorithm and time.
import { createRemoteJWKSet, errors, jwtVerify, type JWTVerifyGetKey } from 'jose';
import { GatewayError } from '../errors.ts';
import { expiryOf, parseToken, skewSeconds, type TokenReader, unauthenticated } from './token.ts';

export interface TokenVerifierSettings {
  /** Address of the JWK set (RFC 7517 5). */
  readonly jwksUrl: string;
  /** What iss must be; null for anything. */
  readonly issuer: string | null;
  /** What aud must be or contain; null for anything. */
  readonly audience: string | null;
  /** The algorithms that a token may name (RFC 8725 3.1). */
  readonly algorithms: readonly string[];
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Short, so that a new key is known soon; not none, as any stranger can name a key that does not exist. */
const cooldownMs = 3000;

/**
 * A reader that lets in what the key set vouches for, until its exp, which a token must have. Rejects with
 * UNAUTHENTICATED, or with UPSTREAM_UNAVAILABLE as long as the key set cannot be read.
 */
export function createTokenVerifier(settings: TokenVerifierSettings): TokenReader {
  const { issuer, audience, algorithms, now } = settings;
  const keys = readableKeys(
    createRemoteJWKSet(new URL(settings.jwksUrl), { cooldownDuration: cooldownMs }),
  );
  const options = {
    ...(issuer === null ? undefined : { issuer }),
    ...(audience === null ? undefined : { audience }),
    algorithms: [...algorithms],
    clockTolerance: skewSeconds,
    requiredClaims: ['exp'],
  };
  return async (token) => {
    // What is no JWT at all does not get as far as the key set.
    parseToken(token);
    try {
      const { payload } = await jwtVerify(token, keys, {
        ...options,
        currentDate: new Date(now()),
      });
      return { claims: payload, expiresAtMs: expiryOf(payload) };
    } catch (error) {
      throw error instanceof GatewayError ? error : refusal(error);
    }
  };
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

function refusal(error: unknown): GatewayError {
  if (error instanceof errors.JWTExpired) return unauthenticated('The bearer token has expired.');
  return unauthenticated('The bearer token was not issued for this gateway.', error);
}

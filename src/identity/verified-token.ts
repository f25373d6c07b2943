// Verifies tokens: signature against a remote key set, issuer, audience, algorithm and times.
import {
  errors,
  jwtVerify,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  type JWTVerifyResult,
} from 'jose';
import { GatewayError } from '../errors.ts';
import type { Settings } from '../settings.ts';
import { decodeToken, skewSeconds, type TokenReader, unauthenticated } from './token.ts';

export interface TokenVerifierSettings extends Pick<
  Settings,
  'jwtIssuer' | 'jwtAudience' | 'jwtAlgorithms'
> {
  readonly keys: JWTVerifyGetKey;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export function createTokenVerifier(settings: TokenVerifierSettings): TokenReader {
  const {
    jwtIssuer: issuer,
    jwtAudience: audience,
    jwtAlgorithms: algorithms,
    keys,
    now,
  } = settings;
  const options = {
    ...(issuer === null ? undefined : { issuer }),
    ...(audience === null ? undefined : { audience }),
    algorithms: [...algorithms],
    clockTolerance: skewSeconds,
    requiredClaims: ['exp'],
  };
  return async (token) => {
    const nowMs = now();
    // Malformed and expired tokens never reach the key set.
    decodeToken(token, nowMs);
    // A signature can have several encodings (RFC 4648 3.5), and each would have its own rate limit.
    const signature = token.slice(token.lastIndexOf('.') + 1);
    if (Buffer.from(signature, 'base64url').toString('base64url') !== signature) {
      throw unauthenticated("The encoding of the bearer token's signature is not canonical.");
    }
    try {
      const { payload } = await verify(token, keys, { ...options, currentDate: new Date(nowMs) });
      return payload;
    } catch (error) {
      // Any other error is about the key set, and then no token can be verified.
      if (error instanceof errors.JOSEError && !(error instanceof errors.JWKSInvalid)) {
        throw unauthenticated('The bearer token was not issued for this gateway.', error);
      }
      const message = 'Tokens cannot be verified at the moment.';
      throw new GatewayError('UPSTREAM_UNAVAILABLE', { message, cause: error });
    }
  };
}

/** If the token names no key and several keys fit, as during a key rotation, each key is tried. */
async function verify(
  token: string,
  keys: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, keys, options);
  } catch (several) {
    if (!(several instanceof errors.JWKSMultipleMatchingKeys)) throw several;
    for await (const key of several) {
      try {
        return await jwtVerify(token, key, options);
      } catch (error) {
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

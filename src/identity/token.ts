// Reads tokens in one of two ways: decoded, with a check of form and times, or verified against a key set as well.
import { isUtf8 } from 'node:buffer';
import type { KeyObject } from 'node:crypto';
import { errors, jwtVerify } from 'jose';
import { GatewayError } from '../errors.ts';
import { SourceText } from '../json/json-bytes.ts';
import { braces, JsonReader } from '../json/json-reader.ts';
import type { Settings } from '../settings/settings.ts';
import type { KeySet } from './key-set.ts';

export type TokenClaims = Readonly<Record<string, unknown>>;

/** Throws or rejects with UNAUTHENTICATED, or UPSTREAM_UNAVAILABLE if the key set cannot be used. */
export type TokenReader = (token: string) => TokenClaims | Promise<TokenClaims>;

/** The tolerated clock skew for exp and nbf (docs/identity.md). */
const skewSeconds = 30;

/** In characters; by default, Node.js allows no more for all headers of a request. */
const maxTokenLength = 16_384;

/**
 * Throws UNAUTHENTICATED if the token is not a signed JWT (RFC 7519 3), has expired, is not valid yet, or has an
 * invalid exp or nbf.
 */
export function decodeToken(token: string, nowMs: number): TokenClaims {
  return decode(token, nowMs).claims;
}

function decode(token: string, nowMs: number): DecodedToken {
  const parts = token.length > maxTokenLength ? null : compactJws.exec(token);
  const header = parseObject(parts?.[1]);
  const claims = parseObject(parts?.[2]);
  const { alg, crit, b64 } = header ?? {};
  // `none` means unsigned (RFC 8725 3.2), no extension (`crit`) is supported, and RFC 7797 7 forbids `b64: false`.
  const isNamed = typeof alg === 'string' && algorithmName.test(alg) && !/^none$/i.test(alg);
  const isSigned = isNamed && crit === undefined && b64 === undefined;
  if (header === null || claims === null || !isSigned) {
    throw unauthenticated('The bearer token is not a signed JWT.');
  }
  checkTime(claims, nowMs / 1000);
  return { alg, kid: header['kid'], claims };
}

/** `message` must not quote the token. */
export function unauthenticated(message: string, cause?: unknown): GatewayError {
  return new GatewayError('UNAUTHENTICATED', { message, cause });
}

interface DecodedToken {
  readonly alg: string;
  /** The key id; of any type, because the token is not verified yet. */
  readonly kid: unknown;
  readonly claims: TokenClaims;
}

const compactJws = /^([\w-]{2,})\.([\w-]{2,})\.[\w-]+$/;

/** All registered names of signature algorithms have this form (RFC 7518 3.1). */
const algorithmName = /^[A-Z][\w-]{1,31}$/;

/**
 * The members of a JSON object; null if the text is anything else. The names are not read by JSON.parse, because in
 * Node.js 24, one token could make it misread escaped names in the tokens of other callers (nodejs/node#63785).
 */
function parseObject(base64url = ''): TokenClaims | null {
  const bytes = Buffer.from(base64url, 'base64url');
  if (!isUtf8(bytes)) return null;
  const json = new JsonReader(new SourceText(bytes));
  const members = new Map<string, unknown>();
  try {
    for (let isMore = json.enter(braces); isMore; isMore = json.goOn(braces)) {
      const name = json.name();
      json.any();
      members.set(name, json.decoded());
    }
    json.finish();
  } catch {
    return null;
  }
  return Object.fromEntries(members);
}

function checkTime({ exp, nbf }: TokenClaims, nowSeconds: number): void {
  if (!isTime(exp) || !isTime(nbf)) {
    throw unauthenticated('The bearer token has an invalid exp or nbf.');
  }
  if (exp !== undefined && exp <= nowSeconds - skewSeconds) {
    throw unauthenticated('The bearer token has expired.');
  }
  if (nbf !== undefined && nbf > nowSeconds + skewSeconds) {
    throw unauthenticated('The bearer token is not valid yet.');
  }
}

/** Accepts an absent or finite time (NumericDate, RFC 7519 2); JSON.parse turns too large a number into Infinity. */
function isTime(value: unknown): value is number | undefined {
  return value === undefined || Number.isFinite(value);
}

export interface TokenVerifierSettings extends Pick<
  Settings,
  'jwtIssuer' | 'jwtAudience' | 'jwtAlgorithms'
> {
  readonly keys: KeySet;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** The largest number of keys that are tried for a token without a key id: each takes up to 0.25 ms of CPU time. */
const maxKeysTried = 10;

/** Verifies signature, algorithm and times, and issuer and audience if they are set; exp is required. */
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
    // jose compares whole seconds; decodeToken has compared the exact times already.
    clockTolerance: skewSeconds + 1,
    requiredClaims: ['exp'],
  };

  /** Whether one of the keys has signed the token. If several fit, as during a key rotation, they are tried in turn. */
  async function isSignedWith(
    fitting: readonly KeyObject[],
    token: string,
    nowMs: number,
  ): Promise<boolean> {
    const current = { ...options, currentDate: new Date(nowMs) };
    for (const key of fitting.slice(0, maxKeysTried)) {
      try {
        await jwtVerify(token, key, current);
        return true;
      } catch (error) {
        if (!(error instanceof errors.JOSEError)) throw error;
        if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw notForUs(error);
      }
    }
    return false;
  }

  return async (token) => {
    const nowMs = now();
    // Malformed and expired tokens never reach the key set.
    const { alg, kid, claims } = decode(token, nowMs);
    if (!algorithms.includes(alg)) throw notForUs();
    // Other spellings of a signature (RFC 4648 3.5) would take further entries in the cache of callers.
    const signature = token.slice(token.lastIndexOf('.') + 1);
    if (Buffer.from(signature, 'base64url').toString('base64url') !== signature) {
      throw unauthenticated("The encoding of the bearer token's signature is not canonical.");
    }
    const known = await readable(keys.current());
    const fitting = known.find(alg, kid);
    if (await isSignedWith(fitting, token, nowMs)) return claims;
    // A key that is missing, or does not verify the token, may have been replaced after the set was read.
    const latest = await readable(keys.latest()).catch((failure: unknown) => {
      // If the set cannot be read, a token that its key does not verify is still rejected.
      if (fitting.length > 0) return known;
      throw failure;
    });
    const isSigned = latest !== known && (await isSignedWith(latest.find(alg, kid), token, nowMs));
    if (!isSigned) throw notForUs();
    return claims;
  };
}

/** `cause` is the error of jose. */
function notForUs(cause?: unknown): GatewayError {
  return unauthenticated('The bearer token was not issued for this gateway.', cause);
}

/** The token may be valid if the key set cannot be read. */
async function readable<T>(keys: T | Promise<T>): Promise<T> {
  try {
    return await keys;
  } catch (cause) {
    const message = 'Tokens cannot be verified at the moment.';
    throw new GatewayError('UPSTREAM_UNAVAILABLE', { message, cause });
  }
}

// Who asks: the headers of a request -> the caller, with what may be remembered about it and for how long.
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { GatewayError } from '../errors.ts';
import { type TokenClaims, type TokenReader, unauthenticated } from './token.ts';

/** Who asks. */
export interface Caller {
  /** The header, byte for byte, as it goes upstream. */
  readonly authorization: string;
  readonly tenant: string;
  /** Of the token's claims those that somebody asks for, where they are short texts. */
  readonly claims: TokenClaims;
  /** A hash of token and tenant: the only key under which anything may be remembered. */
  readonly key: string;
  /** Epoch milliseconds of the token's exp, after which nothing of it is remembered; null where it has none. */
  readonly expiresAtMs: number | null;
}

/** Every value that came of each header, as `IncomingMessage.headersDistinct` has them. */
export type CallerHeaders = Readonly<NodeJS.Dict<readonly string[]>>;

export interface Callers {
  /**
   * The caller, at once if it is remembered and counted in this process; rejects with UNAUTHENTICATED, TENANT_REQUIRED,
   * RATE_LIMITED, FORBIDDEN, or UPSTREAM_UNAVAILABLE (no key set).
   */
  read(headers: CallerHeaders): Caller | Promise<Caller>;
}

export interface CallerSettings {
  readonly readToken: TokenReader;
  /** The claim that x-tenant-id must equal (JWT_TENANT_CLAIM); null for none. */
  readonly tenantClaim: string | null;
  /** The claims that `Caller.claims` may have. */
  readonly keptClaims: readonly string[];
  /**
   * Takes an operation out of a token's budget, by a hash of the token; null if that was done at once; rejects with
   * RATE_LIMITED. Null for no limit.
   */
  readonly rateLimit: ((tokenKey: string) => Promise<void> | null) | null;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Each takes less than a kilobyte, whatever its token was like. */
const maxRemembered = 20_000;

/** A key that was withdrawn, or a clock that was set, is noticed after at most this long. */
const maxRememberedMs = 60_000;

type Known = Pick<Caller, 'claims' | 'expiresAtMs'>;

interface Remembered {
  readonly known: Known;
  /** By which its operations are counted. */
  readonly tokenKey: string;
  readonly untilMs: number;
}

/**
 * Reads callers; a token that was good for a tenant a moment ago is not looked into again. An operation is counted once
 * its token is known to be good, and before the token's tenant is looked at: a token that tries one tenant after the other
 * uses up its one budget.
 */
export function createCallers(settings: CallerSettings): Callers {
  const { readToken, tenantClaim, keptClaims, rateLimit, now } = settings;
  const remembered = new LRUCache<string, Remembered>({ max: maxRemembered });

  async function admit(asked: Asked): Promise<Caller> {
    const { claims, expiresAtMs } = await readToken(asked.jwt);
    const tokenKey = hash('sha256', asked.jwt, 'base64url');
    await rateLimit?.(tokenKey);
    checkTenantClaim(claims, tenantClaim, asked.tenant);
    const known = { claims: shortTexts(claims, keptClaims), expiresAtMs };
    const untilMs = Math.min(expiresAtMs ?? Infinity, now() + maxRememberedMs);
    remembered.set(asked.key, { known, tokenKey, untilMs });
    return callerOf(asked, known);
  }

  return {
    read(headers) {
      const asked = parseHeaders(headers);
      if (asked instanceof GatewayError) return Promise.reject(asked);
      const entry = remembered.get(asked.key);
      if (entry === undefined || now() >= entry.untilMs) return admit(asked);
      const counting = rateLimit?.(entry.tokenKey) ?? null;
      const caller = callerOf(asked, entry.known);
      return counting === null ? caller : counting.then(() => caller);
    },
  };
}

function callerOf({ authorization, tenant, key }: Asked, { claims, expiresAtMs }: Known): Caller {
  return { authorization, tenant, claims, key, expiresAtMs };
}

/** What the headers say. */
interface Asked extends Pick<Caller, 'authorization' | 'tenant' | 'key'> {
  readonly jwt: string;
}

const tenantPattern = /^[\w.:-]{1,128}$/;

function parseHeaders(headers: CallerHeaders): Asked | GatewayError {
  const authorization = onlyOf(headers.authorization);
  const jwt = tokenIn(authorization);
  if (jwt === null) {
    return unauthenticated('One Authorization header with a bearer token is needed.');
  }
  const tenant = onlyOf(headers['x-tenant-id']);
  if (!tenantPattern.test(tenant)) return new GatewayError('TENANT_REQUIRED');
  return { authorization, tenant, key: keyOf(jwt, tenant), jwt };
}

/** Empty where there are none, or several. */
function onlyOf(values: readonly string[] = []): string {
  const [value = '', another] = values;
  return another === undefined ? value : '';
}

/** The scheme is a word in any case (RFC 9110 11.1); what a token may be made of is for its reader to say. */
const bearer = /^bearer +([^ ]+)$/i;
const usualBearer = 'Bearer ';

function tokenIn(authorization: string): string | null {
  // As nearly everybody writes it: at a tenth of what the expression costs.
  const token = authorization.startsWith(usualBearer)
    ? authorization.slice(usualBearer.length)
    : '';
  if (token !== '' && !token.includes(' ')) return token;
  return bearer.exec(authorization)?.[1] ?? null;
}

/** A tenant has no line feed in it, so that no two pairs give one text. */
function keyOf(jwt: string, tenant: string): string {
  return hash('sha256', `${tenant}\n${jwt}`, 'base64url');
}

const maxClaimLength = 128;

/** A payload may take thirty times its length in memory, and anybody can send one where tokens are only decoded. */
function shortTexts(claims: TokenClaims, names: readonly string[]): TokenClaims {
  const isShort = (claim: unknown) => typeof claim === 'string' && claim.length <= maxClaimLength;
  return Object.fromEntries(
    names.map((name) => [name, claims[name]] as const).filter(([, claim]) => isShort(claim)),
  );
}

function checkTenantClaim(claims: TokenClaims, claim: string | null, tenant: string): void {
  if (claim !== null && claims[claim] !== tenant) {
    throw new GatewayError('FORBIDDEN', { message: 'The token is not for this tenant.' });
  }
}

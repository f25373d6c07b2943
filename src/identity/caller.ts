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
  /** The caller; rejects with UNAUTHENTICATED, TENANT_REQUIRED, FORBIDDEN, or UPSTREAM_UNAVAILABLE (no key set). */
  read(headers: CallerHeaders): Promise<Caller>;
}

export interface CallerSettings {
  readonly readToken: TokenReader;
  /** The claim that x-tenant-id must equal (JWT_TENANT_CLAIM); null for none. */
  readonly tenantClaim: string | null;
  /** The claims that `Caller.claims` may have. */
  readonly keptClaims: readonly string[];
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
  readonly untilMs: number;
}

/** Reads callers; a token that was good for a tenant a moment ago is not looked into again. */
export function createCallers(settings: CallerSettings): Callers {
  const { readToken, tenantClaim, keptClaims, now } = settings;
  const remembered = new LRUCache<string, Remembered>({ max: maxRemembered });

  function recall(key: string): Known | null {
    const entry = remembered.get(key);
    return entry !== undefined && now() < entry.untilMs ? entry.known : null;
  }

  async function admit(key: string, jwt: string, tenant: string): Promise<Known> {
    const { claims, expiresAtMs } = await readToken(jwt);
    checkTenantClaim(claims, tenantClaim, tenant);
    const known = { claims: shortTexts(claims, keptClaims), expiresAtMs };
    const untilMs = Math.min(expiresAtMs ?? Infinity, now() + maxRememberedMs);
    remembered.set(key, { known, untilMs });
    return known;
  }

  return {
    async read(headers) {
      const [authorization, jwt] = parseAuthorization(headers.authorization);
      const tenant = parseTenant(headers['x-tenant-id']);
      const key = keyOf(jwt, tenant);
      const { claims, expiresAtMs } = recall(key) ?? (await admit(key, jwt, tenant));
      return { authorization, tenant, claims, key, expiresAtMs };
    },
  };
}

/** The scheme is a word in any case (RFC 9110 11.1); what a token may be made of is for its reader to say. */
const bearer = /^bearer +([^ ]+)$/i;

function parseAuthorization(values: readonly string[] = []): [header: string, jwt: string] {
  const [header = '', another] = values;
  const jwt = bearer.exec(header)?.[1];
  if (jwt === undefined || another !== undefined) {
    throw unauthenticated('One Authorization header with a bearer token is needed.');
  }
  return [header, jwt];
}

const tenantPattern = /^[\w.:-]{1,128}$/;

function parseTenant(values: readonly string[] = []): string {
  const [tenant = '', another] = values;
  if (!tenantPattern.test(tenant) || another !== undefined) {
    throw new GatewayError('TENANT_REQUIRED');
  }
  return tenant;
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

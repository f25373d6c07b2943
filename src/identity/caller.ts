// Who asks: the headers of a request -> the caller, with what may be remembered about it and for how long.
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { GatewayError } from '../errors.ts';
import { type Token, type TokenClaims, type TokenReader, unauthenticated } from './token.ts';

/** Who asks. */
export interface Caller {
  /** The header, byte for byte, as it goes upstream. */
  readonly authorization: string;
  readonly tenant: string;
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
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Tokens are remembered up to this many characters in all: some 8,000 of the usual size. */
const maxRememberedLength = 8 * 1024 * 1024;

/** A key that was withdrawn, or a clock that was set, is noticed after at most this long. */
const maxRememberedMs = 60_000;

interface Remembered {
  readonly token: Token;
  readonly untilMs: number;
}

/** Reads callers; a token that was good for a tenant a moment ago is not looked into again. */
export function createCallers({ readToken, tenantClaim, now }: CallerSettings): Callers {
  const remembered = new LRUCache<string, Remembered>({ maxSize: maxRememberedLength });

  function recall(key: string): Token | null {
    const entry = remembered.get(key);
    return entry !== undefined && now() < entry.untilMs ? entry.token : null;
  }

  async function admit(key: string, jwt: string, tenant: string): Promise<Token> {
    const token = await readToken(jwt);
    checkTenantClaim(token.claims, tenantClaim, tenant);
    const untilMs = Math.min(token.expiresAtMs ?? Infinity, now() + maxRememberedMs);
    remembered.set(key, { token, untilMs }, { size: jwt.length });
    return token;
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

function checkTenantClaim(claims: TokenClaims, claim: string | null, tenant: string): void {
  if (claim !== null && claims[claim] !== tenant) {
    throw new GatewayError('FORBIDDEN', { message: 'The token is not for this tenant.' });
  }
}

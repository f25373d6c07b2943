// Identifies the sender of a request by its headers. Accepted tokens are remembered for up to a minute.
import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { GatewayError } from '../errors.ts';
import type { Settings } from '../settings/settings.ts';
import type { ForwardedHeaders } from '../upstream/exchange/call.ts';
import type { HolderKind } from '../upstream/shape/shapes.ts';
import type { RateLimit } from './rate-limit.ts';
import { type TokenReader, unauthenticated } from './token.ts';

/** A header that was sent twice has both values, joined with a comma and a space. */
export type RequestHead = Pick<IncomingMessage, 'headers'>;

export interface Caller {
  /** The Authorization header, which is forwarded byte for byte. */
  readonly authorization: string;
  readonly tenant: string;
  /** From the claim that JWT_ENTITY_TYPE_CLAIM names; null unless the claim is PERSON or COMPANY. */
  readonly kind: HolderKind | null;
  /** A hash of token and tenant: the key of a caller's cached data, except for the count of the rate limit. */
  readonly key: string;
  /** When the token expires, in epoch milliseconds; null without exp. The caller is not remembered for longer. */
  readonly expiresAtMs: number | null;
}

export type Callers = ReturnType<typeof createCallers>;

export interface CallerSettings extends Pick<
  Settings,
  'jwtJwksUrl' | 'jwtTenantClaim' | 'jwtEntityTypeClaim'
> {
  readonly readToken: TokenReader;
  readonly rateLimit: RateLimit | null;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** The largest number of entries; each takes less than a kilobyte, even if the token is long. */
const maxRemembered = 20_000;

/** A token is checked again after this time, because its key may have been withdrawn. */
const maxRememberedMs = 60_000;

interface Remembered extends Pick<Caller, 'kind' | 'expiresAtMs'> {
  /** The key under which the token's operations are counted. */
  readonly tokenKey: string;
  readonly untilMs: number;
}

/** Operations are counted before the tenant is compared with the token's claim, so a wrong tenant counts as well. */
export function createCallers(settings: CallerSettings) {
  const { readToken, jwtTenantClaim: tenantClaim, rateLimit, now } = settings;
  const remembered = new LRUCache<string, Remembered>({ max: maxRemembered });

  async function admit(asked: Asked): Promise<Caller> {
    const claims = await readToken(asked.jwt);
    const tokenKey = hash('sha256', countedPart(asked.jwt, settings), 'base64url');
    await rateLimit?.(tokenKey);
    if (tenantClaim !== null && claims[tenantClaim] !== asked.tenant) {
      throw new GatewayError('FORBIDDEN', { message: 'The token is not for this tenant.' });
    }
    const claimed = claims[settings.jwtEntityTypeClaim];
    const kind: HolderKind | null = claimed === 'PERSON' || claimed === 'COMPANY' ? claimed : null;
    const expiresAtMs = typeof claims['exp'] === 'number' ? claims['exp'] * 1000 : null;
    const untilMs = Math.min(expiresAtMs ?? Infinity, now() + maxRememberedMs);
    const entry = { kind, expiresAtMs, tokenKey, untilMs };
    remembered.set(asked.key, entry);
    return callerOf(asked, entry);
  }

  return {
    /** Rejects with UNAUTHENTICATED, TENANT_REQUIRED, RATE_LIMITED, FORBIDDEN or UPSTREAM_UNAVAILABLE. */
    read(head: RequestHead): Caller | Promise<Caller> {
      const asked = parseHeaders(head);
      if (asked instanceof GatewayError) return Promise.reject(asked);
      const entry = remembered.get(asked.key);
      const leftMs = entry === undefined ? 0 : entry.untilMs - now();
      // More than a minute is left only if the clock was set back.
      if (entry === undefined || leftMs <= 0 || leftMs > maxRememberedMs) return admit(asked);
      const counting = rateLimit?.(entry.tokenKey) ?? null;
      const caller = callerOf(asked, entry);
      return counting === null ? caller : counting.then(() => caller);
    },
  };
}

/**
 * The part of a token under which its operations are counted. Anybody can change a valid ECDSA signature into another
 * valid one, which must not double the limit. If signatures are not verified, a forged one must not use up the limit,
 * but other spellings of one signature (RFC 4648 3.5) are counted together.
 */
function countedPart(jwt: string, { jwtJwksUrl }: CallerSettings): string {
  const end = jwt.lastIndexOf('.') + 1;
  const signature = Buffer.from(jwt.slice(end), 'base64url').toString('base64url');
  return jwtJwksUrl === null ? jwt.slice(0, end) + signature : jwt.slice(0, end);
}

function callerOf({ authorization, tenant, key }: Asked, known: Remembered): Caller {
  const { kind, expiresAtMs } = known;
  return { authorization, tenant, kind, key, expiresAtMs };
}

interface Asked extends Pick<Caller, 'authorization' | 'tenant' | 'key'> {
  readonly jwt: string;
}

const tenantPattern = /^[\w.:-]{1,128}$/;

function parseHeaders({ headers }: RequestHead): Asked | GatewayError {
  const { authorization = '' } = headers;
  const [scheme = ''] = bearerScheme.exec(authorization) ?? [];
  const jwt = authorization.slice(scheme.length);
  if (scheme === '' || jwt === '' || jwt.includes(' ')) {
    return unauthenticated('Exactly one Authorization header with a bearer token is required.');
  }
  const tenant = String(headers['x-tenant-id'] ?? '');
  if (!tenantPattern.test(tenant)) return new GatewayError('TENANT_REQUIRED');
  // A tenant contains no line feed, so two different pairs of tenant and token never give the same text.
  const key = hash('sha256', `${tenant}\n${jwt}`, 'base64url');
  return { authorization, tenant, key, jwt };
}

/**
 * The scheme is case-insensitive (RFC 9110 11.1). The token is not part of the pattern: matching it character by
 * character takes longer than the hash of the token.
 */
const bearerScheme = /^bearer +/i;

/** The only headers of a request that are forwarded to the service. Trace headers are forwarded only if valid. */
export function forwarded(
  { authorization, tenant }: Caller,
  requestId: string,
  { traceparent, tracestate }: IncomingHttpHeaders,
): ForwardedHeaders {
  if (typeof traceparent !== 'string' || !traceparentPattern.test(traceparent)) {
    return { authorization, tenant, requestId };
  }
  return isTracestate(tracestate)
    ? { authorization, tenant, requestId, traceparent, tracestate }
    : { authorization, tenant, requestId, traceparent };
}

/** W3C Trace Context 3.2.2: a trace id and a parent id, neither all zeros, and flags. */
const traceFields = String.raw`(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}`;

/** Versions after 00 may append fields after a dash; ff is invalid. */
const traceparentPattern = new RegExp(
  String.raw`^(?:00-${traceFields}|(?!00|ff)[\da-f]{2}-${traceFields}(?:-[\x21-\x7e]{1,256})?)$`,
);

/** W3C Trace Context 3.3.1: a list member. In level 2, unlike level 1, an `@` may be anywhere in a key but first. */
const traceMember =
  /^([a-z\d][a-z\d_\-*/@]{0,255})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;
const maxTraceMembers = 32;

/** W3C Trace Context 3.3: up to 32 members with different keys. Empty members and space around members are allowed. */
function isTracestate(value: string | string[] | undefined): value is string {
  // `trim` would also remove a no-break space, which is not allowed.
  if (typeof value !== 'string' || /[^\t -~]/.test(value)) return false;
  const members = value.split(',').map((member) => member.trim());
  const present = members.filter((member) => member !== '');
  const keys = new Set(present.map((member) => traceMember.exec(member)?.[1]));
  const areAllValid = keys.size === present.length && !keys.has(undefined);
  return areAllValid && present.length > 0 && present.length <= maxTraceMembers;
}

/** Whether a request has the federation router's secret (docs/operations.md). */
export type RouterCheck = (head: RequestHead) => boolean;

/** Compares hashes, because `timingSafeEqual` requires equal lengths. */
export function createRouterCheck(secret: string): RouterCheck {
  const digest = (text: string) => hash('sha256', text, 'buffer');
  const expected = digest(secret);
  return ({ headers }) =>
    timingSafeEqual(digest(String(headers['x-router-secret'] ?? '')), expected);
}

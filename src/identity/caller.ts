// Headers of a request -> its caller, with what may be remembered about it and for how long.
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { GatewayError } from '../errors.ts';
import type { Settings } from '../settings.ts';
import type { HolderKind } from '../upstream/shape/shapes.ts';
import { onlyValueOf, type RequestHead } from './request-head.ts';
import { type TokenReader, unauthenticated } from './token.ts';

/** The sender of a request, known by its token and tenant. */
export interface Caller {
  /** The header, byte for byte, as it is sent upstream. */
  readonly authorization: string;
  readonly tenant: string;
  /** What the token's claim says (JWT_ENTITY_TYPE_CLAIM); null unless it is one of the two kinds. */
  readonly kind: HolderKind | null;
  /** A hash of token and tenant: the only key under which anything may be remembered. */
  readonly key: string;
  /** Epoch milliseconds of the token's exp, after which nothing about it is remembered; null if it has none. */
  readonly expiresAtMs: number | null;
}

export type Callers = ReturnType<typeof createCallers>;

/** Counts an operation by a hash of its token; null if that is done at once. Rejects with RATE_LIMITED. */
export type RateLimit = (tokenKey: string) => Promise<void> | null;

export interface CallerSettings extends Pick<Settings, 'jwtTenantClaim' | 'jwtEntityTypeClaim'> {
  readonly readToken: TokenReader;
  /** Null for no limit. */
  readonly rateLimit: RateLimit | null;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Each entry takes less than a kilobyte, however long its token is. */
const maxRemembered = 20_000;

/** A withdrawn key or a changed clock is noticed after at most this long. */
const maxRememberedMs = 60_000;

interface Remembered extends Pick<Caller, 'kind' | 'expiresAtMs'> {
  /** The key that its operations are counted under. */
  readonly tokenKey: string;
  readonly untilMs: number;
}

/**
 * Reads callers; a token that was accepted for a tenant a moment ago is not checked again. An operation is counted once
 * its token is accepted, and before the tenant is checked: a token that tries one tenant after another uses up its one
 * budget.
 */
export function createCallers(settings: CallerSettings) {
  const { readToken, jwtTenantClaim: tenantClaim, rateLimit, now } = settings;
  const remembered = new LRUCache<string, Remembered>({ max: maxRemembered });

  async function admit(asked: Asked): Promise<Caller> {
    const claims = await readToken(asked.jwt);
    const tokenKey = hash('sha256', asked.jwt, 'base64url');
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
    /**
     * The caller, at once if it is remembered and counted in this process; rejects with UNAUTHENTICATED, TENANT_REQUIRED,
     * RATE_LIMITED, FORBIDDEN, or UPSTREAM_UNAVAILABLE (no key set).
     */
    read(head: RequestHead): Caller | Promise<Caller> {
      const asked = parseHeaders(head);
      if (asked instanceof GatewayError) return Promise.reject(asked);
      const entry = remembered.get(asked.key);
      if (entry === undefined || now() >= entry.untilMs) return admit(asked);
      const counting = rateLimit?.(entry.tokenKey) ?? null;
      const caller = callerOf(asked, entry);
      return counting === null ? caller : counting.then(() => caller);
    },
  };
}

function callerOf({ authorization, tenant, key }: Asked, known: Remembered): Caller {
  const { kind, expiresAtMs } = known;
  return { authorization, tenant, kind, key, expiresAtMs };
}

interface Asked extends Pick<Caller, 'authorization' | 'tenant' | 'key'> {
  readonly jwt: string;
}

const tenantPattern = /^[\w.:-]{1,128}$/;

function parseHeaders(head: RequestHead): Asked | GatewayError {
  const authorization = onlyValueOf(head, 'authorization');
  const [, jwt] = bearer.exec(authorization) ?? [];
  if (jwt === undefined) {
    return unauthenticated('One Authorization header with a bearer token is needed.');
  }
  const tenant = onlyValueOf(head, 'x-tenant-id');
  if (!tenantPattern.test(tenant)) return new GatewayError('TENANT_REQUIRED');
  // A tenant contains no line feed, so no two pairs give the same text.
  const key = hash('sha256', `${tenant}\n${jwt}`, 'base64url');
  return { authorization, tenant, key, jwt };
}

/** The scheme is case-insensitive (RFC 9110 11.1); the token's characters are left to its reader to check. */
const bearer = /^bearer +([^ ]+)$/i;

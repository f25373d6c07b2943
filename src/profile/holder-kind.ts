// Whether a token is tied to a person or a company: from its claim, or found by calling the service, and
// remembered.
import { LRUCache } from 'lru-cache';
import { GatewayError } from '../errors.ts';
import type { Caller } from '../identity/caller.ts';
import { type UpstreamCall, type UpstreamReader, UpstreamStatusError } from '../upstream/client.ts';
import type { HolderKind, Profile } from '../upstream/shape/shapes.ts';

/** Finds out whether callers are persons or companies, and remembers it. */
export interface HolderKinds {
  /**
   * The caller's profile, from the endpoint of its kind: one call if the kind is known, otherwise at most two. The 404 of a
   * known kind is UPSTREAM_REJECTED; if neither endpoint knows the caller (403 or 404), FORBIDDEN.
   */
  readProfile(upstream: ProfileEndpoints, call: UpstreamCall, caller: Caller): Promise<Profile>;
}

/** The service's profile endpoints. */
export type ProfileEndpoints = UpstreamReader<'persons' | 'companies'>;

export interface HolderKindSettings {
  /** The most callers that are remembered. */
  readonly maxEntries: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** The longest that a kind is remembered, even if the token is valid longer. */
const maxRememberedMs = 3_600_000;

interface Remembered {
  readonly kind: HolderKind;
  readonly untilMs: number;
}

/**
 * A kind is remembered only after a 200, under the caller's key (token and tenant), until the token's exp or until its
 * endpoint rejects the caller.
 */
export function createHolderKinds({ maxEntries, now }: HolderKindSettings): HolderKinds {
  const remembered = new LRUCache<string, Remembered>({ max: maxEntries });

  return {
    // Not async, which would cost another promise.
    readProfile(upstream, call, caller) {
      const { kind: claimed, key, expiresAtMs } = caller;
      if (claimed !== null) return readAs(claimed, upstream, call);
      const known = remembered.get(key);
      if (known === undefined || now() >= known.untilMs) {
        return findOut(upstream, call).then((profile) => {
          const untilMs = Math.min(expiresAtMs ?? Infinity, now() + maxRememberedMs);
          remembered.set(key, { kind: profile.kind, untilMs });
          return profile;
        });
      }
      return readAs(known.kind, upstream, call).catch((error: unknown) => {
        if (isRefusal(error)) remembered.delete(key);
        throw error;
      });
    },
  };
}

function readAs(
  kind: HolderKind,
  upstream: ProfileEndpoints,
  call: UpstreamCall,
): Promise<Profile> {
  return upstream.read(call, kind === 'PERSON' ? 'persons' : 'companies', {});
}

/** Persons first, because most callers are persons: asking both at once would double their calls. */
async function findOut(upstream: ProfileEndpoints, call: UpstreamCall): Promise<Profile> {
  try {
    return await upstream.read(call, 'persons', {});
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  try {
    return await upstream.read(call, 'companies', {});
  } catch (error) {
    throw isRefusal(error) ? new GatewayError('FORBIDDEN', { cause: error }) : error;
  }
}

/**
 * The statuses with which the service may answer a token of the other kind; its description lists none (docs/service.md).
 */
function isRefusal(error: unknown): boolean {
  return error instanceof UpstreamStatusError && (error.status === 403 || error.status === 404);
}

// Whether a token is tied to a person or a company: from its claim, or found out by asking and remembered.
import { LRUCache } from 'lru-cache';
import { GatewayError } from '../errors.ts';
import type { Caller } from '../identity/caller.ts';
import { type UpstreamCall, type UpstreamClient, UpstreamStatusError } from '../upstream/client.ts';
import type { HolderKind, Profile } from '../upstream/shape/shapes.ts';

/** What is known of callers' kinds; one a process. */
export interface HolderKinds {
  /**
   * The caller's profile, from the endpoint of its kind: one call where the kind is known, else at most two, of which the
   * one that succeeds is the answer. A known kind's 404 is UPSTREAM_REJECTED; where neither endpoint knows the
   * caller (403 or 404), it is FORBIDDEN.
   */
  readProfile(upstream: ProfileEndpoints, call: UpstreamCall, caller: Caller): Promise<Profile>;
}

/** The part of the service that knows holders. */
export type ProfileEndpoints = Pick<UpstreamClient, 'person' | 'company'>;

export interface HolderKindSettings {
  /** The claim that holds PERSON or COMPANY (JWT_ENTITY_TYPE_CLAIM); any other content is none. */
  readonly claim: string;
  /** How many callers are remembered, the latest first. */
  readonly maxEntries: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** For tokens without exp, and for those that last longer. */
const maxRememberedMs = 3_600_000;

interface Remembered {
  readonly kind: HolderKind;
  readonly untilMs: number;
}

/**
 * Only what the service answered with a 200 is remembered, under the caller's key (token and tenant) and until the
 * token's exp; a kind that is later refused is forgotten.
 */
export function createHolderKinds({ claim, maxEntries, now }: HolderKindSettings): HolderKinds {
  const remembered = new LRUCache<string, Remembered>({ max: maxEntries });

  function recall(key: string): HolderKind | null {
    const entry = remembered.get(key);
    return entry !== undefined && now() < entry.untilMs ? entry.kind : null;
  }

  function remember({ key, expiresAtMs }: Caller, kind: HolderKind): void {
    const untilMs = Math.min(expiresAtMs ?? Infinity, now() + maxRememberedMs);
    remembered.set(key, { kind, untilMs });
  }

  return {
    async readProfile(upstream, call, caller) {
      const claimed = parseKind(caller.claims[claim]);
      if (claimed !== null) return await readAs(claimed, upstream, call);
      const known = recall(caller.key);
      if (known === null) {
        const profile = await findOut(upstream, call);
        remember(caller, profile.kind);
        return profile;
      }
      return await readAs(known, upstream, call).catch((error: unknown) => {
        if (isRefusal(error)) remembered.delete(caller.key);
        throw error;
      });
    },
  };
}

function parseKind(claimed: unknown): HolderKind | null {
  return claimed === 'PERSON' || claimed === 'COMPANY' ? claimed : null;
}

function readAs(
  kind: HolderKind,
  upstream: ProfileEndpoints,
  call: UpstreamCall,
): Promise<Profile> {
  return kind === 'PERSON' ? upstream.person(call) : upstream.company(call);
}

/** Persons first, one after the other: most callers are persons, and asking both would double their calls. */
async function findOut(upstream: ProfileEndpoints, call: UpstreamCall): Promise<Profile> {
  try {
    return await upstream.person(call);
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
  try {
    return await upstream.company(call);
  } catch (error) {
    throw isRefusal(error) ? new GatewayError('FORBIDDEN', { cause: error }) : error;
  }
}

/** What the service may say to a token of the other kind; its API description has no errors (docs/service.md). */
function isRefusal(error: unknown): boolean {
  return error instanceof UpstreamStatusError && (error.status === 403 || error.status === 404);
}

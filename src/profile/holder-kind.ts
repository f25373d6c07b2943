// Determines whether a token belongs to a person or a company: by its claim, or by calling the service.
import { LRUCache } from 'lru-cache';
import { GatewayError } from '../errors.ts';
import type { Caller } from '../identity/caller.ts';
import { type UpstreamCall, type UpstreamReader, UpstreamStatusError } from '../upstream/client.ts';
import type { Profile } from '../upstream/shape/shapes.ts';

export type ProfileEndpoints = UpstreamReader<'persons' | 'companies'>;

const maxRememberedMs = 3_600_000;

type Remembered = Pick<Profile, 'kind'> & { readonly untilMs: number };

const routes = { PERSON: 'persons', COMPANY: 'companies' } as const;

/** Remembers a holder's kind until the token expires or the endpoint answers 403 or 404, but for an hour at most. */
export class HolderKinds {
  readonly #now: () => number;
  readonly #remembered: LRUCache<string, Remembered>;

  /** Remembers at most `max` callers; `now` returns epoch milliseconds. */
  constructor(max: number, now: () => number) {
    this.#now = now;
    this.#remembered = new LRUCache({ max });
  }

  /** Calls one endpoint if the kind is known, otherwise up to two. Not async, because that would cost a promise. */
  readProfile(
    upstream: ProfileEndpoints,
    call: UpstreamCall,
    { kind: claimed, key, expiresAtMs }: Caller,
  ): Promise<Profile> {
    if (claimed !== null) return upstream.read(call, routes[claimed], {});
    const known = this.#remembered.get(key);
    if (known === undefined || this.#now() >= known.untilMs) {
      return findOut(upstream, call).then((profile) => {
        const untilMs = Math.min(expiresAtMs ?? Infinity, this.#now() + maxRememberedMs);
        this.#remembered.set(key, { kind: profile.kind, untilMs });
        return profile;
      });
    }
    return upstream.read(call, routes[known.kind], {}).catch((error: unknown) => {
      if (isRefusal(error)) this.#remembered.delete(key);
      throw error;
    });
  }
}

/** Reads the profile as a person's, then as a company's, because most callers are persons. */
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

/** Whether the holder may be of the other kind. The API description does not say how the endpoint then answers. */
function isRefusal(error: unknown): boolean {
  return error instanceof UpstreamStatusError && (error.status === 403 || error.status === 404);
}

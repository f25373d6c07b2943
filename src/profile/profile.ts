// The caller's profile: read at most once per request, as a person's or a company's.
import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import { GatewayError } from '../errors.ts';
import type { Caller } from '../identity/caller.ts';
import { type UpstreamCall, type UpstreamReader, UpstreamStatusError } from '../upstream/client.ts';
import type { Account, Holder, Profile } from '../upstream/shape/shapes.ts';

/** The parent of the fields of Person and Company. */
export type ProfileHolder = Holder & Profile;

/** Reads the profile once, even if many fields, aliases and references need it. */
export class ProfileReader {
  readonly #read: () => Promise<Profile>;
  #profile: Promise<Profile> | undefined;
  #accounts: DataLoader<string, Account | null> | undefined;

  constructor(read: () => Promise<Profile>) {
    this.#read = read;
  }

  me(): Promise<Profile> {
    return (this.#profile ??= this.#read());
  }

  /** Ignores the case of the id; null if there is no such account. Rejects if the list of accounts is invalid. */
  account(id: string): Promise<Account | null> {
    this.#accounts ??= new DataLoader(async (ids) => {
      const byId = accountsById((await this.me()).accounts);
      return ids.map((one) => byId.get(one) ?? null);
    });
    return this.#accounts.load(id.toLowerCase());
  }
}

/** The holder, with the profile's other fields; null if there is no holder. Throws if the holder is invalid. */
export function holderOf(profile: Profile): ProfileHolder | null {
  const { holder } = profile;
  if (holder instanceof GatewayError) throw holder;
  return holder && Object.assign(holder, profile);
}

/** Returns the accounts by id in lower case; throws if the list of accounts is invalid. */
export function accountsById(accounts: Profile['accounts']): ReadonlyMap<string, Account> {
  if (accounts instanceof GatewayError) throw accounts;
  const byId = new Map<string, Account>();
  for (const account of accounts ?? []) {
    if (account === null || account instanceof GatewayError) continue;
    const key = account.id.toLowerCase();
    // If several accounts have the same id, the first one is used.
    if (!byId.has(key)) byId.set(key, account);
  }
  return byId;
}

type ProfileEndpoints = UpstreamReader<'persons' | 'companies'>;

const maxRemembered = 10_000;
const maxRememberedMs = 3_600_000;

type Remembered = Pick<Profile, 'kind'> & { readonly untilMs: number };

const routes = { PERSON: 'persons', COMPANY: 'companies' } as const;

/** Remembers a holder's kind until the token expires or the endpoint answers 403 or 404, but for an hour at most. */
export class HolderKinds {
  readonly #now: () => number;
  readonly #remembered = new LRUCache<string, Remembered>({ max: maxRemembered });

  /** `now` returns epoch milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
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

/** Reads the profile as a person's, because most callers are persons; after a 403 or 404, as a company's. */
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

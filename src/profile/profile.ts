// The caller's profile: read at most once per request, however many fields, aliases and references need it.
import DataLoader from 'dataloader';
import { GatewayError } from '../errors.ts';
import type { Caller } from '../identity/caller.ts';
import type { UpstreamCall } from '../upstream/client.ts';
import type { Account, Profile } from '../upstream/shape/shapes.ts';
import type { HolderKinds, ProfileEndpoints } from './holder-kind.ts';

/** One request's view of the caller's profile. Both methods reject with the same GatewayError if reading it failed. */
export interface ProfileReader {
  /** The whole profile. */
  me(): Promise<Profile>;
  /**
   * The holder's account with this id, regardless of case; null if there is none. Rejects if the list of accounts is a
   * violation; an account in the list that is a violation has no id to be found by.
   */
  account(id: string): Promise<Account | null>;
}

export interface ProfileReaderParts {
  readonly upstream: ProfileEndpoints;
  readonly call: UpstreamCall;
  readonly caller: Caller;
  readonly holderKinds: HolderKinds;
}

/** A reader for one request, never to be shared with another. Nothing is read before the first call. */
export function createProfileReader(parts: ProfileReaderParts): ProfileReader {
  const { upstream, call, caller, holderKinds } = parts;
  let profile: Promise<Profile> | undefined;
  const me = () => (profile ??= holderKinds.readProfile(upstream, call, caller));
  const createLoader = () =>
    new DataLoader<string, Account | null>(async (ids) => pick((await me()).accounts, ids), {
      cacheKeyFn: (id) => id.toLowerCase(),
    });
  let loader: ReturnType<typeof createLoader> | undefined;
  return { me, account: (id) => (loader ??= createLoader()).load(id) };
}

function pick(accounts: Profile['accounts'], ids: readonly string[]): (Account | null)[] {
  if (accounts instanceof GatewayError) throw accounts;
  const byId = new Map<string, Account>();
  for (const account of accounts ?? []) {
    if (account === null || account instanceof GatewayError) continue;
    const key = account.id.toLowerCase();
    // The first of two accounts with the same id, as a search through the list would find it.
    if (!byId.has(key)) byId.set(key, account);
  }
  return ids.map((id) => byId.get(id.toLowerCase()) ?? null);
}

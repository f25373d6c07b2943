// The caller's profile: read at most once per request, even if many fields, aliases and references need it.
import DataLoader from 'dataloader';
import { GatewayError } from '../errors.ts';
import type { Account, Holder, Profile } from '../upstream/shape/shapes.ts';

/** The parent of the fields of Person and Company. */
export type ProfileHolder = Holder & Profile;

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

/** The holder, with the profile's other fields; null if the profile has none. Throws if the holder is invalid. */
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

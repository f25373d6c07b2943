// The resolvers of Person and Company: both have a profile as their parent, and the fields of its holder.
import { GatewayError } from '../../errors.ts';
import { holderFieldNames } from '../../profile/profile.ts';
import { viewOfPart } from '../compiled/fields.ts';
import type { Holder, Profile } from '../../upstream/shape/shapes.ts';
import type {
  AccountHolderResolvers,
  CompanyResolvers,
  MeResolvers,
  PersonResolvers,
} from '../generated.ts';

/** The parent of the fields of Person and Company; null if there is no holder. Throws the holder's error. */
export function holderProfile(profile: Profile): Profile | null {
  if (profile.holder instanceof GatewayError) throw profile.holder;
  return profile.holder && profile;
}

/** The holder of a profile that `holderProfile` returned. */
export function holderOf({ holder }: Profile): Holder {
  return holder as Holder;
}

export function holderType({ kind }: Profile): 'Person' | 'Company' {
  return kind === 'PERSON' ? 'Person' : 'Company';
}

export const Me: MeResolvers = { __resolveType: holderType };
export const AccountHolder: AccountHolderResolvers = { __resolveType: holderType };

/** `accounts`, `individual` and `address` need no resolver, because they are properties of the profile. */
const holderFields: object = Object.fromEntries(
  holderFieldNames.map((name) => [name, viewOfPart(holderOf, name)]),
);

export const Person: PersonResolvers = holderFields;
export const Company: CompanyResolvers = holderFields;

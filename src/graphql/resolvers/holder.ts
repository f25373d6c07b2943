// Person and Company: two views of a profile, with the holder's fields in both.
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

/** The parent of Person's and Company's fields: a profile that has a holder. Null if it has none; throws its error. */
export function holderProfile(profile: Profile): Profile | null {
  if (profile.holder instanceof GatewayError) throw profile.holder;
  return profile.holder && profile;
}

/** The holder of a profile that `holderProfile` let pass. */
export function holderOf({ holder }: Profile): Holder {
  return holder as Holder;
}

export function holderType({ kind }: Profile): 'Person' | 'Company' {
  return kind === 'PERSON' ? 'Person' : 'Company';
}

export const Me: MeResolvers = { __resolveType: holderType };
export const AccountHolder: AccountHolderResolvers = { __resolveType: holderType };

/** The holder's fields; `accounts`, `individual` and `address` are properties of the profile. */
const holderFields: object = Object.fromEntries(
  holderFieldNames.map((name) => [name, viewOfPart(holderOf, name)]),
);

export const Person: PersonResolvers = holderFields;
export const Company: CompanyResolvers = holderFields;
